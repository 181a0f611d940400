package loadtest

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// redirects are about those that are followed (Job.Follow).
var redirects = map[string]func(*testing.T, load.Engine){
	"redirects": follow, "redirects with content": followContent, "redirects not followed": unfollowed,
	"redirects without an answer": followLate,
}

// moved is a redirect.
func moved(status int, location string, fields ...string) string {
	return fmt.Sprintf("HTTP/1.1 %d Moved\r\nLocation: %s\r\n%sContent-Length: 4\r\n\r\ngone", status, location,
		strings.Join(fields, ""))
}

// target returns the target of the last request.
func (p *peer) target() string { return strings.Fields(p.head[0])[1] }

// follow: two redirects lead to each answer, with the cookie of the first, in every kind of loop. The
// ledger has the requests, the server three times as many.
func follow(t *testing.T, e load.Engine) {
	const n = 40
	for _, per := range []int{0, 3} {
		s := serve(t, "tcp", func(p *peer) {
			for p.next() {
				known := p.field("Cookie") == "n=1"
				switch target := p.target(); {
				case strings.HasPrefix(target, "/api/values/"):
					p.say(moved(302, "../next?a=1#b", "Set-Cookie: n=1; Path=/\r\n"))
				case target == "/api/next?a=1" && known:
					p.say(moved(307, "http://"+p.field("Host")+"/last"))
				case target == "/last" && known:
					p.say(value)
				default:
					p.say("HTTP/1.1 500 Wrong\r\nContent-Length: 0\r\n\r\n")
				}
			}
		})
		j := job(s)
		j.Follow, j.Scenario.Cookies, j.PerConnection = 2, true, per
		session := open(t, e, j)
		for name, w := range map[string]load.Window{
			"closed": {Requests: n},
			"open":   {Requests: n, Schedule: &load.Schedule{Stages: []load.Stage{{From: 3000, To: 3000}}}},
			"think":  {Requests: n, Think: load.Pause{Mean: time.Millisecond}},
		} {
			before := s.requests.Load()
			o := observe(t, t.Context(), session, w, 0)
			if o.Succeeded != n || o.Redirects != 2*n || s.requests.Load()-before != 3*n {
				t.Errorf("%s, %d per connection: %d requests at the server: %+v: %s", name, per,
					s.requests.Load()-before, o.Load, o.Detail.First)
			}
		}
	}
}

// followContent: a POST becomes a GET by 303 and keeps its body, be it long, by 308.
func followContent(t *testing.T, e load.Engine) {
	long := text(100_000)
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			ok, get := p.field("X-Kept") == "1", strings.HasPrefix(p.head[0], "GET ")
			switch p.target() {
			case "/0":
				p.say(moved(303, "/done"))
				continue
			case "/1":
				p.say(moved(308, "/again"))
				continue
			case "/done":
				ok = ok && get && p.field("Content-Length")+p.field("Content-Type") == ""
			case "/again":
				ok = ok && !get && p.sum == crc32.ChecksumIEEE([]byte(long)) && p.field("Content-Type") == "text/plain"
			default:
				ok = false
			}
			if ok {
				p.say(value)
			} else {
				p.say("HTTP/1.1 500 Wrong\r\nContent-Length: 0\r\n\r\n")
			}
		}
	})
	j := job(s)
	j.Scenario, j.Follow = posts("short", long), 1
	for i := range j.Scenario.Requests {
		j.Scenario.Requests[i].Headers = []scenario.HeaderLine{{Name: "Content-Type", Value: "text/plain"},
			{Name: "X-Kept", Value: "1"}}
	}
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 40}, 0)
	if o.Succeeded != 40 || o.Redirects != 40 {
		t.Errorf("%+v: %s", o.Load, o.Detail.First)
	}
}

// unfollowed: a redirect that cannot be followed is an error that says why; one that the contract asks
// for is an answer.
func unfollowed(t *testing.T, e load.Engine) {
	const bare = "HTTP/1.1 302 Found\r\nLocation: /b\r\n"
	for want, script := range map[string]func(*peer){
		"another server":            each(moved(302, "http://other.test/")),
		"another server than http:": each(moved(301, "https://127.0.0.1/")),
		"without Location":          each("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
		"beyond the limit of 3":     each(moved(302, "/again")),
		`to "http://["`:             each(moved(302, "http://[")),
		"closes the connection":     once(bare+"Connection: close\r\nContent-Length: 0\r\n\r\n", hangUp),
		"/b, but it closes":         once(bare+"\r\n", hangUp),
		load.ErrUnasked.Error():     each(moved(302, "/again") + "x"),
	} {
		j := job(serve(t, "tcp", script))
		j.Follow = 3
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 8}, 0)
		if o.Errors["redirect"] != 8 || !strings.Contains(o.Detail.Texts["redirect"], want) {
			t.Errorf("%s: %v, %v", want, o.Errors, o.Detail.Texts)
		}
	}
	j := job(serve(t, "tcp", each(moved(307, "/b"))))
	j.Follow, j.Scenario, j.Connections = 1, posts(text(17<<20)), 1
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 1}, 0)
	if !strings.Contains(o.Detail.Texts["redirect"], "is not sent again") {
		t.Errorf("a large body: %v, %v", o.Errors, o.Detail.Texts)
	}
	j = job(serve(t, "tcp", each(moved(302, "/again"))))
	j.Follow, j.Scenario.Requests[0].Expect = 3, scenario.Expect{Status: 302}
	if o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 8}, 0); o.Succeeded != 8 || o.Redirects > 0 {
		t.Errorf("a redirect as asked for: %+v", o.Load)
	}
	for _, change := range []func(*load.Job){func(j *load.Job) { j.Pipeline = 2 }, func(j *load.Job) { j.HTTP2 = true },
		func(j *load.Job) { j.PerConnection = 1 }} {
		bad := j
		change(&bad)
		if _, err := e.Open(t.Context(), bad); err == nil {
			t.Errorf("opened: %+v", bad)
		}
	}
}

// followLate: the time-out is of a request with all its redirects.
func followLate(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.next() {
			if p.target() == "/b" {
				linger(p)
				return
			}
			p.say(moved(302, "/b"))
		}
	})
	j := job(s)
	j.Follow, j.Timeout, j.ConnectTimeout = 1, 200*time.Millisecond, never
	if l := run(t, open(t, e, j), load.Window{Requests: 8}); l.Errors["timeout"] != 8 {
		t.Errorf("%+v", l)
	}
}
