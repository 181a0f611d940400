package scenario

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"dyno/internal/bounds"
	"dyno/internal/http1"
)

// Differences from the contract's framing that a contestant may declare, as its framework's own default.
const (
	Chunked       = "chunked"         // Transfer-Encoding: chunked where Content-Length would do
	NoContentType = "no-content-type" // no Content-Type, though the scenario expects one
)

// Observed is what the verifier saw of a contestant that keeps its contract.
type Observed struct {
	Requests    int               // verified
	Framing     map[string]string // by request name: content-length, chunked …
	Differs     []string          // declared differences that really occur
	HeaderBytes int               // status line and headers of the first loaded request
	BodyBytes   int
	First       []byte // its whole response

	Bodies map[int][]byte // of the requests whose contract leaves open which bytes keep it, by their index: those that did (Scenario.Exact)
}

// Broken says how an answer breaks the contract.
type Broken struct {
	Request string // name of the request
	Sent    string // its first line
	Check   string // that found it: status, header, body, session, date, connection, framing, declared
	Reason  string
}

func (b *Broken) Error() string {
	return fmt.Sprintf("request %q (%s): %s", b.Request, b.Sent, b.Reason)
}

// verifyTimeout bounds one exchange; a handler's delay is added to it.
const verifyTimeout = 5 * time.Second

// draws is how often each request with drawn inputs, or that begins a session, is verified.
const draws = 5

// Verify sends every request of s to addr, those that are never loaded too, and proves the contract strictly: status, headers, body,
// framing, a Date, the delay of the handlers, and that the connection is kept alive: all go over one connection. Where s has sessions, it then proves that each keeps
// what it was given, for nobody else. differs are the declared differences; one that occurs undeclared breaks the contract, and so does a
// declared one that never occurs. The error joins one *Broken per breach.
func Verify(ctx context.Context, s *Scenario, network, addr string, differs []string, delay time.Duration) (*Observed, error) {
	v := verifier{s: s, network: network, addr: addr, timeout: verifyTimeout + delay, delay: delay, seen: map[string]bool{}, declared: map[string]bool{},
		out: &Observed{Framing: map[string]string{}, Bodies: map[int][]byte{}}, given: map[string]bool{}}
	for _, d := range differs {
		key, _, _ := strings.Cut(d, ":")
		v.declared[strings.TrimSpace(key)] = true
	}
	defer v.hangUp()
	if err := s.bound(); err != nil {
		return nil, err
	}
	for i := range s.Requests {
		if err := v.request(ctx, i); err != nil {
			return nil, err
		}
	}
	if set, get := s.keepers(); set >= 0 {
		if err := v.sessions(ctx, set, get); err != nil {
			return nil, errors.Join(append(v.broken, err)...)
		}
	}
	for _, d := range differs {
		key, _, _ := strings.Cut(d, ":")
		if key = strings.TrimSpace(key); v.seen[key] {
			v.out.Differs = append(v.out.Differs, d)
		} else if v.applies(key) {
			v.broken = append(v.broken, &Broken{"declared", "differs", "declared",
				fmt.Sprintf("%q is declared but does not occur: take it out of contestant.toml", key)})
		}
	}
	return v.out, errors.Join(v.broken...)
}

type verifier struct {
	s              *Scenario
	network, addr  string
	host           string // for the Host header; "": addr
	timeout        time.Duration
	delay          time.Duration // of the handlers of what is loaded
	conn           net.Conn
	declared, seen map[string]bool
	given          map[string]bool // sessions, to requests without a cookie
	broken         []error
	out            *Observed
}

// applies reports whether the scenario can show the difference at all.
func (v *verifier) applies(key string) bool {
	for _, r := range v.s.Requests {
		if key == NoContentType && r.Weight > 0 && r.Expect.Headers["Content-Type"] != "" {
			return true
		}
		if key == Chunked && r.Weight > 0 && r.Expect.something() {
			return true
		}
	}
	return false
}

// something reports whether the contract asks for a body that is not empty.
func (e *Expect) something() bool {
	return e.Body != nil && *e.Body != "" || e.JSON != nil || e.Length != nil && *e.Length > 0 || e.SHA256 != ""
}

// request verifies the i-th request. The error is one that makes all further requests pointless.
func (v *verifier) request(ctx context.Context, i int) error {
	r := &v.s.Requests[i]
	mix, err := v.s.one(r, cmp.Or(v.host, v.addr), Options{})
	if err != nil {
		return err
	}
	src := mix.NewSource(uint64(i)+1, 0, 1)
	times := 1
	switch kept := r.Expect.loose() && r.Weight > 0; {
	case mix.templates[0].drawn, r.Expect.Session:
		times = draws
	case kept:
		times = 2
	}
	for range times {
		var w Want
		raw := src.Next(nil, &w)
		resp, answer, err := v.ask(ctx, r, &w, raw)
		if err != nil {
			return err
		}
		v.out.Framing[r.Name] = resp.Framing.String()
		if r.Weight > 0 && v.out.First == nil {
			v.out.First, v.out.HeaderBytes, v.out.BodyBytes = answer, resp.HeadBytes, len(resp.Body)
		}
		if r.Expect.loose() {
			if first, ok := v.out.Bodies[i]; ok && !bytes.Equal(first, resp.Body) {
				v.bad(r, raw, "body", "two answers to it differ in their bytes (%d and %d bytes): under load each must be as the first", len(first), len(resp.Body))
			} else if !ok {
				v.out.Bodies[i] = resp.Body
			}
		}
		if r.Expect.Session {
			id := v.s.sessionOf(resp)
			if v.given[id] && id != "" {
				v.bad(r, raw, "session", "two requests without a cookie were given one session, %s", quote([]byte(id)))
			}
			v.given[id] = true
		}
	}
	return nil
}

// ask sends raw, of r, and judges the answer by w. The error is a *Broken that makes all further requests pointless.
func (v *verifier) ask(ctx context.Context, r *Request, w *Want, raw []byte) (*http1.Response, []byte, error) {
	began := time.Now()
	resp, answer, err := v.exchange(ctx, raw, w.Head)
	took := time.Since(began)
	if err != nil {
		return nil, nil, &Broken{r.Name, firstLine(raw), "connection", err.Error()}
	}
	v.out.Requests++
	v.judge(r, w, raw, resp)
	if r.Weight > 0 && took < bounds.Soonest(v.delay) {
		v.bad(r, raw, "delay", "answered after %v, though the handler is to wait DYNO_DELAY, %v, before it answers", took.Round(time.Microsecond), v.delay)
	}
	return resp, answer, nil
}

// bad notes a breach.
func (v *verifier) bad(r *Request, raw []byte, check, format string, args ...any) {
	v.broken = append(v.broken, &Broken{r.Name, firstLine(raw), check, fmt.Sprintf(format, args...)})
}

func firstLine(raw []byte) string {
	line, _, _ := strings.Cut(string(raw), "\r\n")
	return line
}

// judge notes what of an answer breaks the contract.
func (v *verifier) judge(r *Request, w *Want, raw []byte, resp *http1.Response) {
	bad := func(check, format string, args ...any) { v.bad(r, raw, check, format, args...) }
	if !w.Accepts(resp.Status) {
		bad("status", "status %d; want %s", resp.Status, w.statuses())
	}
	if resp.Proto != "HTTP/1.1" {
		bad("connection", "answers %s; want HTTP/1.1", resp.Proto)
	}
	switch text := w.breach(resp.Body); {
	case text == "":
	case r.Expect.Recalls:
		bad("session", "what the session holds comes as %s", text)
	default:
		bad("body", "%s", text)
	}
	for _, h := range w.Headers {
		value, ok := resp.Get(string(h.Name))
		switch {
		case slices.ContainsFunc(resp.Fields, h.matches):
		case !ok && string(h.Name) == "content-type":
			v.differ(NoContentType, "no Content-Type", bad)
		case h.Cookie:
			bad("session", "no header Set-Cookie gives a session: want one that sets %s", h.Value)
		case !ok:
			bad("header", "no header %s", h.Name)
		default:
			bad("header", "header %s is %q; want %q", h.Name, value, h.Value)
		}
	}
	if _, ok := resp.Get("date"); !ok {
		bad("date", "no Date header (RFC 9110 §6.6.1)")
	}
	switch {
	case resp.Close:
		bad("connection", "closes the connection; want it kept alive")
		v.hangUp()
	case resp.Framing == http1.Chunked && r.Weight > 0:
		v.differ(Chunked, "Transfer-Encoding: chunked", bad)
	}
}

func (h Header) matches(f http1.Field) bool {
	return http1.EqualFold([]byte(f.Name), h.Name) && h.Match([]byte(f.Value))
}

// differ notes a difference that was met, and complains if it was not declared.
func (v *verifier) differ(key, what string, bad func(check, format string, args ...any)) {
	v.seen[key] = true
	if !v.declared[key] {
		bad("framing", "%s: if that is the framework's own default, declare it: differs = [\"%s: why\"]", what, key)
	}
}
