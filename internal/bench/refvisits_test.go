package bench

import (
	"crypto/rand"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/scenario"
)

// anyID lets the reference accept any text as a number. The route for numbers then also matches the paths of errors.
func anyID(s *scenario.Scenario) {
	s.Requests = slices.DeleteFunc(s.Requests, func(q scenario.Request) bool { return isError(&q) })
	for i := range s.Requests {
		inputs := map[string]scenario.Input{}
		for name, in := range s.Requests[i].With {
			in.Pick = []string{"any"}
			inputs[name] = in
		}
		s.Requests[i].With = inputs
	}
}

// forgetful lets the reference store nothing in sessions.
func forgetful(s *scenario.Scenario) {
	for i := range s.Requests {
		s.Requests[i].Remembers = ""
	}
}

// waitingAlone waits for mutantDelay before the reference answers, unless there are other requests.
func waitingAlone(_ *scenario.Scenario, h http.Handler) http.Handler {
	var busy atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Add(1) == 1 {
			time.Sleep(mutantDelay)
		}
		defer busy.Add(-1)
		h.ServeHTTP(w, r)
	})
}

// visit is a request with its session cookie, and the cookie in the response; "" for none.
type visit struct{ from, sent, set string }

// changed changes session cookies: before returns the cookie for the reference in place of the sent one, after the
// cookie for the client in place of the set one. They are never called concurrently.
func changed(s *scenario.Scenario, h http.Handler, before, after func(*visit) string) http.Handler {
	var mu sync.Mutex
	answer := func(r *http.Request) *madeReply {
		mu.Lock()
		defer mu.Unlock()
		v, a := visit{from: r.RemoteAddr}, newMadeReply()
		if c, err := r.Cookie(s.Session); err == nil {
			v.sent = c.Value
		}
		r = r.Clone(r.Context())
		r.Header.Del("Cookie")
		if id := before(&v); id != "" {
			r.AddCookie(&http.Cookie{Name: s.Session, Value: id})
		}
		h.ServeHTTP(a, r)
		for _, c := range (&http.Response{Header: a.header}).Cookies() {
			v.set = c.Value
		}
		a.header.Del("Set-Cookie")
		if id := after(&v); id != "" {
			http.SetCookie(a, &http.Cookie{Name: s.Session, Value: id, Path: "/", HttpOnly: true})
		}
		return a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(r).send(w) })
}

func sentCookie(v *visit) string { return v.sent }

// oneForAll gives all visitors the first session.
func oneForAll(s *scenario.Scenario, h http.Handler) http.Handler {
	first := ""
	return changed(s, h, sentCookie, func(v *visit) string {
		if first == "" {
			first = v.set
		}
		if v.set == "" {
			return ""
		}
		return first
	})
}

// renewing changes the session id in each response from request after on.
func renewing(after int) wrapper {
	return func(s *scenario.Scenario, h http.Handler) http.Handler {
		n, inner := 0, map[string]string{} // the reference's id for each issued one
		return changed(s, h, func(v *visit) string {
			n++
			if id := inner[v.sent]; id != "" {
				return id
			}
			return v.sent
		}, func(v *visit) string {
			switch id := inner[v.sent]; {
			case v.set != "":
				inner[v.set] = v.set
				return v.set
			case id != "" && n > after:
				renewed := rand.Text()
				inner[renewed] = id
				return renewed
			}
			return ""
		})
	}
}

// trusting takes an unknown id for the last issued one.
func trusting(s *scenario.Scenario, h http.Handler) http.Handler {
	last, issued := "", map[string]bool{"": true}
	return changed(s, h, func(v *visit) string {
		if !issued[v.sent] {
			return last
		}
		return v.sent
	}, func(v *visit) string {
		if v.set != "" {
			last, issued[v.set] = v.set, true
		}
		return v.set
	})
}

// byConnection distinguishes visitors by connection, and gives those without a cookie one that means nothing.
func byConnection(s *scenario.Scenario, h http.Handler) http.Handler {
	own := map[string]string{}
	return changed(s, h, func(v *visit) string { return own[v.from] }, func(v *visit) string {
		if v.set != "" {
			own[v.from] = v.set
		}
		if v.sent == "" && own[v.from] != "" {
			return rand.Text()
		}
		return ""
	})
}
