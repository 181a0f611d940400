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

	"dyno/internal/http1"
)

// sessionOf is the session that an answer gives, or "".
func (s *Scenario) sessionOf(resp *http1.Response) string {
	for _, f := range resp.Fields {
		if !http1.EqualFold([]byte(f.Name), setCookie) {
			continue
		}
		if c, err := http.ParseSetCookie(f.Value); err == nil && c.Name == s.Session {
			return c.Value
		}
	}
	return ""
}

// keepers are the requests by which it can be proved that a session keeps what it is given: one that gives it something drawn, one that asks for
// it. Set is below 0 if there are none.
func (s *Scenario) keepers() (set, get int) {
	set = slices.IndexFunc(s.Requests, func(r Request) bool { return r.Remembers != "" && len(r.With) > 0 && r.Expect.Session })
	get = slices.IndexFunc(s.Requests, func(r Request) bool { return r.Expect.Recalls })
	if get < 0 {
		set = -1
	}
	return set, get
}

// visitor is one of those whose sessions must be kept apart.
type visitor struct {
	*verifier
	set, get *Request
	cookies  map[string]string
	draws    *Source // of set
	values   *Source // the same draws, the contract of which is what set is to be remembered for
	holds    string
}

func (v *verifier) visitor(set, get int, seed uint64) (*visitor, error) {
	p := &visitor{verifier: v, set: &v.s.Requests[set], get: &v.s.Requests[get], cookies: map[string]string{}}
	for _, to := range []**Source{&p.draws, &p.values} {
		r := *p.set
		if to == &p.values {
			r.Expect = Expect{Status: http.StatusOK, Body: &r.Remembers}
		}
		mix, err := v.s.one(&r, v.addr, Options{})
		if err != nil {
			return nil, err
		}
		*to = mix.NewSource(seed, 0, 1)
	}
	return p, nil
}

// sets gives the session something new to hold.
func (p *visitor) sets(ctx context.Context) error {
	var w, value Want
	raw := p.draws.Next(nil, &w)
	p.values.Next(nil, &value)
	p.holds = string(value.Body)
	return p.visit(ctx, p.set, &w, raw)
}

// gets asks what the session holds.
func (p *visitor) gets(ctx context.Context) error {
	mix, err := p.s.one(p.get, p.addr, Options{})
	if err != nil {
		return err
	}
	var w Want
	raw := mix.NewSource(1, 0, 1).Next(nil, &w)
	w.Body = []byte(p.holds)
	return p.visit(ctx, p.get, &w, raw)
}

// visit sends raw with the visitor's cookies, and takes those of the answer.
func (p *visitor) visit(ctx context.Context, r *Request, w *Want, raw []byte) error {
	had := p.cookies[p.s.Session]
	if had != "" {
		w.Headers = slices.DeleteFunc(slices.Clone(w.Headers), func(h Header) bool { return h.Cookie })
	}
	if len(p.cookies) > 0 {
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(p.cookies)) {
			pairs = append(pairs, name+"="+p.cookies[name])
		}
		head, body, _ := strings.Cut(string(raw), "\r\n\r\n")
		raw = []byte(head + "\r\nCookie: " + strings.Join(pairs, "; ") + "\r\n\r\n" + body)
	}
	resp, _, err := p.ask(ctx, r, w, raw)
	if err != nil {
		return err
	}
	for _, f := range resp.Fields {
		if !http1.EqualFold([]byte(f.Name), setCookie) {
			continue
		}
		if c, err := http.ParseSetCookie(f.Value); err == nil {
			p.cookies[c.Name] = c.Value
		}
	}
	if now := p.cookies[p.s.Session]; had != "" && had != stranger && now != had {
		p.bad(r, raw, "session", "a request of session %s is given another, %s", quote([]byte(had)), quote([]byte(now)))
	}
	return nil
}

// stranger is a session that no server gave.
const stranger = "00000000-0000-4000-8000-000000000000"

// sessions proves, with two visitors who take turns on one connection, that what one gives is kept, also on another connection, and that neither the
// other, nor one without a cookie, nor one who makes a cookie up is shown it.
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
	invent := func(context.Context) error { liar.cookies = map[string]string{v.s.Session: stranger}; return nil }
	for _, step := range []func(context.Context) error{
		ann.sets, ann.gets, bob.sets, bob.gets, ann.gets, nobody.gets, invent, liar.gets, another, ann.gets, ann.sets, ann.gets, bob.gets,
	} {
		if len(v.broken) > 0 { // what follows from it would tell nothing
			return nil
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	if a, b := ann.cookies[v.s.Session], bob.cookies[v.s.Session]; a == b {
		v.bad(ann.set, nil, "session", "two visitors were given one session, %s", quote([]byte(a)))
	}
	return nil
}

// VerifyTogether proves that sessions are kept apart where many visitors come at once, each with a connection of its own: everyone gives the
// session something and asks for it, several times. It is nil without doing anything where s has no such requests.
func VerifyTogether(ctx context.Context, s *Scenario, network, addr string, visitors, times int, delay time.Duration) error {
	set, get := s.keepers()
	if set < 0 {
		return nil
	}
	errs := make([]error, visitors)
	var all sync.WaitGroup
	for i := range visitors {
		all.Go(func() {
			v := &verifier{s: s, network: network, addr: addr, timeout: verifyTimeout + delay, seen: map[string]bool{}, out: &Observed{},
				declared: map[string]bool{Chunked: true, NoContentType: true}} // which Verify has judged
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
	for _, err := range errs { // the others tell the same
		if err != nil {
			return err
		}
	}
	return nil
}
