package scenario

import (
	"context"
	"fmt"
	"net/http"
)

// bound is an error if s needs Bind first.
func (s *Scenario) bound() error {
	for i := range s.Requests {
		if e := &s.Requests[i].Expect; e.JSONOf != "" && e.JSON == nil {
			return fmt.Errorf("scenario %s: what the companion %s answers is not known: bind it first", s.Name, s.Companion)
		}
	}
	return nil
}

// Bind is s with what the companion answers now, which get asks for once for each of its paths.
func (s *Scenario) Bind(get func(path string) ([]byte, error)) (*Scenario, error) {
	said := map[string]*string{}
	for i := range s.Requests {
		path := s.Requests[i].Expect.JSONOf
		if path == "" || said[path] != nil {
			continue
		}
		body, err := get(path)
		if err == nil {
			_, err = readJSON(body)
		}
		if err != nil {
			return nil, fmt.Errorf("ask the companion %s for %s: %w", s.Companion, path, err)
		}
		text := string(body)
		said[path] = &text
	}
	if len(said) == 0 {
		return s, nil
	}
	return s.each(func(_ int, r *Request) {
		if text := said[r.Expect.JSONOf]; text != nil {
			r.Expect.JSON = text
		}
	}), nil
}

// Ask returns a function for Bind that gets a path from the companion at addr.
func Ask(ctx context.Context, network, addr string) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		return exchangeOnce(ctx, network, addr, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, addr), http.StatusOK)
	}
}

// Tell sets how many records the companion at addr answers with, and by their seed which.
func Tell(ctx context.Context, network, addr string, records int, seed uint64) error {
	_, err := exchangeOnce(ctx, network, addr,
		fmt.Sprintf("POST /control?records=%d&seed=%d HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", records, seed, addr), http.StatusNoContent)
	return err
}

// exchangeOnce sends a request on a connection of its own and returns the body of the answer, which must have that status.
func exchangeOnce(ctx context.Context, network, addr, request string, status int) ([]byte, error) {
	v := verifier{network: network, addr: addr, timeout: verifyTimeout}
	defer v.hangUp()
	resp, _, err := v.exchange(ctx, []byte(request), false)
	if err == nil && resp.Status != status {
		err = fmt.Errorf("status %d; want %d", resp.Status, status)
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Direct is what contestants ask the companion for in s, asked of the companion itself: what it can do alone. s is bound; it must answer those bytes.
func (s *Scenario) Direct() *Scenario {
	own := &Scenario{Name: s.Name, Title: s.Title}
	for _, r := range s.Requests {
		if r.Weight == 0 || r.Expect.JSONOf == "" || r.Expect.JSON == nil {
			continue
		}
		own.Requests = append(own.Requests, Request{Name: r.Name, Method: http.MethodGet, Path: r.Expect.JSONOf, Weight: r.Weight,
			Expect: Expect{Status: http.StatusOK, Body: r.Expect.JSON, Verbatim: true, Headers: r.Expect.Headers}})
	}
	return own
}
