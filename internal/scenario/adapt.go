package scenario

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/wire"
)

// each returns a copy of s in which change has changed every request. change must not modify a request's
// maps, which s and the copy share.
func (s *Scenario) each(change func(i int, r *Request)) *Scenario {
	own := *s
	own.Requests = slices.Clone(s.Requests)
	for i := range own.Requests {
		change(i, &own.Requests[i])
	}
	return &own
}

// At returns s for a contestant that serves other paths. Keys are paths in the scenario, values the
// contestant's paths. A key that ends in "/", except "/" itself, means all paths below it. A complete path
// with its query has priority, then the longest matching key. Queries without a key stay unchanged.
func (s *Scenario) At(paths map[string]string) *Scenario {
	if len(paths) == 0 {
		return s
	}
	return s.each(func(_ int, r *Request) {
		path, query, asks := strings.Cut(r.Path, "?")
		if path, ok := paths[r.Path]; ok {
			r.Path = path
			return
		}
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

// Excuse returns s as the load checks it for a contestant with these declared differences. Verify must have
// confirmed that there are no others.
func (s *Scenario) Excuse(differs []string) *Scenario {
	if !Declares(differs, noContentTypeKey) {
		return s
	}
	return s.each(func(_ int, r *Request) {
		r.Expect.Headers = maps.Clone(r.Expect.Headers)
		maps.DeleteFunc(r.Expect.Headers, func(name, _ string) bool { return strings.EqualFold(name, "content-type") })
	})
}

// Exact returns s for a load: where a contract accepts several bodies, the load accepts only the body that
// Verify saw.
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

// Pin does the same as Exact for a server that has not been verified.
func (s *Scenario) Pin(ctx context.Context, to wire.Endpoint) (*Scenario, error) {
	seen, err := s.Inspect(ctx, to)
	if err != nil {
		return nil, err
	}
	return s.Exact(seen), nil
}

// Mixed returns s with most of the verify-only requests in the load: about one request in nine. A server can
// then not tell from such a request whether it is being verified or loaded.
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

// mixes reports whether r, which has no weight, can be loaded: its contract is exact, it needs no session and
// it keeps the connection open.
func (r *Request) mixes() bool {
	return r.Weight == 0 && !r.Expect.loose() && !r.Expect.Recalls && r.Remembers == "" && !r.closes()
}

// Whole reports whether the contract checks the whole body.
func (e *Expect) Whole() bool {
	return e.Body != nil || e.JSON != nil || e.JSONOf != "" || e.Rows != nil || e.Recalls
}

// plain is a Scenario as JSON holds it: with bodies in base64, because they need not be UTF-8.
type plain Scenario

// MarshalJSON encodes s without its Shapes.
func (s *Scenario) MarshalJSON() ([]byte, error) {
	return json.Marshal((*plain)(s.recoded(func(body string) string {
		return base64.StdEncoding.EncodeToString([]byte(body))
	})))
}

// UnmarshalJSON decodes what MarshalJSON has encoded. An unknown field is an error.
func (s *Scenario) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode((*plain)(s))
	*s = *s.recoded(func(text string) string {
		body, bad := base64.StdEncoding.DecodeString(text)
		err = cmp.Or(err, bad)
		return string(body)
	})
	return err
}

// recoded returns a copy of s with all bodies in another code.
func (s *Scenario) recoded(code func(body string) string) *Scenario {
	return s.each(func(_ int, r *Request) {
		r.Body = code(r.Body)
		if r.Expect.Body != nil {
			r.Expect.Body = new(code(*r.Expect.Body))
		}
	})
}

// Required returns the headers, with values, that loaded requests' contracts require.
func (s *Scenario) Required() (all []string) {
	for i := range s.Requests {
		r := &s.Requests[i]
		for _, name := range sortedKeys(r.Expect.Headers) {
			text := strings.TrimSuffix(name+": "+r.Expect.Headers[name], ": ")
			if r.Weight > 0 && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		if cookie := "Set-Cookie: " + s.Session; r.Weight > 0 && r.Expect.Session && !slices.Contains(all, cookie) {
			all = append(all, cookie)
		}
	}
	return all
}

// Open reports whether a loaded request's contract leaves the body open.
func (s *Scenario) Open() bool {
	return slices.ContainsFunc(s.Requests, func(r Request) bool {
		return r.Weight > 0 && r.Method != "HEAD" && !r.Expect.Whole()
	})
}

// Checked describes what a load checks in every response.
func (s *Scenario) Checked() string {
	all, whole, headers := 0, 0, ""
	for i := range s.Requests {
		r := &s.Requests[i]
		if r.Weight == 0 {
			continue
		}
		if all++; r.Method != "HEAD" && r.Expect.Whole() {
			whole++
		}
		if len(r.Expect.Headers) > 0 {
			headers = "; the headers that it requires"
		}
	}
	switch {
	case whole == all:
		return "status and body of every answer" + headers
	case whole == 0:
		return "status alone" + headers
	}
	return fmt.Sprintf("status of every answer, the body of %d of %d requests", whole, all) + headers
}
