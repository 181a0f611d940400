package scenario

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
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

// Pin is Exact for a server that no Verify has seen.
func (s *Scenario) Pin(ctx context.Context, network, addr, host string) (*Scenario, error) {
	seen, err := s.Look(ctx, network, addr, host)
	if err != nil {
		return nil, err
	}
	return s.Exact(seen), nil
}

// Look is as much of Verify as Exact needs: what is to be loaded, and leaves open which bytes keep the contract, is asked for and judged.
func (s *Scenario) Look(ctx context.Context, network, addr, host string) (*Observed, error) {
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
	return v.out, errors.Join(v.broken...)
}

// Mixed is s with what is only verified loaded too, where that can be: one request in nine or so. A server cannot tell then by what it is
// asked whether it is verified or loaded.
func (s *Scenario) Mixed() *Scenario {
	loaded, others := 0, 0
	for i := range s.Requests {
		if r := &s.Requests[i]; r.mixes() {
			others++
		} else {
			loaded += r.Weight
		}
	}
	if s.Session != "" || others == 0 || loaded > maxWeight/(8*others) {
		return s
	}
	return s.each(func(_ int, r *Request) {
		if r.mixes() {
			r.Weight = loaded
		} else {
			r.Weight *= 8 * others
		}
	})
}

// mixes reports whether r, which is never loaded, can be: alone, to the byte, on a connection that goes on.
func (r *Request) mixes() bool {
	return r.Weight == 0 && !r.Expect.loose() && !r.Expect.Recalls && r.Remembers == "" && !r.closes()
}

// waited is how many requests Waits asks for at the most.
const waited = 5

// Waits proves that the handlers of what is loaded wait for delay before they answer.
func (s *Scenario) Waits(ctx context.Context, network, addr string, delay time.Duration) error {
	v := verifier{s: s, network: network, addr: addr, timeout: verifyTimeout + delay, delay: delay, seen: map[string]bool{}, given: map[string]bool{},
		declared: map[string]bool{Chunked: true, NoContentType: true}, out: &Observed{Framing: map[string]string{}, Bodies: map[int][]byte{}}}
	defer v.hangUp()
	for i := range s.Requests {
		if r := &s.Requests[i]; r.Weight == 0 || v.out.Requests >= waited {
			continue
		}
		if err := v.request(ctx, i); err != nil {
			return err
		}
	}
	return errors.Join(v.broken...)
}
