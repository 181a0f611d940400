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

	"dyno/internal/foreign"
	"dyno/internal/wire"
)

// message is a request with drawn values, as HTTP/1.1.
type message string

// draw draws the next request.
func draw(src *Source, w *Want) message { return message(src.Next(nil, w)) }

// target returns the method and the path, with secrets masked.
func (m message) target() string {
	line, _, _ := strings.Cut(string(m), "\r\n")
	return foreign.Mask(strings.TrimSuffix(line, " HTTP/1.1"))
}

// withCookies returns m with these cookies.
func (m message) withCookies(pairs string) message {
	head, body, _ := strings.Cut(string(m), "\r\n\r\n")
	return message(head + "\r\nCookie: " + pairs + "\r\n\r\n" + body)
}

// exchange sends one request and reads the whole response on v's connection, which it opens if there is none.
func (v *verifier) exchange(ctx context.Context, m message, head bool) (*wire.Response, error) {
	if v.to.HTTP2 {
		return v.exchange2(ctx, m, head)
	}
	if v.conn == nil {
		var d net.Dialer
		conn, err := v.to.Dial(ctx, &d)
		if err != nil {
			return nil, err
		}
		v.conn = conn
	}
	v.conn.SetDeadline(time.Now().Add(v.timeout))
	if _, err := io.WriteString(v.conn, string(m)); err != nil {
		return nil, fmt.Errorf("the server closed a connection that it should keep alive: %w", err)
	}
	var answer []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := v.conn.Read(buf)
		answer = append(answer, buf[:n]...)
		ended := errors.Is(err, io.EOF)
		resp, perr := wire.WholeResponse(answer, head, ended)
		if err != nil && !ended {
			return nil, v.unread(err, len(answer))
		}
		switch {
		case perr == nil && len(answer) > resp.TotalBytes:
			more := answer[resp.TotalBytes:]
			return nil, fmt.Errorf("%d extra bytes after the response: %s", len(more), quote(more))
		case perr == nil:
			return &resp, nil
		case ended:
			return nil, v.unread(err, len(answer))
		case !errors.Is(perr, wire.ErrIncomplete):
			return nil, fmt.Errorf("the response is not HTTP/1.1: %w", perr)
		}
	}
}

// unread returns the error for a response that stopped after n bytes.
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

func (v *verifier) hangUp() {
	if v.conn != nil {
		v.conn.Close()
		v.conn = nil
	}
	if v.http2 != nil {
		v.http2.CloseIdleConnections()
		v.http2 = nil
	}
}

// quote shows the first bytes of a body with secrets masked.
func quote(b []byte) string {
	if len(b) > 60 {
		return fmt.Sprintf("%.60q… (%d bytes)", foreign.Received(string(b[:min(len(b), 8<<10)])), len(b))
	}
	return fmt.Sprintf("%q", foreign.Received(string(b)))
}

// Probe returns a function that sends the first loaded request on a new connection. The error is nil if the
// response has the right status.
func (s *Scenario) Probe(delay time.Duration) func(ctx context.Context, to wire.Endpoint) error {
	return func(ctx context.Context, to wire.Endpoint) error {
		w, resp, err := s.first(ctx, to, verifyTimeout+delay, Options{})
		if err == nil && !w.Accepts(resp.Status) {
			err = fmt.Errorf("status %d; want %s", resp.Status, w.statuses())
		}
		return err
	}
}

// Answer is a server's response to a scenario request.
type Answer struct {
	Index    int    // index in Scenario.Requests
	Drawn    bool   // the request has placeholders, so other draws were sent too
	Sent     string // request line without the protocol: "GET /users/7"
	Response *wire.Response
	Mark     Mark
}

// Answers sends the loaded requests to a server without judging the responses. Requests with placeholders are
// sent several times; every call draws the same values.
func (s *Scenario) Answers(ctx context.Context, to wire.Endpoint) ([]Answer, error) {
	v := newVerifier(s, to, 0)
	defer v.hangUp()
	var all []Answer
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Weight == 0 {
			continue
		}
		mix, err := s.compileOne(r, to.Authority())
		if err != nil {
			return nil, err
		}
		times, src := 1, mix.NewSource(uint64(i)+1, 0, 1)
		if mix.templates[0].drawn {
			times = draws
		}
		for range times {
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

// Safe reports whether the method changes no state (RFC 9110, section 9.2.1).
func (r *Request) Safe() bool {
	switch r.Method {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// answer sends the next request from src.
func (v *verifier) answer(ctx context.Context, src *Source) (Answer, error) {
	var w Want
	m := draw(src, &w)
	resp, err := v.exchange(ctx, m, w.Head)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: %w", m.target(), err)
	}
	if resp.Close {
		v.hangUp()
	}
	return Answer{Index: w.Index, Drawn: w.from != nil && w.from.drawn, Sent: m.target(), Response: resp,
		Mark: w.Mark()}, nil
}

// MostInTurn limits the number of InTurn's requests, mostInTurnBytes their response bodies.
const (
	MostInTurn      = 3000
	mostInTurnBytes = 16 << 20
)

// InTurn sends requests as a load draws them, but one after another, without judging the responses. Every
// call sends the same requests in the same order: at least one, at most that many, and none after that
// time. After an error it returns the answers so far.
func (s *Scenario) InTurn(ctx context.Context, to wire.Endpoint, most int, within time.Duration) (all []Answer,
	err error) {
	mix, err := s.mixed(to)
	if err != nil {
		return nil, err
	}
	v := newVerifier(s, to, 0)
	defer v.hangUp()
	src, began, size := mix.NewSource(1, 0, 1), time.Now(), 0
	for len(all) == 0 || len(all) < most && size < mostInTurnBytes && time.Since(began) < within {
		a, err := v.answer(ctx, src)
		if err != nil {
			return all, err
		}
		all, size = append(all, a), size+len(a.Response.Body)
	}
	return all, nil
}

// mixed compiles s for requests whose responses are not judged.
func (s *Scenario) mixed(to wire.Endpoint) (*Mix, error) {
	return s.Compile(to.Authority(), Options{Loose: true, Shapes: true})
}

// againAtOnce is the number of connections that Again uses.
const againAtOnce = 16

// Again sends the requests with these marks once more, without judging the responses. It uses several
// connections, because handlers may be slow.
func (s *Scenario) Again(ctx context.Context, to wire.Endpoint, marks []Mark) ([]Answer, error) {
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

// Asked returns Answer.Sent for the request with a mark; "" if s cannot be compiled.
func (s *Scenario) Asked(at Mark) string {
	for _, sent := range s.Drawn(at) {
		return message(sent).target()
	}
	return ""
}

// Drawn returns the requests with these marks, as HTTP/1.1 to localhost; nil if s cannot be compiled.
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

// first sends a load's first request on a new connection. It returns the contract and the response, which
// must come within a time.
func (s *Scenario) first(ctx context.Context, to wire.Endpoint, within time.Duration, o Options) (*Want,
	*wire.Response, error) {
	v := newVerifier(s, to, 0)
	v.timeout = within
	defer v.hangUp()
	o.Loose = true
	mix, err := s.Compile(to.Authority(), o)
	if err != nil {
		return nil, nil, err
	}
	w := new(Want)
	resp, err := v.exchange(ctx, draw(mix.NewSource(1, 0, 1), w), w.Head)
	return w, resp, err
}
