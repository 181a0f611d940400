package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"dyno/internal/http1"
)

// Differences from the contract's framing that a contestant may declare, as its framework's own default.
const (
	Chunked       = "chunked"         // Transfer-Encoding: chunked where Content-Length would do
	NoContentType = "no-content-type" // no Content-Type, though the scenario expects one
)

// Excuse is the scenario as it is checked under load for a contestant with these declared differences: Verify has proved that they are all.
func (s *Scenario) Excuse(differs []string) *Scenario {
	for _, d := range differs {
		if key, _, _ := strings.Cut(d, ":"); strings.TrimSpace(key) != NoContentType {
			continue
		}
		excused := *s
		excused.Requests = slices.Clone(s.Requests)
		for i := range excused.Requests {
			e := &excused.Requests[i].Expect
			e.Headers = maps.Clone(e.Headers)
			maps.DeleteFunc(e.Headers, func(name, _ string) bool { return strings.EqualFold(name, "content-type") })
		}
		return &excused
	}
	return s
}

// Observed is what the verifier saw of a contestant that keeps its contract.
type Observed struct {
	Requests    int               // verified
	Framing     map[string]string // by request name: content-length, chunked …
	Differs     []string          // declared differences that really occur
	HeaderBytes int               // status line and headers of the first loaded request
	BodyBytes   int
	First       []byte // its whole response
}

// Broken says how an answer breaks the contract.
type Broken struct {
	Request string // name of the request
	Sent    string // its first line
	Reason  string
}

func (b *Broken) Error() string {
	return fmt.Sprintf("request %q (%s): %s", b.Request, b.Sent, b.Reason)
}

// verifyTimeout bounds one exchange; a handler's delay is added to it.
const verifyTimeout = 5 * time.Second

// draws is how often each request with drawn inputs is verified.
const draws = 5

// Verify sends every request of s to addr, those that are never loaded too, and proves the contract strictly: status, headers, body,
// framing, a Date, and that the connection is kept alive: all go over one connection. differs are the declared differences; one that
// occurs undeclared breaks the contract, and so does a declared one that never occurs. The error joins one *Broken per breach.
func Verify(ctx context.Context, s *Scenario, network, addr string, differs []string, delay time.Duration) (*Observed, error) {
	v := verifier{s: s, network: network, addr: addr, timeout: verifyTimeout + delay, seen: map[string]bool{}, declared: map[string]bool{},
		out: &Observed{Framing: map[string]string{}}}
	for _, d := range differs {
		key, _, _ := strings.Cut(d, ":")
		v.declared[strings.TrimSpace(key)] = true
	}
	defer v.hangUp()
	for i := range s.Requests {
		if err := v.request(ctx, i); err != nil {
			return nil, err
		}
	}
	for _, d := range differs {
		key, _, _ := strings.Cut(d, ":")
		if key = strings.TrimSpace(key); v.seen[key] {
			v.out.Differs = append(v.out.Differs, d)
		} else if v.applies(key) {
			v.broken = append(v.broken, &Broken{"declared", "differs", fmt.Sprintf("%q is declared but does not occur: take it out of contestant.toml", key)})
		}
	}
	return v.out, errors.Join(v.broken...)
}

type verifier struct {
	s              *Scenario
	network, addr  string
	timeout        time.Duration
	conn           net.Conn
	declared, seen map[string]bool
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
	return e.Body != nil && *e.Body != "" || e.Length != nil && *e.Length > 0 || e.SHA256 != ""
}

// request verifies the i-th request. The error is one that makes all further requests pointless.
func (v *verifier) request(ctx context.Context, i int) error {
	r := v.s.Requests[i]
	r.Weight = 1
	one := Scenario{Name: v.s.Name, Requests: []Request{r}}
	mix, err := one.Compile(v.addr, Options{})
	if err != nil {
		return err
	}
	src := mix.NewSource(uint64(i)+1, 0, 1)
	times := 1
	if mix.templates[0].drawn {
		times = draws
	}
	for range times {
		var w Want
		raw := src.Next(nil, &w)
		sent, _, _ := strings.Cut(string(raw), "\r\n")
		resp, answer, err := v.exchange(ctx, raw, w.Head)
		if err != nil {
			return &Broken{r.Name, sent, err.Error()}
		}
		for _, reason := range v.judge(&v.s.Requests[i], &w, resp) {
			v.broken = append(v.broken, &Broken{r.Name, sent, reason})
		}
		v.out.Requests++
		v.out.Framing[r.Name] = resp.Framing.String()
		if v.s.Requests[i].Weight > 0 && v.out.First == nil {
			v.out.First, v.out.HeaderBytes, v.out.BodyBytes = answer, resp.HeadBytes, len(resp.Body)
		}
	}
	return nil
}

// judge lists what of an answer breaks the contract.
func (v *verifier) judge(r *Request, w *Want, resp *http1.Response) []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if !w.Accepts(resp.Status) {
		bad("status %d; want %s", resp.Status, w.statuses())
	}
	if resp.Proto != "HTTP/1.1" {
		bad("answers %s; want HTTP/1.1", resp.Proto)
	}
	if text := w.breach(resp.Body); text != "" {
		bad("%s", text)
	}
	for _, h := range w.Headers {
		value, ok := resp.Get(string(h.Name))
		switch {
		case !ok && string(h.Name) == "content-type":
			v.differ(NoContentType, "no Content-Type", bad)
		case !ok:
			bad("no header %s", h.Name)
		case !slices.ContainsFunc(resp.Fields, h.matches):
			bad("header %s is %q; want %q", h.Name, value, h.Value)
		}
	}
	if _, ok := resp.Get("date"); !ok {
		bad("no Date header (RFC 9110 §6.6.1)")
	}
	switch {
	case resp.Close:
		bad("closes the connection; want it kept alive")
		v.hangUp()
	case resp.Framing == http1.Chunked && r.Weight > 0:
		v.differ(Chunked, "Transfer-Encoding: chunked", bad)
	}
	return out
}

func (h Header) matches(f http1.Field) bool {
	return http1.EqualFold([]byte(f.Name), h.Name) && h.Match([]byte(f.Value))
}

// differ notes a difference that was met, and complains if it was not declared.
func (v *verifier) differ(key, what string, bad func(string, ...any)) {
	v.seen[key] = true
	if !v.declared[key] {
		bad("%s: if that is the framework's own default, declare it: differs = [\"%s: why\"]", what, key)
	}
}

// exchange sends one request and reads its answer whole.
func (v *verifier) exchange(ctx context.Context, raw []byte, head bool) (*http1.Response, []byte, error) {
	if v.conn == nil {
		var d net.Dialer
		conn, err := d.DialContext(ctx, v.network, v.addr)
		if err != nil {
			return nil, nil, err
		}
		v.conn = conn
	}
	v.conn.SetDeadline(time.Now().Add(v.timeout))
	if _, err := v.conn.Write(raw); err != nil {
		return nil, nil, fmt.Errorf("the connection that was to be kept alive is gone: %w", err)
	}
	var answer []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := v.conn.Read(buf)
		answer = append(answer, buf[:n]...)
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return nil, nil, fmt.Errorf("read the answer: %w", err)
		}
		resp, perr := http1.Whole(answer, head, ended)
		switch {
		case perr == nil && len(answer) > resp.TotalBytes:
			return nil, nil, fmt.Errorf("%d bytes follow the answer: %s", len(answer)-resp.TotalBytes, quote(answer[resp.TotalBytes:]))
		case perr == nil:
			return &resp, answer, nil
		case ended:
			return nil, nil, fmt.Errorf("the connection ended inside the answer, after %d bytes", len(answer))
		case !errors.Is(perr, http1.ErrIncomplete):
			return nil, nil, fmt.Errorf("the answer is not HTTP/1.1: %w", perr)
		}
	}
}

func (v *verifier) hangUp() {
	if v.conn != nil {
		v.conn.Close()
		v.conn = nil
	}
}

// quote shows the first bytes of a body.
func quote(b []byte) string {
	if len(b) > 60 {
		return fmt.Sprintf("%q… (%d bytes)", b[:60], len(b))
	}
	return fmt.Sprintf("%q", b)
}

// Probe is a function that sends the first loaded request once, on a connection of its own, and reports whether it was answered with
// the right status.
func (s *Scenario) Probe(delay time.Duration) func(ctx context.Context, network, addr string) error {
	return func(ctx context.Context, network, addr string) error {
		v := verifier{s: s, network: network, addr: addr, timeout: verifyTimeout + delay}
		defer v.hangUp()
		mix, err := s.Compile(addr, Options{})
		if err != nil {
			return err
		}
		var w Want
		raw := mix.NewSource(1, 0, 1).Next(nil, &w)
		resp, _, err := v.exchange(ctx, raw, w.Head)
		if err == nil && !w.Accepts(resp.Status) {
			err = fmt.Errorf("status %d; want %s", resp.Status, w.statuses())
		}
		return err
	}
}
