package scenario

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Options say how requests are rendered.
type Options struct {
	Close   bool // each says Connection: close, unless its own headers say something of Connection
	Cookies bool // each Source keeps the cookies that it is given (see Source.Learn) and sends them, whatever the Scenario says
}

// Mix is the loaded requests of a Scenario, compiled for one host. It does not change: all connections draw from one.
type Mix struct {
	templates []template
	until     []int  // cumulated weights
	total     int    // sum of weights
	session   string // name of the session's cookie
	closes    bool   // each request says Connection: close in a header of its own
}

// Closes reports whether the requests themselves ask for connections to end: each then carries one.
func (m *Mix) Closes() bool { return m.closes }

// template is a request cut at what is not known before it is sent.
type template struct {
	parts  []part
	named  []input // by name
	body   []part  // of the expected body, if it holds placeholders
	want   Want    // but for what is drawn
	digits int     // kept free for Content-Length; 0: it is known
	tail   string  // a long fixed body, which no request copies; "": it stands in parts
	drawn  bool    // something is drawn

	host  string // for cookies: whose they are
	fixed string // the path, without its query; if open, only what stands before its first placeholder
	open  bool
}

// Compile checks all requests and renders what is fixed of those that have a weight. Host is the value of the Host header, for requests
// that do not name one themselves. What is loaded must be said exactly: see Exact.
func (s *Scenario) Compile(host string, o Options) (*Mix, error) { return s.compile(host, o, false) }

// compile is Compile; loosely, it takes contracts that need not be exact, for Want.breach.
func (s *Scenario) compile(host string, o Options, loosely bool) (*Mix, error) {
	m := &Mix{session: s.Session}
	o.Cookies = o.Cookies || s.Cookies
	for i := range s.Requests {
		r := &s.Requests[i]
		t, err := r.compile(i, host, s, o)
		if err == nil && r.Weight > 0 && r.Expect.loose() && !loosely {
			err = errors.New("its body is compared loosely: verify it first, which shows the bytes that the load is held to")
		}
		if err != nil {
			return nil, fmt.Errorf("scenario %s: request %q: %w", s.Name, r.Name, err)
		}
		if r.Weight > 0 {
			if closes := r.closes(); m.total == 0 {
				m.closes = closes
			} else if closes != m.closes {
				return nil, fmt.Errorf("scenario %s: request %q: one request says Connection: close and another does not; say it in all, or in none",
					s.Name, r.Name)
			}
			m.total += r.Weight
			m.until = append(m.until, m.total)
			m.templates = append(m.templates, t)
		}
	}
	if m.total == 0 {
		return nil, fmt.Errorf("scenario %s: no request has a weight", s.Name)
	}
	for i := range m.templates {
		m.templates[i].want.template = i
	}
	return m, nil
}

// one is r, of s, alone and loaded, its contract as loose as it is.
func (s *Scenario) one(r *Request, host string, o Options) (*Mix, error) {
	t, err := r.compile(0, host, s, o)
	return &Mix{session: s.Session, total: 1, templates: []template{t}}, err
}

// compile is Compile for the request at index. Its errors are mistakes.
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

	b.text = append(b.text, r.Method+" "...)
	if !b.fill(r.Path, inPath) {
		return t, wrong("path", "%w", b.err)
	}
	t.fixed, t.open = b.path(len(r.Method) + 1)
	b.text = append(b.text, " HTTP/1.1\r\n"...)
	if err := b.headers(r, host, o); err != nil {
		return t, err
	}
	if t.host = host; o.Cookies {
		if err := t.ownHost(r); err != nil {
			return t, err
		}
	}

	if err := t.content(r, &b); err != nil {
		return t, err
	}
	t.drawn = len(t.named) > 0 || slices.ContainsFunc(t.parts, func(p part) bool { return p.then == inPlace })
	return t, r.Expect.compile(&t, b.names, s)
}

// shared is the length in bytes from which a fixed body is sent from where it lies. A shorter one is copied behind its head: one
// send of one piece is then the cheaper.
const shared = 16 << 10

// content ends the head that b holds and adds the body.
func (t *template) content(r *Request, b *builder) error {
	body := builder{names: b.names, named: b.named}
	fixed := r.Verbatim
	if !fixed {
		_, p, _, err := body.placeholder(r.Body)
		if err != nil {
			return wrong("body", "%w", err)
		}
		fixed = p.then == nothing
	}
	switch {
	case !fixed:
		if !body.fill(r.Body, anywhere) {
			return wrong("body", "%w", body.err)
		}
		b.text = append(b.text, "Content-Length: "...)
		b.slot(part{then: bodyLength})
		t.digits = len(strconv.Itoa(body.longest))
		parts := body.done()
		parts[0].text = append([]byte("\r\n\r\n"), parts[0].text...)
		t.parts = b.with(parts)
		return nil
	case r.Body != "" || r.Method == "POST" || r.Method == "PUT":
		b.text = fmt.Appendf(b.text, "Content-Length: %d\r\n\r\n", len(r.Body))
	default:
		b.text = append(b.text, "\r\n"...)
	}
	if t.tail = r.Body; len(r.Body) < shared {
		b.text, t.tail = append(b.text, r.Body...), ""
	}
	t.parts = b.done()
	return nil
}

// headers adds the header lines, but for Content-Length.
func (b *builder) headers(r *Request, host string, o Options) error {
	if !r.says("host") { // it goes first (RFC 9110 7.2)
		b.text = append(b.text, "Host: "+host+"\r\n"...)
	}
	jar := o.Cookies // still to be added
	for _, h := range r.Headers {
		more := jar && strings.EqualFold(h.Name, "cookie")
		if more && h.Value == "" {
			continue
		}
		b.text = append(b.text, h.Name+": "...)
		if h.Verbatim {
			b.text = append(b.text, h.Value...)
		} else if !b.fill(h.Value, inValue) {
			return wrong("headers."+h.Name, "%w", b.err)
		}
		if more { // one header for all cookies (RFC 6265 5.4)
			b.slot(part{then: cookieMore})
			jar = false
		}
		b.text = append(b.text, "\r\n"...)
	}
	if jar {
		b.slot(part{then: cookieLine})
	}
	if o.Close && !r.says("connection") {
		b.text = append(b.text, "Connection: close\r\n"...)
	}
	return nil
}

// says reports whether r has a header of this name.
func (r *Request) says(name string) bool {
	return slices.ContainsFunc(r.Headers, func(h HeaderLine) bool { return strings.EqualFold(h.Name, name) })
}

// closes reports whether r asks for its connection to end with its answer (RFC 9112 9.6).
func (r *Request) closes() bool {
	return slices.ContainsFunc(r.Headers, func(h HeaderLine) bool {
		return strings.EqualFold(h.Name, "connection") && slices.ContainsFunc(strings.Split(h.Value, ","),
			func(option string) bool { return strings.EqualFold(strings.TrimSpace(option), "close") })
	})
}

// ownHost finds the host whose cookies the request carries, if its headers name it.
func (t *template) ownHost(r *Request) error {
	for _, h := range r.Headers {
		if !strings.EqualFold(h.Name, "host") {
			continue
		}
		t.host = h.Value
		b := builder{names: sortedKeys(r.With), named: t.named}
		if b.fill(h.Value, inValue); !h.Verbatim && b.done()[0].then != nothing {
			return wrong("headers."+h.Name, "with cookies the host must be fixed: it says whose they are")
		}
	}
	return nil
}

// compile adds the contract to t. It has been checked.
func (e *Expect) compile(t *template, names []string, s *Scenario) error {
	w := &t.want
	w.Status, w.Length = e.Status, -1
	if e.Status == 0 {
		set := e.Statuses
		w.Statuses = &set
	}
	if e.Length != nil {
		w.Length = *e.Length
	}
	if e.SHA256 != "" {
		w.Sum, _ = hex.DecodeString(e.SHA256)
	}
	switch {
	case e.Recalls: // without a cookie
		w.CheckBody, w.Body = true, []byte{}
	case e.Collapse || e.JSON != nil:
		var err error
		if w.loose, err = e.compileLoose(s.Map); err != nil {
			return wrong("expect.json", "%w", err)
		}
	case e.Body != nil && e.Verbatim:
		w.CheckBody, w.Body = true, unsafe.Slice(unsafe.StringData(*e.Body), len(*e.Body)) // read only
	case e.Body != nil:
		b := builder{names: names, named: t.named}
		if !b.fill(*e.Body, anywhere) {
			return wrong("expect.body", "%w", b.err)
		}
		w.CheckBody, w.Body = true, []byte(*e.Body)
		if parts := b.done(); parts[0].then != nothing {
			if slices.ContainsFunc(parts, func(p part) bool { return p.then == inPlace }) {
				return wrong("expect.body", "an inline placeholder is drawn anew: give it a name under with, to have it in the request and here alike")
			}
			t.body = parts
		}
	}
	for _, name := range sortedKeys(e.Headers) {
		b := builder{names: names, named: t.named}
		if !b.fill(e.Headers[name], anywhere) || b.done()[0].then != nothing {
			return wrong("expect.headers."+name, "%q: no placeholder is filled in here", e.Headers[name])
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

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
