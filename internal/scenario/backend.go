package scenario

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"dyno/internal/conf"
	"dyno/internal/wire"
)

// BackendAddr returns the backend's address from the environment; "" if s needs no backend.
func (s *Scenario) BackendAddr() (string, error) {
	addr := os.Getenv("DYNO_BACKEND")
	switch {
	case s.Backend == "":
		return "", nil
	case addr == "":
		return "", conf.Usagef("scenario %s: contestants call the backend %s; set its address: DYNO_BACKEND=host:port",
			s.Name, s.Backend)
	}
	return addr, nil
}

// bound returns an error if s still needs Bind.
func (s *Scenario) bound() error {
	for i := range s.Requests {
		if e := &s.Requests[i].Expect; e.JSONOf != "" && e.JSON == nil {
			return fmt.Errorf("scenario %s: the responses of the backend %s are unknown; call Bind first",
				s.Name, s.Backend)
		}
	}
	return nil
}

// Bind returns s with the backend's present responses as expected bodies. It calls get once per backend path.
func (s *Scenario) Bind(get func(path string) ([]byte, error)) (*Scenario, error) {
	said := map[string]*string{}
	for i := range s.Requests {
		path := s.Requests[i].Expect.JSONOf
		if path == "" || said[path] != nil {
			continue
		}
		body, err := get(path)
		if err == nil {
			_, err = ReadJSON(body)
		}
		if err != nil {
			return nil, fmt.Errorf("request %s from the backend %s: %w", path, s.Backend, err)
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

// Ask returns a get function for Bind that asks the backend.
func Ask(ctx context.Context, backend wire.Endpoint) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, backend.Authority())
		return exchangeOnce(ctx, backend, request, http.StatusOK)
	}
}

// Tell sets the number of records in the backend's responses, and the seed for drawing them.
func Tell(ctx context.Context, backend wire.Endpoint, records int, seed uint64) error {
	request := fmt.Sprintf("POST /control?records=%d&seed=%d HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n",
		records, seed, backend.Authority())
	_, err := exchangeOnce(ctx, backend, request, http.StatusNoContent)
	return err
}

// exchangeOnce sends a request on a new connection. It returns the response body and requires this status.
func exchangeOnce(ctx context.Context, to wire.Endpoint, request string, status int) ([]byte, error) {
	v := newVerifier(nil, to, 0)
	defer v.hangUp()
	resp, _, err := v.exchange(ctx, message{raw: []byte(request)}, false)
	if err == nil && resp.Status != status {
		err = fmt.Errorf("status %d; want %d", resp.Status, status)
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Direct returns the scenario that measures the backend alone: it sends the requests that contestants send to
// the backend. Bind must have set the expected bodies.
func (s *Scenario) Direct() *Scenario {
	own := &Scenario{Name: s.Name, Title: s.Title}
	for _, r := range s.Requests {
		if r.Weight == 0 || r.Expect.JSONOf == "" || r.Expect.JSON == nil {
			continue
		}
		e := Expect{Status: http.StatusOK, Body: r.Expect.JSON, Verbatim: true, Headers: r.Expect.Headers}
		own.Requests = append(own.Requests, Request{Name: r.Name, Method: http.MethodGet, Path: r.Expect.JSONOf,
			Weight: r.Weight, Expect: e})
	}
	return own
}
