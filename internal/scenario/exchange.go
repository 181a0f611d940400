package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"dyno/internal/endpoint"
	"dyno/internal/http1"
	"dyno/internal/http2"
	"dyno/internal/secret"
)

// message is a request with its values, as it is sent.
type message struct {
	raw   []byte // as HTTP/1.1
	block []byte // its header block, as HTTP/2; nil: it is sent as HTTP/1.1
	body  string // behind that
}

// draw draws the next request, for the protocol of v's server.
func (v *verifier) draw(src *Source, w *Want) (m message) {
	if v.to.HTTP2 {
		var d Draw
		same := *src
		same.Draw(&d, w)
		m.block, _, m.body = d.HTTP2(nil, nil)
	}
	m.raw = src.Next(nil, w)
	return m
}

// line returns the first line of the request, without its secrets.
func (m *message) line() string {
	line, _, _ := strings.Cut(string(m.raw), "\r\n")
	if m.block != nil {
		line = strings.TrimSuffix(line, "HTTP/1.1") + "HTTP/2"
	}
	return secret.Mask(line)
}

// what returns the method and the path.
func (m *message) what() string {
	line := m.line()
	return line[:max(strings.LastIndexByte(line, ' '), 0)]
}

// withCookies returns m with these cookies.
func (m message) withCookies(pairs string) message {
	head, body, _ := strings.Cut(string(m.raw), "\r\n\r\n")
	m.raw = []byte(head + "\r\nCookie: " + pairs + "\r\n\r\n" + body)
	if m.block != nil {
		m.block = http2.AppendField(m.block, "cookie", pairs)
	}
	return m
}

// exchange sends one request and reads the whole response, on the connection of v, which it opens
// if there is none. It returns the response parsed and as received. A request that the server has not
// processed is sent again (HTTP/2).
func (v *verifier) exchange(ctx context.Context, m message, head bool) (*http1.Response, []byte, error) {
	for tries := 0; ; tries++ {
		resp, answer, err := v.send(ctx, m, head)
		if _, left := errors.AsType[*notProcessed](err); !left || tries == mostAgain {
			return resp, answer, err
		}
		v.hangUp()
	}
}

// mostAgain is how often a request is sent again that the server has not processed.
const mostAgain = 10

// notProcessed is an error after which the request can be sent again (RFC 9113, section 8.7).
type notProcessed struct{ error }

func (v *verifier) send(ctx context.Context, m message, head bool) (*http1.Response, []byte, error) {
	if v.conn == nil {
		var d net.Dialer
		conn, err := v.to.Dial(ctx, &d)
		if err != nil {
			return nil, nil, err
		}
		v.conn = conn
	}
	v.conn.SetDeadline(time.Now().Add(v.timeout))
	if m.block != nil {
		if v.two == nil {
			var err error
			if v.two, err = greet(v.conn); err != nil {
				return nil, nil, err
			}
		}
		resp, err := v.two.exchange(m.block, m.body, head)
		if err != nil {
			return nil, nil, v.unread(err, len(v.two.answer))
		}
		return resp, v.two.answer, nil
	}
	if _, err := v.conn.Write(m.raw); err != nil {
		return nil, nil, fmt.Errorf("the server closed a connection that it should keep alive: %w", err)
	}
	var answer []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := v.conn.Read(buf)
		answer = append(answer, buf[:n]...)
		ended := errors.Is(err, io.EOF)
		resp, perr := http1.Whole(answer, head, ended)
		if err != nil && !ended {
			return nil, nil, v.unread(err, len(answer))
		}
		switch {
		case perr == nil && len(answer) > resp.TotalBytes:
			more := answer[resp.TotalBytes:]
			return nil, nil, fmt.Errorf("%d extra bytes after the response: %s", len(more), quote(more))
		case perr == nil:
			return &resp, answer, nil
		case ended:
			return nil, nil, v.unread(err, len(answer))
		case !errors.Is(perr, http1.ErrIncomplete):
			return nil, nil, fmt.Errorf("the response is not HTTP/1.1: %w", perr)
		}
	}
}

// unread returns the error for a response of which n bytes came.
func (v *verifier) unread(err error, n int) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && n == 0:
		return fmt.Errorf("the server accepted the connection, but sent no response within %v; check what it waits for",
			v.timeout)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the server sent %d bytes, but not the whole response, within %v", n, v.timeout)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("the connection ended within the response, after %d bytes", n)
	}
	return fmt.Errorf("read the response: %w", err)
}

// over returns the options of requests to a server.
func over(to endpoint.Endpoint) Options {
	return Options{Scheme: to.Scheme(), HTTP2: to.HTTP2}
}

func (v *verifier) hangUp() {
	if v.conn != nil {
		v.conn.Close()
		v.conn, v.two = nil, nil
	}
}

// quote shows the first bytes of a body, without its secrets.
func quote(b []byte) string {
	if len(b) > 60 {
		return fmt.Sprintf("%q… (%d bytes)", secret.Mask(string(b[:60])), len(b))
	}
	return fmt.Sprintf("%q", secret.Mask(string(b)))
}

// Probe returns a function that sends the first loaded request, on a connection of its own. Its
// error is nil if the response has the right status.
func (s *Scenario) Probe(delay time.Duration) func(ctx context.Context, to endpoint.Endpoint) error {
	return func(ctx context.Context, to endpoint.Endpoint) error {
		w, resp, err := s.first(ctx, to, verifyTimeout+delay, Options{})
		if err == nil && !w.Accepts(resp.Status) {
			err = fmt.Errorf("status %d; want %s", resp.Status, w.statuses())
		}
		return err
	}
}

// Answer is what a server answered to a request of a scenario.
type Answer struct {
	Index    int    // of the request within Scenario.Requests
	Drawn    bool   // the request has placeholders: other draws of it were sent too
	Sent     string // its first line, without the protocol: "GET /users/7"
	Response *http1.Response
	Part     int // of Reread
	Mark     Mark
}

// Answers sends the loaded requests of s to a server and judges no answer. One with placeholders is
// sent several times; the same values are drawn by every call.
func (s *Scenario) Answers(ctx context.Context, to endpoint.Endpoint) ([]Answer, error) {
	return s.answers(ctx, to, draws, func(i int) (seed uint64, sent bool) { return uint64(i) + 1, true })
}

// The rounds of Reread: how many, how many requests they have, and when the last begins.
const (
	mostRounds   = 24
	mostReread   = 300
	rereadWithin = 2 * time.Second
)

// Reread sends the loaded requests that change no state twice, as parts 0 and 1. Then it sends by turns, each
// turn as the next part, those that may change it and the former: rounds of one draw each, and a last one like
// parts 0 and 1. In one round requests with the same placeholders draw the same values.
func (s *Scenario) Reread(ctx context.Context, to endpoint.Endpoint) (all []Answer, err error) {
	part, began := 0, time.Now()
	send := func(seed uint64, safe bool, most int) {
		if err == nil {
			var some []Answer
			some, err = s.answers(ctx, to, most, func(i int) (uint64, bool) { return seed, s.Requests[i].Safe() == safe })
			for _, a := range some {
				a.Part = part
				all = append(all, a)
			}
			part++
		}
	}
	send(1, true, draws)
	send(1, true, draws)
	for k := range min(mostRounds, mostReread/len(s.Requests)) {
		if time.Since(began) < rereadWithin {
			send(uint64(k)+2, false, 1)
			send(uint64(k)+2, true, 1)
		}
	}
	send(1, false, draws)
	send(1, true, draws)
	return all, err
}

// Safe reports whether the method changes no state (RFC 9110, section 9.2.1).
func (r *Request) Safe() bool {
	switch r.Method {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// answers sends the requests that of selects by their index, with its seed for what they draw: up to most draws.
func (s *Scenario) answers(ctx context.Context, to endpoint.Endpoint, most int,
	of func(i int) (uint64, bool)) ([]Answer, error) {
	v := newVerifier(s, to, 0)
	defer v.hangUp()
	var all []Answer
	for i := range s.Requests {
		r := &s.Requests[i]
		seed, sent := of(i)
		if r.Weight == 0 || !sent {
			continue
		}
		mix, err := s.one(r, to.Authority(), over(to))
		if err != nil {
			return nil, err
		}
		times, src := 1, mix.NewSource(seed, 0, 1)
		if mix.templates[0].drawn {
			times = draws
		}
		for range min(times, most) {
			a, err := v.answer(ctx, src)
			if err != nil {
				return nil, err
			}
			a.Index, a.Drawn = i, times > 1
			all = append(all, a)
		}
	}
	return all, nil
}

// answer sends the next request of src.
func (v *verifier) answer(ctx context.Context, src *Source) (Answer, error) {
	var w Want
	m := v.draw(src, &w)
	resp, _, err := v.exchange(ctx, m, w.Head)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", m.what(), err)
	}
	if resp.Close {
		v.hangUp()
	}
	return Answer{Index: w.Index, Drawn: w.from != nil && w.from.drawn, Sent: m.what(), Response: resp,
		Mark: w.Mark()}, nil
}

// The bounds of InTurn: the number of requests, the bytes of their answers' bodies, and the time.
const (
	mostInTurn      = 3000
	mostInTurnBytes = 16 << 20
	inTurnWithin    = 2 * time.Second
)

// InTurn sends requests as a load draws them, but one after another, and judges no answer. Every call sends the
// same ones in the same order; how many, is a matter of time. With an error it returns the answers before it.
func (s *Scenario) InTurn(ctx context.Context, to endpoint.Endpoint) (all []Answer, err error) {
	mix, err := s.mixed(to)
	if err != nil {
		return nil, err
	}
	v := newVerifier(s, to, 0)
	defer v.hangUp()
	src, began, size := mix.NewSource(1, 0, 1), time.Now(), 0
	for len(all) < mostInTurn && size < mostInTurnBytes && time.Since(began) < inTurnWithin {
		a, err := v.answer(ctx, src)
		if err != nil {
			return all, err
		}
		all, size = append(all, a), size+len(a.Response.Body)
	}
	return all, nil
}

// mixed compiles s for requests to a server whose answers nobody judges.
func (s *Scenario) mixed(to endpoint.Endpoint) (*Mix, error) {
	o := over(to)
	o.Loose, o.Shapes = true, true
	return s.Compile(to.Authority(), o)
}

// againAtOnce is the number of connections over which Again sends.
const againAtOnce = 16

// Again sends the requests of s that have these marks, once more, and judges no answer. It sends them
// over several connections, because handlers may be slow.
func (s *Scenario) Again(ctx context.Context, to endpoint.Endpoint, marks []Mark) ([]Answer, error) {
	mix, err := s.mixed(to)
	if err != nil {
		return nil, err
	}
	all, errs := make([]Answer, len(marks)), make([]error, againAtOnce)
	var wg sync.WaitGroup
	for n := range errs {
		wg.Go(func() {
			v := newVerifier(s, to, 0)
			defer v.hangUp()
			for i := n; i < len(marks) && errs[n] == nil && ctx.Err() == nil; i += againAtOnce {
				src := mix.NewSource(0, 0, 1)
				src.rng, src.seq = marks[i].rng, marks[i].seq
				all[i], errs[n] = v.answer(ctx, src)
			}
		})
	}
	wg.Wait()
	return all, errors.Join(append(errs, ctx.Err())...)
}

// Asked returns what Answer.Sent says of the request with a mark; "" if s cannot be compiled.
func (s *Scenario) Asked(at Mark) string {
	for _, sent := range s.Drawn(at) {
		return (&message{raw: []byte(sent)}).what()
	}
	return ""
}

// Drawn returns the requests with these marks, as HTTP/1.1 to some host; nil if s cannot be compiled.
func (s *Scenario) Drawn(marks ...Mark) (all []string) {
	mix, err := s.Compile("localhost", Options{Loose: true, Shapes: true})
	if err != nil {
		return nil
	}
	src := mix.NewSource(0, 0, 1)
	for _, at := range marks {
		src.rng, src.seq = at.rng, at.seq
		all = append(all, string(src.Next(nil, new(Want))))
	}
	return all
}

// first sends the first request of a load, on a connection of its own, and returns its contract and the response,
// which must come within a time.
func (s *Scenario) first(ctx context.Context, to endpoint.Endpoint, within time.Duration, o Options) (*Want,
	*http1.Response, error) {
	v := newVerifier(s, to, 0)
	v.timeout = within
	defer v.hangUp()
	o.Scheme, o.HTTP2, o.Loose = to.Scheme(), to.HTTP2, true
	mix, err := s.Compile(to.Authority(), o)
	if err != nil {
		return nil, nil, err
	}
	w := new(Want)
	resp, _, err := v.exchange(ctx, v.draw(mix.NewSource(1, 0, 1), w), w.Head)
	return w, resp, err
}
