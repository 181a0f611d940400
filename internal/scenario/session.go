package scenario

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"dyno/internal/foreign"
	"dyno/internal/wire"
)

// setCookies returns the cookies that a response sets.
func setCookies(resp *wire.Response) []*http.Cookie {
	header := http.Header{}
	for _, f := range resp.Fields {
		if wire.EqualFold([]byte(f.Name), setCookie) {
			header.Add("Set-Cookie", f.Value)
		}
	}
	return (&http.Response{Header: header}).Cookies()
}

// sessionOf returns the session that a response sets; "" if it sets none.
func (s *Scenario) sessionOf(resp *wire.Response) string {
	for _, c := range setCookies(resp) {
		if c.Name == s.Session {
			return c.Value
		}
	}
	return ""
}

// keepers returns the requests that test whether a session keeps its content: one that stores a drawn value,
// and one that reads it. set is negative if there are none.
func (s *Scenario) keepers() (set, get int) {
	set = slices.IndexFunc(s.Requests, func(r Request) bool {
		return r.Remembers != "" && len(r.With) > 0 && r.Expect.Session
	})
	get = slices.IndexFunc(s.Requests, func(r Request) bool { return r.Expect.Recalls })
	if get < 0 {
		set = -1
	}
	return set, get
}

// visitor is a client with one session.
type visitor struct {
	*verifier
	set, get *Request
	cookies  map[string]string
	draws    *Source // draws for set
	values   *Source // the same draws; the expected body is the stored value
	holds    string  // content of the session
}

func (v *verifier) visitor(set, get int, seed uint64) (*visitor, error) {
	p := &visitor{verifier: v, set: &v.s.Requests[set], get: &v.s.Requests[get], cookies: map[string]string{}}
	stored := *p.set
	stored.Expect = Expect{Status: http.StatusOK, Body: &stored.Remembers}
	draws, err := v.s.compileOne(p.set, v.to.Authority())
	values, err2 := v.s.compileOne(&stored, v.to.Authority())
	p.draws, p.values = draws.NewSource(seed, 0, 1), values.NewSource(seed, 0, 1)
	return p, errors.Join(err, err2)
}

// sets stores a new value in the session.
func (p *visitor) sets(ctx context.Context) error {
	var w, value Want
	m := draw(p.draws, &w)
	p.values.Next(nil, &value)
	p.holds = string(value.Body)
	return p.visit(ctx, p.set, &w, m)
}

// gets reads the session's content.
func (p *visitor) gets(ctx context.Context) error {
	mix, err := p.s.compileOne(p.get, p.to.Authority())
	if err != nil {
		return err
	}
	var w Want
	m := draw(mix.NewSource(1, 0, 1), &w)
	w.Body = []byte(p.holds)
	return p.visit(ctx, p.get, &w, m)
}

// visit sends m with the visitor's cookies, and keeps the cookies in the response.
func (p *visitor) visit(ctx context.Context, r *Request, w *Want, m message) error {
	had := p.cookies[p.s.Session]
	if had != "" { // the response need not set the session again
		w.Headers = slices.DeleteFunc(slices.Clone(w.Headers), func(h Header) bool { return h.Cookie })
	}
	if len(p.cookies) > 0 {
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(p.cookies)) {
			pairs = append(pairs, name+"="+p.cookies[name])
		}
		m = m.withCookies(strings.Join(pairs, "; "))
	}
	resp, err := p.ask(ctx, r, w, m)
	if err != nil {
		return err
	}
	for _, c := range setCookies(resp) {
		p.cookies[c.Name] = c.Value
	}
	if now := p.cookies[p.s.Session]; had != "" && had != invented && now != had {
		p.bad(r, m, "session",
			"a request with session %s was given another session, "+
				"%s", foreign.Value("cookie", had), foreign.Value("cookie", now))
	}
	return nil
}

// invented is a session id that no server has issued.
const invented = "00000000-0000-4000-8000-000000000000"

// visitors is the number of visitors at once; each stores a value and reads it several times.
const visitors, visits = 8, 20

// sessions verifies, with many visitors at once, each on a connection of its own and then on another, that a
// session keeps its content. The content must not be visible to the other visitors, to one without a cookie, or to
// one with an invented cookie.
func (v *verifier) sessions(ctx context.Context, set, get int) error {
	all, errs := make([]*visitor, visitors), make([]error, visitors)
	var running sync.WaitGroup
	for i := range all {
		own := newVerifier(v.s, v.to, v.delay, chunkedKey, noContentTypeKey, NoDate) // as requests has found them
		p, err := own.visitor(set, get, uint64(i)+1)
		if err != nil {
			return err
		}
		all[i] = p
		running.Go(func() {
			defer p.hangUp()
			for n := 0; n < visits && errs[i] == nil && len(p.broken) == 0; n++ {
				if errs[i] = p.sets(ctx); errs[i] == nil {
					errs[i] = p.gets(ctx)
				}
				if n == visits/2 {
					p.hangUp()
				}
			}
		})
	}
	running.Wait()
	given := map[string]bool{}
	for i, p := range all {
		id := p.cookies[v.s.Session]
		if len(p.broken) == 0 && errs[i] == nil && given[id] {
			p.bad(p.set, "", "session", "two visitors were given one session, %s", foreign.Value("cookie", id))
		}
		if given[id] = true; len(p.broken) > 0 || errs[i] != nil { // the others would repeat it
			v.broken = append(v.broken, p.broken...)
			return errs[i]
		}
	}
	for _, cookies := range []map[string]string{{}, {v.s.Session: invented}} {
		p, err := v.visitor(set, get, 0)
		if err != nil {
			return err
		}
		if p.cookies = cookies; len(v.broken) == 0 {
			if err := p.gets(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
