package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// each is s with every request changed by change, which must not change what its maps hold.
func (s *Scenario) each(change func(i int, r *Request)) *Scenario {
	own := *s
	own.Requests = slices.Clone(s.Requests)
	for i := range own.Requests {
		change(i, &own.Requests[i])
	}
	return &own
}

// At is s as it is asked of a contestant that has paths of its own: scenario's path = its path, or, for a key that ends in "/" ("/" itself
// apart), all below it. The longest key goes first; queries stay.
func (s *Scenario) At(paths map[string]string) *Scenario {
	if len(paths) == 0 {
		return s
	}
	return s.each(func(_ int, r *Request) {
		path, query, asks := strings.Cut(r.Path, "?")
		best := ""
		for key := range paths {
			below := len(key) > 1 && strings.HasSuffix(key, "/") && strings.HasPrefix(path, key)
			if (key == path || below) && len(key) > len(best) {
				best = key
			}
		}
		if best == "" {
			return
		}
		if r.Path = paths[best] + path[len(best):]; asks {
			r.Path += "?" + query
		}
	})
}

// Excuse is the scenario as it is checked under load for a contestant with these declared differences: Verify has proved that they are all.
func (s *Scenario) Excuse(differs []string) *Scenario {
	for _, d := range differs {
		if key, _, _ := strings.Cut(d, ":"); strings.TrimSpace(key) != NoContentType {
			continue
		}
		return s.each(func(_ int, r *Request) {
			r.Expect.Headers = maps.Clone(r.Expect.Headers)
			maps.DeleteFunc(r.Expect.Headers, func(name, _ string) bool { return strings.EqualFold(name, "content-type") })
		})
	}
	return s
}

// Exact is s as it is loaded: where it leaves open which bytes keep the contract, those that Verify saw and accepted do, and no others.
func (s *Scenario) Exact(seen *Observed) *Scenario {
	if seen == nil || !slices.ContainsFunc(s.Requests, func(r Request) bool { return r.Expect.loose() }) {
		return s
	}
	return s.each(func(i int, r *Request) {
		if body, ok := seen.Bodies[i]; ok && r.Expect.loose() {
			text := string(body)
			e := &r.Expect
			e.Body, e.Verbatim, e.Collapse, e.JSON, e.JSONOf = &text, true, false, nil, ""
		}
	})
}

// Pin is Exact for a server that no Verify has seen: what is to be loaded, and leaves open which bytes keep the contract, is asked for and judged now.
func (s *Scenario) Pin(ctx context.Context, network, addr, host string) (*Scenario, error) {
	if err := s.bound(); err != nil {
		return nil, err
	}
	v := verifier{s: s, network: network, addr: addr, host: host, timeout: verifyTimeout, seen: map[string]bool{}, given: map[string]bool{},
		declared: map[string]bool{Chunked: true, NoContentType: true}, out: &Observed{Framing: map[string]string{}, Bodies: map[int][]byte{}}}
	defer v.hangUp()
	for i := range s.Requests {
		if r := &s.Requests[i]; r.Weight == 0 || !r.Expect.loose() {
			continue
		}
		if err := v.request(ctx, i); err != nil {
			return nil, err
		}
	}
	return s.Exact(v.out), errors.Join(v.broken...)
}

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
		v := verifier{network: network, addr: addr, timeout: verifyTimeout}
		defer v.hangUp()
		resp, _, err := v.exchange(ctx, fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, addr), false)
		if err == nil && resp.Status != http.StatusOK {
			err = fmt.Errorf("status %d; want %d", resp.Status, http.StatusOK)
		}
		if err != nil {
			return nil, err
		}
		return resp.Body, nil
	}
}
