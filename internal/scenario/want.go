package scenario

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
)

// Want is the contract of one request in flight, as the hot path needs it. Each request in flight has one of its own, used again and
// again; it holds what Next put into it until the next Next with the same Want.
type Want struct {
	Index     int        // of the request within Scenario.Requests
	Status    int        // 0: one of Statuses
	Statuses  *StatusSet // nil if Status is set
	CheckBody bool
	Body      []byte
	Length    int64    // of the body, bytes; -1: not checked
	Sum       []byte   // SHA-256 of the body; nil: not checked
	Headers   []Header // that must be present
	Head      bool     // answer to HEAD: headers only
	Cookies   bool     // Source.Learn wants to see the header section
	Session   bool     // and judges by it whether a session is kept
	Sets      bool     // where the request carries no session, the answer must give one

	loose    *loose // how the body is compared where CheckBody does not say
	carried  string // the session that the request carries, where Session is set
	template int
	path     []byte // of the request, where Cookies is set: without its query
	own      []byte // memory of what is drawn of Body and path
	hash     *bodyHash
}

// bodyHash is the state of one hash, and room for its sum.
type bodyHash struct {
	hash.Hash
	sum [sha256.Size]byte
}

// Header is a header that an answer must hold: Name in lower case, Value exact or the media type before ';', or empty for any value. If
// Cookie is set, Value is the name of a cookie that it must set, to something.
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

// Hash is what the body must be written to for SumMatches; nil if the contract names no hash. It belongs to w, which makes it once.
func (w *Want) Hash() hash.Hash {
	if w.Sum == nil {
		return nil
	}
	if w.hash == nil {
		w.hash = &bodyHash{Hash: sha256.New()}
	}
	return w.hash.Hash
}

// SumMatches reports whether Hash has been fed what the contract wants, if it names a hash.
func (w *Want) SumMatches() bool {
	return w.Sum == nil || w.hash != nil && bytes.Equal(w.hash.Sum(w.hash.sum[:0]), w.Sum)
}

// breach says what is wrong with a body of an answer, or "".
func (w *Want) breach(body []byte) string {
	sum := sha256.Sum256(body)
	switch {
	case w.Head:
	case w.loose != nil:
		return w.loose.breach(body)
	case w.CheckBody && !bytes.Equal(body, w.Body):
		return fmt.Sprintf("body %s; want %s", quote(body), quote(w.Body))
	case w.Length >= 0 && int64(len(body)) != w.Length:
		return fmt.Sprintf("body of %d bytes; want %d", len(body), w.Length)
	case w.Sum != nil && !bytes.Equal(sum[:], w.Sum):
		return fmt.Sprintf("body %s, whose SHA-256 is %x; want %x", quote(body), sum, w.Sum)
	}
	return ""
}

// statuses is what Accepts takes, in words.
func (w *Want) statuses() string {
	if w.Statuses == nil {
		return fmt.Sprint(w.Status)
	}
	return w.Statuses.String()
}
