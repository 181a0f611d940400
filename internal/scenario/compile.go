package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"
)

// Options control how requests are rendered.
type Options struct {
	Close   bool   // add Connection: close, unless the request has a Connection header
	Cookies bool   // requests send received cookies back; sets Scenario.Cookies
	HTTP2   bool   // also compile for Draw.HTTP2
	Loose   bool   // contracts need not be exact (see Exact): only Want.breach, or nothing, checks them
	Shapes  bool   // bodies are compared with their Shape, and sampled
	Scheme  string // URL scheme, for HTTP/2; "" means http
}

// Mix holds the loaded requests of a Scenario, compiled for one host. It is immutable and shared by all
// connections.
type Mix struct {
	templates []template
	until     []int  // cumulative weights
	total     int    // sum of weights
	session   string // name of the session cookie
	closes    bool   // every request has a Connection: close header
}

// Closes reports whether the requests themselves end their connections, so that each connection carries one
// request.
func (m *Mix) Closes() bool { return m.closes }

// template is a request before values are drawn.
type template struct {
	http1 rendered
	http2 rendered // if Options.HTTP2 is set
	named []input  // named inputs, in order of name
	body  []part   // the expected body, if it has placeholders
	want  Want     // without drawn values
	drawn bool     // the request has a placeholder
}

// shared reports whether all requests can share one contract, because it holds no state per request.
func (t *template) shared() bool { return t.body == nil && !t.want.Cookies && !t.want.Marked }

// Compile checks all requests and renders the fixed parts of those with a weight. The Host header is host
// unless a request sets it. Loaded contracts must be exact (see Exact) unless o.Loose.
func (s *Scenario) Compile(host string, o Options) (*Mix, error) {
	n := len(s.Requests)
	m := &Mix{session: s.Session, templates: make([]template, 0, n), until: make([]int, 0, n)}
	closes, err := s.walk(host, o, func(t template, weight int) {
		m.total += weight
		m.until = append(m.until, m.total)
		m.templates = append(m.templates, t)
	})
	if m.closes = closes; err != nil {
		return nil, err
	}
	return m, nil
}

// Check reports the mistakes that Compile would, and whether the requests themselves end their connections.
// It keeps no compiled request, because there may be very many.
func (s *Scenario) Check(host string, o Options) (closes bool, err error) {
	return s.walk(host, o, func(template, int) {})
}

// walk compiles all requests, one after another, and calls f with each that has a weight. closes reports
// whether all of these have a Connection: close header.
func (s *Scenario) walk(host string, o Options, f func(t template, weight int)) (closes bool, err error) {
	o.Cookies = o.Cookies || s.Cookies
	loaded := false
	for i := range s.Requests {
		r := &s.Requests[i]
		t, err := r.compile(i, host, s, o)
		switch own := r.closes(); {
		case err != nil:
		case r.Weight == 0:
		case r.Expect.loose() && !o.Loose:
			err = errors.New("its body is not compared byte by byte; verify it first, which determines the bytes " +
				"expected under load")
		case loaded && own != closes:
			err = errors.New(
				"one request has Connection: close and another does not; use it in all requests or in none")
		default:
			loaded, closes = true, own
			f(t, r.Weight)
		}
		if err != nil {
			return false, fmt.Errorf("scenario %s: request %q: %w", s.Name, r.Name, err)
		}
	}
	if !loaded {
		return false, fmt.Errorf("scenario %s: no request has a weight", s.Name)
	}
	return closes, nil
}

// compileOne compiles the request r alone, whatever its weight. The contract may be loose.
func (s *Scenario) compileOne(r *Request, host string) (*Mix, error) {
	t, err := r.compile(0, host, s, Options{})
	return &Mix{session: s.Session, total: 1, templates: []template{t}}, err
}

// compile renders the request at index. Errors are mistakes.
func (r *Request) compile(index int, host string, s *Scenario, o Options) (template, error) {
	b := builder{names: sortedKeys(r.With)}
	t := template{want: Want{Index: index, Head: r.Method == "HEAD", Cookies: o.Cookies}}
	if err := r.check(host); err != nil {
		return t, err
	}
	for _, name := range b.names {
		in, err := r.With[name].compile()
		if err != nil {
			return t, wrong("with."+name, "%w", err)
		}
		b.named = append(b.named, in)
	}
	t.named = b.named

	if err := t.http1.compileHTTP1(r, host, o, b); err != nil {
		return t, err
	}
	if o.HTTP2 {
		if err := t.http2.compileHTTP2(r, host, o, b); err != nil {
			return t, err
		}
	}
	t.drawn = len(t.named) > 0 || t.http1.drawn()
	if o.Shapes && r.Method != "HEAD" {
		t.want.Shape = r.Expect.Shape
	}
	if r.Method != "HEAD" {
		t.want.Rows = r.Expect.Rows
	}
	t.want.Collect = t.want.Shape != nil || t.want.Rows != nil
	t.want.Marked = o.Shapes && (t.drawn || t.want.Shape != nil)
	return t, r.Expect.compile(&t, b.names, s)
}

// hasHeader reports whether r has a header with this name.
func (r *Request) hasHeader(name string) bool {
	return slices.ContainsFunc(r.Headers, func(h HeaderLine) bool { return strings.EqualFold(h.Name, name) })
}

// closes reports whether r asks the server to close the connection (RFC 9112, section 9.6).
func (r *Request) closes() bool {
	return slices.ContainsFunc(r.Headers, func(h HeaderLine) bool {
		return strings.EqualFold(h.Name, "connection") && slices.ContainsFunc(strings.Split(h.Value, ","),
			func(option string) bool { return strings.EqualFold(strings.TrimSpace(option), "close") })
	})
}

// compile adds the contract, which check has accepted, to t.
func (e *Expect) compile(t *template, names []string, s *Scenario) error {
	w := &t.want
	w.Status = e.Status
	if e.Status == 0 {
		w.Statuses = new(e.Statuses)
	}
	switch {
	case e.Recalls: // no cookie is sent, so the session is empty
		w.CheckBody, w.Body = true, []byte{}
	case e.Collapse || e.JSON != nil:
		var err error
		if w.loose, err = e.compileLoose(s.Map); err != nil {
			return wrong("expect.json", "%w", err)
		}
	case e.Body != nil && e.Verbatim:
		// The body is read-only and may be large: share it.
		w.CheckBody, w.Body = true, unsafe.Slice(unsafe.StringData(*e.Body), len(*e.Body))
	case e.Body != nil:
		b := builder{names: names, named: t.named}
		if !b.fill(*e.Body, anywhere) {
			return wrong("expect.body", "%w", b.err)
		}
		w.CheckBody, w.Body = true, []byte(*e.Body)
		if slices.ContainsFunc(b.parts, part.isInline) {
			return wrong("expect.body", "an inline placeholder gets a new value each time; to have the value of "+
				"the request here, name the placeholder under with")
		}
		if len(b.parts) > 0 {
			t.body = b.done()
		}
	}
	for _, name := range sortedKeys(e.Headers) {
		b := builder{names: names, named: t.named}
		if !b.fill(e.Headers[name], anywhere) || len(b.parts) > 0 {
			return wrong("expect.headers."+name, "%q: placeholders are not allowed here", e.Headers[name])
		}
		w.Headers = append(w.Headers, Header{Name: []byte(strings.ToLower(name)), Value: []byte(e.Headers[name])})
	}
	switch {
	case s.Session == "":
	case w.Cookies:
		w.Session, w.Sets = true, e.Session
	case e.Session:
		w.Headers = append(w.Headers, Header{Name: setCookie, Value: []byte(s.Session), Cookie: true})
	}
	return nil
}
