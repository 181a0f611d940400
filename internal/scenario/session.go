package scenario

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

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
	draws, err := v.s.compileOne(p.set, v.to.Authority(), optionsFor(v.to))
	values, err2 := v.s.compileOne(&stored, v.to.Authority(), optionsFor(v.to))
	p.draws, p.values = draws.NewSource(seed, 0, 1), values.NewSource(seed, 0, 1)
	return p, errors.Join(err, err2)
}

// sets stores a new value in the session.
func (p *visitor) sets(ctx context.Context) error {
	var w, value Want
	m := p.draw(p.draws, &w)
	p.values.Next(nil, &value)
	p.holds = string(value.Body)
	return p.visit(ctx, p.set, &w, m)
}

// gets reads the session's content.
func (p *visitor) gets(ctx context.Context) error {
	mix, err := p.s.compileOne(p.get, p.to.Authority(), optionsFor(p.to))
	if err != nil {
		return err
	}
	var w Want
	m := p.draw(mix.NewSource(1, 0, 1), &w)
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
	resp, _, err := p.ask(ctx, r, w, m)
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

// sessions verifies, with two visitors who take turns on one connection, that a session keeps its content,
// also across connections. The content must not be visible to the other visitor, to one without a cookie, or
// to one with an invented cookie.
func (v *verifier) sessions(ctx context.Context, set, get int) error {
	var all [4]*visitor
	for i := range all {
		var err error
		if all[i], err = v.visitor(set, get, uint64(i)+1); err != nil {
			return err
		}
	}
	ann, bob, nobody, liar := all[0], all[1], all[2], all[3]
	another := func(context.Context) error { v.hangUp(); return nil }
	invent := func(context.Context) error { liar.cookies = map[string]string{v.s.Session: invented}; return nil }
	for _, step := range []func(context.Context) error{
		ann.sets, ann.gets, bob.sets, bob.gets, ann.gets, nobody.gets, invent, liar.gets,
		another, ann.gets, ann.sets, ann.gets, bob.gets,
	} {
		if len(v.broken) > 0 { // later steps would only show consequences
			return nil
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	if a, b := ann.cookies[v.s.Session], bob.cookies[v.s.Session]; a == b {
		v.bad(ann.set, message{}, "session", "two visitors were given one session, %s", foreign.Value("cookie", a))
	}
	return nil
}

// VerifyTogether verifies that sessions stay apart when many visitors come at once, each on a separate
// connection. Every visitor stores a value and reads it, several times. Verify must have checked the declared
// differences. If s has no such requests, VerifyTogether does nothing.
func VerifyTogether(ctx context.Context, s *Scenario, to wire.Endpoint, visitors, times int,
	delay time.Duration) error {
	set, get := s.keepers()
	if set < 0 {
		return nil
	}
	errs := make([]error, visitors)
	var all sync.WaitGroup
	for i := range visitors {
		all.Go(func() {
			v := newVerifier(s, to, delay, chunkedKey, noContentTypeKey, NoDate)
			defer v.hangUp()
			p, err := v.visitor(set, get, uint64(i)+1000)
			for n := 0; n < times && err == nil && len(v.broken) == 0; n++ {
				if err = p.sets(ctx); err == nil {
					err = p.gets(ctx)
				}
			}
			errs[i] = errors.Join(append(v.broken, err)...)
		})
	}
	all.Wait()
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i] // the others would repeat it
}
