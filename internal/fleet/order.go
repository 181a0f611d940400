package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Order is what the controller asks of one agent: a request of NATS, which is delivered once. An agent carries it out
// if it has its own version, the digest of its body, the agent's present session, and a number that the session has
// not seen.
type Order struct {
	Version string          `json:"version"` // of the protocol and of dyno
	Kind    string          `json:"kind"`    // a key of the agent's table of orders
	Session string          `json:"session,omitempty"`
	Number  uint64          `json:"number"`
	Digest  string          `json:"digest"` // SHA-256 of Body, in hex
	Body    json.RawMessage `json:"body"`
}

// Answer is what an agent says to an order.
type Answer struct {
	Refused string          `json:"refused,omitempty"` // why nothing was done
	Failed  string          `json:"failed,omitempty"`  // what went wrong when it was done
	Usage   bool            `json:"usage,omitempty"`   // that is a mistake of its author
	Body    json.RawMessage `json:"body,omitempty"`
}

// LostError is the error of an order to a machine whose agent is gone, or does not answer in time.
type LostError struct {
	Machine, Why string
	cause        error // may be nil
}

func (e *LostError) Error() string { return e.Machine + " was lost: " + e.Why }

// Unwrap returns the cause.
func (e *LostError) Unwrap() error { return e.cause }

// protocol is the version of orders and answers, beside that of dyno.
const protocol = "2/"

// strict decodes JSON: an unknown field, or anything after the value, is an error.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows its end")
	}
	return nil
}

// digest returns the SHA-256 of data, in hex.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// errSession is the refusal of an order that is of another session.
var errSession = errors.New("the order is of another session")

// guard decides which orders a session accepts.
type guard struct {
	version, session string
	last             uint64 // the highest number that was accepted
	seen             uint64 // bit i: so was last-i (RFC 4303, 3.4.3)
}

// accept returns an error if o must not be carried out, and else never accepts it again.
func (g *guard) accept(o *Order) error {
	behind := g.last - o.Number
	switch {
	case o.Version != g.version:
		return fmt.Errorf("the controller has version %q, this agent %q; run dyno fleet up, or copy the "+
			"controller's dyno here", o.Version, g.version)
	case o.Digest != digest(o.Body):
		return errors.New("the order's digest is not that of its body")
	case o.Kind != string(hello) && o.Session != g.session:
		return errSession
	case o.Number > g.last:
		g.seen = g.seen<<(o.Number-g.last) | 1
		g.last = o.Number
	case behind >= 64 || g.seen>>behind&1 == 1:
		return fmt.Errorf("order %d was sent before, or is late: the last one was %d", o.Number, g.last)
	default:
		g.seen |= 1 << behind
	}
	return nil
}

// Done is the body of an order, or of an answer, that says nothing.
type Done struct{}
