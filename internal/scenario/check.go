package scenario

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// mistake is an error in what a person wrote, at a key of the request.
type mistake struct {
	key string
	error
}

func (m *mistake) Error() string { return m.key + ": " + m.error.Error() }

func wrong(key, format string, args ...any) error { return &mistake{key, fmt.Errorf(format, args...)} }

const maxWeight = 1 << 30

// check looks for what is wrong with the request apart from its placeholders.
func (r *Request) check(host string) error {
	switch {
	case !isToken(r.Method):
		return wrong("method", "%q is no HTTP method", r.Method)
	case !strings.HasPrefix(r.Path, "/") || !inPath.takes(r.Path):
		return wrong("path", "%q: want a path from /, without spaces", r.Path)
	case r.Weight < 0 || r.Weight > maxWeight:
		return wrong("weight", "%d: want 0 or more, up to %d", r.Weight, maxWeight)
	case len(r.With) > maxNamed:
		return wrong("with", "%d inputs; at most %d have a name", len(r.With), maxNamed)
	case !inPath.takes(host):
		return fmt.Errorf("%q is no host", host)
	}
	hosts := 0
	for _, h := range r.Headers {
		switch lower := strings.ToLower(h.Name); {
		case !isToken(h.Name) || !inValue.takes(h.Value):
			return wrong("headers."+h.Name, "%q is no header", h.Name+": "+h.Value)
		case lower == "content-length" || lower == "transfer-encoding":
			return wrong("headers."+h.Name, "%s follows from the body: leave it out", h.Name)
		case lower == "host":
			if hosts++; hosts > 1 { // which a server must refuse (RFC 9112 3.2)
				return wrong("headers."+h.Name, "%s stands there twice", h.Name)
			}
		}
	}
	switch {
	case r.Expect.Recalls && r.Weight > 0:
		return wrong("weight", "what a session holds is verified, not loaded: want weight = 0 with recalls")
	case (r.Expect.loose() || r.Expect.Recalls) && len(r.With) > 0:
		return wrong("expect", "what is compared as a page, as JSON or with a session cannot depend on what is drawn")
	}
	return r.Expect.check()
}

// loose reports whether bodies of other bytes may keep the contract.
func (e *Expect) loose() bool { return e.Collapse || e.JSON != nil || e.JSONOf != "" }

func (e *Expect) check() error {
	_, err := hex.DecodeString(e.SHA256)
	switch {
	case e.Status == 0 && e.Statuses.Empty():
		return wrong("expect", "say which status: status = 200, or statuses = \"2xx\"")
	case e.Status != 0 && !e.Statuses.Empty():
		return wrong("expect.statuses", "want either status or statuses")
	case e.Status != 0 && (e.Status < lowStatus || e.Status > highStatus):
		return wrong("expect.status", "status %d: want one from %d to %d", e.Status, lowStatus, highStatus)
	case e.Collapse && e.Body == nil:
		return wrong("expect.collapse", "say what page: body or body_file")
	case e.Body == nil && (e.Length != nil || e.SHA256 != "") && (e.loose() || e.Recalls):
		return wrong("expect", "the body has been said: leave length and sha256 out")
	case e.JSON != nil:
		if _, err := readJSON([]byte(*e.JSON)); err != nil {
			return wrong("expect.json", "%w", err)
		}
	case e.JSONOf != "" && (e.JSONOf[0] != '/' || !inPath.takes(e.JSONOf)):
		return wrong("expect.json_of", "%q: want a path from /", e.JSONOf)
	case e.Body != nil && e.Length != nil:
		return wrong("expect.length", "the body has been said, and so its length")
	case e.Body != nil && e.SHA256 != "":
		return wrong("expect.sha256", "the body has been said, and so its hash")
	case e.Length != nil && *e.Length < 0:
		return wrong("expect.length", "%d: want 0 or more", *e.Length)
	case e.SHA256 != "" && (err != nil || len(e.SHA256) != 64):
		return wrong("expect.sha256", "%q: want 64 hexadecimal digits", e.SHA256)
	}
	for _, name := range sortedKeys(e.Headers) {
		if value := e.Headers[name]; !isToken(name) || !inValue.takes(value) {
			return wrong("expect.headers."+name, "%q is no header", name+": "+value)
		}
	}
	return nil
}

// place is the bytes that may stand somewhere.
type place func(c byte) bool

func anywhere(byte) bool { return true }

var (
	inPath  = place(func(c byte) bool { return c > ' ' && c != 0x7f })               // no white space, no control (RFC 9112 3)
	inValue = place(func(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }) // RFC 9110 5.5
)

func (p place) takes(text string) bool {
	for i := range len(text) {
		if !p(text[i]) {
			return false
		}
	}
	return true
}

func isToken(s string) bool { // RFC 9110 5.6.2
	for i := range len(s) {
		c := s[i] | 0x20
		if !('a' <= c && c <= 'z' || '0' <= s[i] && s[i] <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", s[i]) >= 0) {
			return false
		}
	}
	return s != ""
}
