package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"dyno/internal/endpoint"
	"dyno/internal/http1"
)

// exchange sends one request and reads the whole response, on the connection of v, which it opens
// if there is none. It returns the response parsed and as received.
func (v *verifier) exchange(ctx context.Context, raw []byte, head bool) (*http1.Response, []byte, error) {
	if v.conn == nil {
		var d net.Dialer
		conn, err := v.to.Dial(ctx, &d)
		if err != nil {
			return nil, nil, err
		}
		v.conn = conn
	}
	v.conn.SetDeadline(time.Now().Add(v.timeout))
	if _, err := v.conn.Write(raw); err != nil {
		return nil, nil, fmt.Errorf("the server closed a connection that it should keep alive: %w", err)
	}
	var answer []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := v.conn.Read(buf)
		answer = append(answer, buf[:n]...)
		ended := errors.Is(err, io.EOF)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && len(answer) == 0:
			return nil, nil, fmt.Errorf("the server accepted the connection, but sent no response within %v; "+
				"check what it waits for", v.timeout)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, nil, fmt.Errorf("the server sent %d bytes, but not the whole response, within %v", len(answer),
				v.timeout)
		case err != nil && !ended:
			return nil, nil, fmt.Errorf("read the response: %w", err)
		}
		resp, perr := http1.Whole(answer, head, ended)
		switch {
		case perr == nil && len(answer) > resp.TotalBytes:
			more := answer[resp.TotalBytes:]
			return nil, nil, fmt.Errorf("%d extra bytes after the response: %s", len(more), quote(more))
		case perr == nil:
			return &resp, answer, nil
		case ended:
			return nil, nil, fmt.Errorf("the connection ended within the response, after %d bytes", len(answer))
		case !errors.Is(perr, http1.ErrIncomplete):
			return nil, nil, fmt.Errorf("the response is not HTTP/1.1: %w", perr)
		}
	}
}

// over returns the options of requests to a server.
func over(to endpoint.Endpoint) Options { return Options{Scheme: to.Scheme(), Absolute: to.Absolute()} }

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
}

// Answers sends the loaded requests of s to a server and judges no answer. One with placeholders is
// sent several times; the same values are drawn by every call.
func (s *Scenario) Answers(ctx context.Context, to endpoint.Endpoint) ([]Answer, error) {
	v := newVerifier(s, to, 0)
	defer v.hangUp()
	var all []Answer
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Weight == 0 {
			continue
		}
		mix, err := s.one(r, to.Authority(), over(to))
		if err != nil {
			return nil, err
		}
		times, src := 1, mix.NewSource(uint64(i)+1, 0, 1)
		if mix.templates[0].drawn {
			times = draws
		}
		for range times {
			var w Want
			raw := src.Next(nil, &w)
			sent := strings.TrimSuffix(firstLine(raw), " HTTP/1.1")
			resp, _, err := v.exchange(ctx, raw, w.Head)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", sent, err)
			}
			if resp.Close {
				v.hangUp()
			}
			all = append(all, Answer{i, times > 1, sent, resp})
		}
	}
	return all, nil
}

// First sends the first request of a load, on a connection of its own, and returns the response, which
// must come within a time.
func (s *Scenario) First(ctx context.Context, to endpoint.Endpoint, within time.Duration, o Options) (*http1.Response,
	error) {
	_, resp, err := s.first(ctx, to, within, o)
	return resp, err
}

// first does so, and returns the contract of the request too.
func (s *Scenario) first(ctx context.Context, to endpoint.Endpoint, within time.Duration, o Options) (*Want,
	*http1.Response, error) {
	v := newVerifier(s, to, 0)
	v.timeout = within
	defer v.hangUp()
	o.Scheme, o.Absolute = to.Scheme(), to.Absolute()
	mix, err := s.compile(to.Authority(), o, true)
	if err != nil {
		return nil, nil, err
	}
	w := new(Want)
	raw := mix.NewSource(1, 0, 1).Next(nil, w)
	resp, _, err := v.exchange(ctx, raw, w.Head)
	return w, resp, err
}
