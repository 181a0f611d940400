package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"dyno/internal/http1"
)

// exchange sends one request and reads the whole response, on the connection of v, which it opens
// if there is none. It returns the response parsed and as received.
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
		return nil, nil, fmt.Errorf("the server closed a connection that should be kept alive: %w", err)
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
			more := answer[resp.TotalBytes:]
			return nil, nil, fmt.Errorf("%d bytes follow the answer: %s", len(more), quote(more))
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

// Probe returns a function that sends the first loaded request, on a connection of its own. Its
// error is nil if the response has the right status.
func (s *Scenario) Probe(delay time.Duration) func(ctx context.Context, network, addr string) error {
	return func(ctx context.Context, network, addr string) error {
		w, resp, err := s.first(ctx, network, addr, delay)
		if err == nil && !w.Accepts(resp.Status) {
			err = fmt.Errorf("status %d; want %s", resp.Status, w.statuses())
		}
		return err
	}
}

// first sends the first request of a load, on a connection of its own.
func (s *Scenario) first(ctx context.Context, network, addr string, delay time.Duration) (*Want, *http1.Response,
	error) {
	v := newVerifier(s, network, addr, delay)
	defer v.hangUp()
	mix, err := s.compile(addr, Options{}, true)
	if err != nil {
		return nil, nil, err
	}
	w := new(Want)
	raw := mix.NewSource(1, 0, 1).Next(nil, w)
	resp, _, err := v.exchange(ctx, raw, w.Head)
	return w, resp, err
}
