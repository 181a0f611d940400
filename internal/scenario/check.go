package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/foreign"
)

// mistake is an error in a scenario file. key is the path of keys within the request, or within the file once
// Read has completed it.
type mistake struct {
	key string
	error
}

func (m *mistake) Error() string { return m.key + ": " + m.error.Error() }

func wrong(key, format string, args ...any) error { return &mistake{key, fmt.Errorf(format, args...)} }

// within prefixes a mistake's key. Any other error gets prefix as its key.
func within(prefix string, err error) error {
	var m *mistake
	switch {
	case err == nil:
		return nil
	case errors.As(err, &m):
		return &mistake{prefix + "." + m.key, m.error}
	}
	return &mistake{prefix, err}
}

const maxWeight = 1 << 30

// check reports the request's first mistake outside of placeholders.
func (r *Request) check(host string) error {
	switch {
	case !isToken(r.Method):
		return wrong("method", "%q is not an HTTP method", r.Method)
	case r.Method == "HEAD" && r.Expect.Whole():
		return wrong("method", "a response to HEAD has no body to check; expect none, or use GET")
	case !strings.HasPrefix(r.Path, "/") || !inPath.takes(r.Path):
		return wrong("path", "%q: want a path that starts with / and has no spaces", foreign.Mask(r.Path))
	case r.Weight < 0 || r.Weight > maxWeight:
		return wrong("weight", "%d: want 0 or more, up to %d", r.Weight, maxWeight)
	case len(r.With) > maxNamed:
		return wrong("with", "%d named inputs; at most %d are possible", len(r.With), maxNamed)
	case !inPath.takes(host):
		return fmt.Errorf("%q is not a host", host)
	}
	hosts := 0
	for _, h := range r.Headers {
		switch lower := strings.ToLower(h.Name); {
		case !isToken(h.Name) || !inValue.takes(h.Value):
			return wrong("headers."+h.Name, "%q is not a valid header", h.Name+": "+foreign.Value(h.Name, h.Value))
		case lower == "content-length" || lower == "transfer-encoding":
			return wrong("headers."+h.Name, "%s is set automatically from the body; remove it", h.Name)
		case lower == "host":
			if hosts++; hosts > 1 { // servers must refuse this (RFC 9112, section 3.2)
				return wrong("headers."+h.Name, "%s is given twice", h.Name)
			}
		}
	}
	switch {
	case r.Expect.Recalls && r.Weight > 0:
		return wrong("weight", "requests with recalls can be verified but not loaded; set weight = 0")
	case (r.Expect.loose() || r.Expect.Recalls) && len(r.With) > 0:
		return wrong("expect",
			"a body that is compared as a page, as JSON or with a session cannot contain random values")
	}
	return r.Expect.check()
}

// loose reports whether several different bodies satisfy the contract.
func (e *Expect) loose() bool { return e.Collapse || e.JSON != nil || e.JSONOf != "" }

func (e *Expect) check() error {
	switch {
	case e.Status == 0 && e.Statuses.Empty():
		return wrong("expect", "no status: want status = 200, or statuses = \"2xx\"")
	case e.Status != 0 && !e.Statuses.Empty():
		return wrong("expect.statuses", "status and statuses exclude each other; remove one")
	case e.Status != 0 && (e.Status < lowStatus || e.Status > highStatus):
		return wrong("expect.status", "status %d: want one from %d to %d", e.Status, lowStatus, highStatus)
	case e.Collapse && e.Body == nil:
		return wrong("expect.collapse", "no page to compare with; set body or body_file")
	case e.JSON != nil:
		if _, err := ReadJSON([]byte(*e.JSON)); err != nil {
			return wrong("expect.json", "%w", err)
		}
	case e.Rows != nil && e.Rows.check() != nil:
		return wrong("expect.rows", "%w", e.Rows.check())
	case e.JSONOf != "" && (e.JSONOf[0] != '/' || !inPath.takes(e.JSONOf)):
		return wrong("expect.json_of", "%q: want a path that starts with /", e.JSONOf)
	}
	for _, name := range sortedKeys(e.Headers) {
		if value := e.Headers[name]; !isToken(name) || !inValue.takes(value) {
			return wrong("expect.headers."+name, "%q is not a valid header", name+": "+value)
		}
	}
	return nil
}

// place is the set of bytes allowed in one part of a request.
type place func(c byte) bool

func anywhere(byte) bool { return true }

var (
	// inPath excludes white space and control characters (RFC 9112, section 3).
	inPath = place(func(c byte) bool { return c > ' ' && c != 0x7f })
	// inValue accepts field values (RFC 9110, section 5.5).
	inValue = place(func(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' })
	// inToken accepts methods and field names (RFC 9110, section 5.6.2).
	inToken = place(func(c byte) bool {
		low := c | 0x20
		return 'a' <= low && low <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
	})
)

func (p place) takes(text string) bool {
	for i := range len(text) {
		if !p(text[i]) {
			return false
		}
	}
	return true
}

func isToken(s string) bool { return s != "" && inToken.takes(s) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// ParseHeader splits "Name: value" or "Name", and reports whether both are valid in a header.
func ParseHeader(line string) (name, value string, ok bool) {
	name, value, _ = strings.Cut(line, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	return name, value, isToken(name) && inValue.takes(value)
}
