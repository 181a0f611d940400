package fleet

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"

	"dyno/internal/conf"
	"dyno/internal/load"
	"dyno/internal/record"
)

// Order is the controller's request to one agent: a NATS request, delivered once, over TLS. An agent carries
// it out if the order has the agent's version and present session.
type Order struct {
	Version string          `json:"version"` // protocol and dyno versions
	Kind    string          `json:"kind"`    // a key in handlers
	Session string          `json:"session,omitempty"`
	Body    json.RawMessage `json:"body"`
}

// Answer is an agent's answer to an order; a Body may come with a Fault.
type Answer struct {
	Body  json.RawMessage `json:"body,omitempty"`
	Fault *Fault          `json:"fault,omitempty"`
}

// Fault is an error sent to the controller, with the properties on which decisions depend.
type Fault struct {
	Text       string          `json:"text"`
	Refused    bool            `json:"refused,omitempty"`      // nothing was done
	Usage      bool            `json:"usage,omitempty"`        // a usage error
	OutOfFiles bool            `json:"out_of_files,omitempty"` // the machine may open no more files
	Failure    *record.Failure `json:"failure,omitempty"`      // a contestant's failure, as its machine records it
}

func (f *Fault) Error() string { return f.Text }

// unfit reports an order that the agent does not carry out.
type unfit struct{ error }

// faultOf converts an error in an order for the controller.
func faultOf(err error) *Fault {
	if f, is := errors.AsType[*Fault](err); is {
		return f
	}
	f := &Fault{Text: err.Error(), OutOfFiles: load.OutOfFiles(err)}
	_, f.Refused = errors.AsType[unfit](err)
	_, f.Usage = errors.AsType[*conf.UsageError](err)
	return f
}

// LostError reports a machine whose agent is gone, or does not answer in time.
type LostError struct{ Machine, Why string }

func (e *LostError) Error() string { return e.Machine + " was lost: " + e.Why }

// protocol is the version of orders and answers, in addition to dyno's.
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

// errSession is the refusal of an order from another session.
var errSession = errors.New("the order belongs to another session; does another agent run with the same file, as on " +
	"a copied virtual machine?")

// Done is the empty body of an order or an answer.
type Done struct{}
