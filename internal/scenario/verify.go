package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"dyno/internal/foreign"
	"dyno/internal/wire"
)

// Differences from the contract that a contestant may declare, if they are its framework's defaults.
const (
	chunkedKey       = "chunked"         // Transfer-Encoding: chunked, although the length is known
	noContentTypeKey = "no-content-type" // no Content-Type, although the scenario expects one
	NoDate           = "no-date"         // no Date, although the server has a clock
)

// Declares reports whether the differences, each "key: reason", include key.
func Declares(differs []string, key string) bool {
	return slices.ContainsFunc(differs, func(d string) bool { return difference(d) == key })
}

// difference returns the key of a declared difference, "key: reason".
func difference(declared string) string {
	key, _, _ := strings.Cut(declared, ":")
	return strings.TrimSpace(key)
}

// Observed describes a contestant that satisfies the contract.
type Observed struct {
	Requests    int               // number of verified responses
	Framing     map[string]string // framing by request name: content-length, chunked and so on
	Differs     []string          // declared differences that occur
	HeaderBytes int               // status line and headers of the first loaded request
	BodyBytes   int               // body length of the same response
	Date        string            // of the last response

	// Bodies holds the accepted body for each request whose contract accepts several, by request index
	// (Scenario.Exact).
	Bodies map[int][]byte
}

// Broken describes how a response breaks the contract.
type Broken struct {
	Request string // name of the request
	Sent    string // request line as sent
	Check   string // status, header, body, session, date, connection, framing, delay or declared
	Reason  string
}

func (b *Broken) Error() string {
	return fmt.Sprintf("request %q (%s): %s", b.Request, b.Sent, b.Reason)
}

// verifyTimeout bounds one exchange; the handlers' delay is added to it.
const verifyTimeout = 5 * time.Second

// draws is the number of times that Verify sends a request with random inputs or one that starts a session.
const draws = 5

// Verify sends every request in s to a server, including those that are never loaded, and checks the contract
// strictly: status, headers, body and the handlers' delay, and unless s is Lenient framing and Date. All
// requests use one connection, which the server must keep open. If s has sessions, Verify checks that each
// keeps its content and shows it to no other client.
//
// differs lists the declared differences. An undeclared difference breaks the contract; so does a declared
// one that the scenario could show but that does not occur. The error joins one *Broken per breach.
func Verify(ctx context.Context, s *Scenario, to wire.Endpoint, differs []string, delay time.Duration) (
	*Observed, error) {
	if err := s.bound(); err != nil {
		return nil, err
	}
	v := newVerifier(s, to, delay, differs...)
	defer v.hangUp()
	if err := v.requests(ctx, func(*Request) bool { return true }); err != nil {
		return nil, err
	}
	if set, get := s.keepers(); set >= 0 {
		if err := v.sessions(ctx, set, get); err != nil {
			return nil, errors.Join(append(v.broken, err)...)
		}
	}
	for _, d := range differs {
		if key := difference(d); v.seen[key] {
			v.out.Differs = append(v.out.Differs, d)
		} else if v.applies(key) {
			v.broken = append(v.broken, &Broken{"declared", "differs", "declared",
				fmt.Sprintf("%q is declared but does not occur; remove it from contestant.toml", key)})
		}
	}
	return v.out, errors.Join(v.broken...)
}

// Inspect does the part of Verify that Exact needs: it sends the loaded requests whose contract accepts
// several bodies.
func (s *Scenario) Inspect(ctx context.Context, to wire.Endpoint) (*Observed, error) {
	if err := s.bound(); err != nil {
		return nil, err
	}
	v := newVerifier(s, to, 0, chunkedKey, noContentTypeKey, NoDate)
	defer v.hangUp()
	if err := v.requests(ctx, func(r *Request) bool { return r.Weight > 0 && r.Expect.loose() }); err != nil {
		return nil, err
	}
	return v.out, errors.Join(v.broken...)
}

// waited is the number of responses after which Waits sends no further request of the scenario.
const waited = 5

// Waits verifies that the handlers for loaded requests wait for delay before they answer.
func (s *Scenario) Waits(ctx context.Context, to wire.Endpoint, delay time.Duration) error {
	v := newVerifier(s, to, delay, chunkedKey, noContentTypeKey, NoDate)
	defer v.hangUp()
	if err := v.requests(ctx, func(r *Request) bool { return r.Weight > 0 && v.out.Requests < waited }); err != nil {
		return err
	}
	return errors.Join(v.broken...)
}

// verifier sends requests over one connection and collects contract breaches.
type verifier struct {
	s              *Scenario
	to             wire.Endpoint
	timeout        time.Duration
	delay          time.Duration   // delay in the handlers for loaded requests
	conn           net.Conn        // nil until the next exchange
	http2          *http.Transport // the same, for HTTP/2
	declared, seen map[string]bool
	given          map[string]bool // sessions issued to requests without a cookie
	broken         []error
	out            *Observed
}

func newVerifier(s *Scenario, to wire.Endpoint, delay time.Duration, differs ...string) *verifier {
	v := &verifier{s: s, to: to, timeout: verifyTimeout + delay, delay: delay,
		declared: map[string]bool{}, seen: map[string]bool{}, given: map[string]bool{},
		out: &Observed{Framing: map[string]string{}, Bodies: map[int][]byte{}}}
	for _, d := range differs {
		v.declared[difference(d)] = true
	}
	return v
}

// applies reports whether the scenario can show the difference at all.
func (v *verifier) applies(key string) bool {
	return slices.ContainsFunc(v.s.Requests, func(r Request) bool {
		return r.Weight > 0 && (key == NoDate || key == noContentTypeKey && r.Expect.Headers["Content-Type"] != "" ||
			key == chunkedKey && r.Expect.hasBody() && !v.to.HTTP2)
	})
}

// hasBody reports whether the contract requires a body that is not empty.
func (e *Expect) hasBody() bool {
	return e.Body != nil && *e.Body != "" || e.JSON != nil || e.Rows != nil
}

// requests verifies the requests that pick selects. After an error further requests are pointless.
func (v *verifier) requests(ctx context.Context, pick func(r *Request) bool) error {
	for i := range v.s.Requests {
		if !pick(&v.s.Requests[i]) {
			continue
		}
		if err := v.request(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// request verifies the request at index i.
func (v *verifier) request(ctx context.Context, i int) error {
	r := &v.s.Requests[i]
	mix, err := v.s.compileOne(r, v.to.Authority())
	if err != nil {
		return err
	}
	src := mix.NewSource(uint64(i)+1, 0, 1)
	times := 1
	switch {
	case mix.templates[0].drawn, r.Expect.Session, r.Expect.Rows != nil:
		times = draws
	case r.Expect.loose() && r.Weight > 0:
		times = 2 // the bytes must repeat, because the load compares them
	}
	for range times {
		var w Want
		m := draw(src, &w)
		resp, err := v.ask(ctx, r, &w, m)
		if err != nil {
			return err
		}
		v.out.Framing[r.Name] = resp.Framing.String()
		if r.Weight > 0 && v.out.HeaderBytes == 0 {
			v.out.HeaderBytes, v.out.BodyBytes = resp.HeadBytes, len(resp.Body)
		}
		if r.Expect.loose() {
			if first, ok := v.out.Bodies[i]; !ok {
				v.out.Bodies[i] = resp.Body
			} else if !bytes.Equal(first, resp.Body) {
				v.bad(r, m, "body", "two responses differ (%d and %d bytes); under load all must be identical",
					len(first), len(resp.Body))
			}
		}
		if r.Expect.Session {
			id := v.s.sessionOf(resp)
			if v.given[id] && id != "" {
				v.bad(r, m, "session", "two requests without a cookie were given one session, %s", foreign.Value("cookie", id))
			}
			v.given[id] = true
		}
	}
	return nil
}

// ask sends m, drawn from r, and checks the response against w. The error is a *Broken that makes further
// requests pointless.
func (v *verifier) ask(ctx context.Context, r *Request, w *Want, m message) (*wire.Response, error) {
	began := time.Now()
	resp, err := v.exchange(ctx, m, w.Head)
	took := time.Since(began)
	if err != nil {
		return nil, &Broken{r.Name, v.line(m), "connection", err.Error()}
	}
	v.out.Requests++
	v.out.Date, _ = resp.Get("date")
	v.compare(r, w, m, resp)
	if r.Weight > 0 && took < foreign.Soonest(v.delay) {
		v.bad(r, m, "delay", "it responded after %v, but the handler must wait %v (DYNO_DELAY)",
			took.Round(time.Microsecond), v.delay)
	}
	return resp, nil
}

// line returns the request line with secrets masked.
func (v *verifier) line(m message) string {
	if v.to.HTTP2 {
		return m.target() + " HTTP/2"
	}
	return m.target() + " HTTP/1.1"
}

// bad records a breach.
func (v *verifier) bad(r *Request, m message, check, format string, args ...any) {
	v.broken = append(v.broken, &Broken{r.Name, v.line(m), check, fmt.Sprintf(format, args...)})
}

// compare records how a response breaks the contract.
func (v *verifier) compare(r *Request, w *Want, m message, resp *wire.Response) {
	bad := func(check, format string, args ...any) { v.bad(r, m, check, format, args...) }
	if !w.Accepts(resp.Status) {
		bad("status", "status %d; want %s", resp.Status, w.statuses())
	}
	if resp.Proto == "HTTP/1.0" && !v.s.Lenient {
		bad("connection", "it responds with %s; want HTTP/1.1", resp.Proto)
	}
	body := resp.Body
	if w.loose != nil {
		body = wire.Decoded(resp)
	}
	switch text := w.breach(body); {
	case text == "":
	case r.Expect.Recalls:
		bad("session", "the session's content came back as %s", text)
	default:
		bad("body", "%s", text)
	}
	for _, h := range w.Headers {
		value, ok := resp.Get(string(h.Name))
		switch {
		case slices.ContainsFunc(resp.Fields, h.matches):
		case !ok && string(h.Name) == "content-type":
			v.differ(noContentTypeKey, "framing", "no Content-Type", bad)
		case h.Cookie:
			bad("session", "no session: want a Set-Cookie header that sets %s", h.Value)
		case !ok:
			bad("header", "no header %s", h.Name)
		default:
			name := string(h.Name)
			bad("header", "header %s is %q; want %q", name,
				foreign.Value(name, value), foreign.Value(name, string(h.Value)))
		}
	}
	if resp.Close {
		v.hangUp()
	}
	if v.s.Lenient {
		return
	}
	if _, ok := resp.Get("date"); !ok {
		v.differ(NoDate, "date", "no Date header (RFC 9110 §6.6.1)", bad)
	}
	switch {
	case resp.Close:
		bad("connection", "it closes the connection; want keep-alive")
	case resp.Framing == wire.Chunked && r.Weight > 0:
		v.differ(chunkedKey, "framing", "Transfer-Encoding: chunked", bad)
	}
}

func (h Header) matches(f wire.Field) bool {
	return wire.EqualFold([]byte(f.Name), h.Name) && h.Match([]byte(f.Value))
}

// differ records a difference; an undeclared one is a breach.
func (v *verifier) differ(key, check, what string, bad func(check, format string, args ...any)) {
	v.seen[key] = true
	if !v.declared[key] {
		bad(check,
			"%s; if this is the framework's default, declare it in contestant.toml: differs = [\"%s: why\"]", what, key)
	}
}
