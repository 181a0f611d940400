package scenario

import (
	"bytes"
	"fmt"
)

// Want is the contract for one request in flight, in the form that the hot path needs. Each request in flight
// owns a Want. Source.Draw and Next fill it; its content is valid until the next call with it.
type Want struct {
	from      *template  // the request's template; nil before the first Draw
	Index     int        // index in Scenario.Requests
	Status    int        // 0: one of Statuses
	Statuses  *StatusSet // nil if Status is set
	CheckBody bool
	Body      []byte
	Headers   []Header // required headers
	Head      bool     // the request is HEAD: there is no body
	Cookies   bool     // Source.Learn must see the header section
	Shape     *Shape   // body shape; nil: not compared
	Rows      *Rows    // rows in the body; nil: not compared
	Collect   bool     // Shape or Rows must see the whole body
	Marked    bool     // Mark returns the request's mark
	Session   bool     // Source.Learn checks whether the session is kept
	Sets      bool     // the response to a request without a session must set one

	loose   *loose // compares the body, if CheckBody is not set
	carried string // the session that the request carries, if Session is set
	own     []byte // memory for the mark and the drawn Body
}

// Header is a header that a response must have. Name is in lower case. Value is the exact value, or the media
// type before ';', or empty for any value. If Cookie is set, Value names a cookie that the header must set to
// a value that is not empty.
type Header struct {
	Name, Value []byte
	Cookie      bool
}

// Match reports whether a header's value satisfies h.
func (h Header) Match(value []byte) bool {
	if h.Cookie {
		n := len(h.Value)
		return len(value) > n+1 && bytes.Equal(value[:n], h.Value) && value[n] == '=' && value[n+1] != ';'
	}
	if len(h.Value) == 0 || bytes.Equal(value, h.Value) {
		return true
	}
	media, _, found := bytes.Cut(value, []byte{';'})
	return found && bytes.EqualFold(bytes.TrimRight(media, " \t"), h.Value)
}

// Accepts reports whether the contract allows the status.
func (w *Want) Accepts(status int) bool {
	if w.Statuses == nil {
		return status == w.Status
	}
	return w.Statuses.Has(status)
}

// breach describes how a body breaks the contract; "" if it does not.
func (w *Want) breach(body []byte) string {
	switch {
	case w.Head:
	case w.loose != nil:
		return w.loose.breach(body)
	case w.Rows != nil:
		return w.Rows.Breach(body)
	case w.CheckBody && !bytes.Equal(body, w.Body):
		return fmt.Sprintf("body %s; want %s", quote(body), quote(w.Body))
	}
	return ""
}

// statuses names the statuses that Accepts accepts.
func (w *Want) statuses() string {
	if w.Statuses == nil {
		return fmt.Sprint(w.Status)
	}
	return w.Statuses.String()
}
