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

// Order is what the controller asks of one agent. An agent carries it out if it has its own version,
// the digest of its body, the agent's present session, and a higher number than all orders before. The
// last one, which comes again if the controller had no answer, is answered again as it was.
type Order struct {
	Version string          `json:"version"` // of the protocol and of dyno
	Kind    string          `json:"kind"`    // a key of the agent's table of orders
	Session string          `json:"session,omitempty"`
	Number  uint64          `json:"number"`
	Try     int             `json:"try"`    // from 1: how often the controller sent it until now
	Digest  string          `json:"digest"` // SHA-256 of Body, in hex
	Body    json.RawMessage `json:"body"`
}

// Answer is what an agent says to an order.
type Answer struct {
	Refused string          `json:"refused,omitempty"` // why nothing was done
	Failed  string          `json:"failed,omitempty"`  // what went wrong when it was done
	Body    json.RawMessage `json:"body,omitempty"`
}

// RefusedError is the error of an order that an agent did not carry out.
type RefusedError struct{ Agent, Why string }

func (e *RefusedError) Error() string { return e.Agent + " refused: " + e.Why }

// FailedError is the error of an order that an agent could not carry out.
type FailedError struct{ Agent, Why string }

func (e *FailedError) Error() string { return e.Agent + ": " + e.Why }

// protocol is the version of orders and answers, beside that of dyno.
const protocol = "1/"

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
	last             Order  // that was accepted
	answer           Answer // to it
}

// accept returns an error if o must not be carried out, and else never accepts it again. again says that
// it is the last one once more, and replayed that the controller did not send it so often.
func (g *guard) accept(o *Order) (again, replayed bool, err error) {
	last := &g.last
	switch {
	case o.Version != g.version:
		return false, false, fmt.Errorf("the controller has version %q, this agent %q; run dyno fleet up, or copy the "+
			"controller's dyno here", o.Version, g.version)
	case o.Digest != digest(o.Body):
		return false, false, errors.New("the order's digest is not that of its body")
	case o.Kind != hello && o.Session != g.session:
		return false, false, errSession
	case o.Number == last.Number && o.Kind == last.Kind && o.Digest == last.Digest:
		replayed = o.Try <= last.Try
		last.Try = max(last.Try, o.Try)
		return true, replayed, nil
	case o.Number <= last.Number:
		return false, false, fmt.Errorf("order %d was sent before, or is late: the last one was %d", o.Number, last.Number)
	}
	g.last = *o
	g.last.Body = nil // which may be large
	return false, false, nil
}
