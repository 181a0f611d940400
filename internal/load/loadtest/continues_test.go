package loadtest

import (
	"hash/crc32"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// continues are about bodies that wait for a response 100 (Expect: 100-continue).
var continues = map[string]func(*testing.T, load.Engine){
	"continue": goesOn, "continue: refused": goesNot, "continue: redirected": goesElsewhere,
}

// expectant returns a job of requests with a body that waits.
func expectant(s *server, body string) load.Job {
	j := job(s)
	j.Scenario = posts(body)
	j.Scenario.Requests[0].Headers = []scenario.HeaderLine{{Name: "Expect", Value: "100-continue"}}
	return j
}

// goesOn: the body comes after the response 100, or without one when it has waited long enough.
func goesOn(t *testing.T, e load.Engine) {
	for _, body := range []string{"short", text(100_000)} {
		for _, silent := range []bool{false, true} {
			var early, wrong atomic.Int64
			s := serve(t, "tcp", func(p *peer) {
				for p.nextHead() {
					if p.r.Buffered() > 0 {
						early.Add(1)
					}
					if !silent {
						p.say("HTTP/1.1 103 Early Hints\r\n\r\n")
						p.say("HTTP/1.1 100 Continue\r\n\r\n")
					}
					if !p.body() {
						return
					}
					if p.sum != crc32.ChecksumIEEE([]byte(body)) {
						wrong.Add(1)
					}
					p.say(value)
				}
			})
			two := serve(t, "tcp", converse(func(c *talk) {
				asked := false
				c.seen = func(f frame) {
					if f.kind == dataFrame && !asked && !silent {
						early.Add(1)
					}
				}
				for {
					asked = false
					if f, ok := c.read(); !ok {
						return
					} else if f.kind != headersFrame {
						continue
					}
					if asked = true; !silent {
						c.send(head(1+2*uint32(c.n-1), 0, ":status", "100"))
					}
					if stream, ok := c.request(); ok {
						c.send(right(stream)...)
					}
				}
			}, setting(initialWindow, 1<<20), frame{kind: windowFrame, payload: number(1 << 30)}))
			n := int64(40)
			if silent {
				n = 4
			}
			for _, schedule := range []*load.Schedule{nil, constant(1000)} {
				for _, j := range []load.Job{expectant(s, body), expectant(two, body)} {
					j.HTTP2 = j.Addr == two.Addr().String()
					o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: n, Schedule: schedule}, 0)
					if o.Succeeded != n || early.Load()+wrong.Load() > 0 {
						t.Errorf("HTTP/2 %v, silent %v: %d bodies came early, %d are wrong: %+v, %v", j.HTTP2, silent,
							early.Load(), wrong.Load(), o.Load, o.Detail.Texts)
					}
				}
			}
		}
	}
	j := expectant(serve(t, "tcp", each(value)), "short")
	j.Pipeline = 2
	if _, err := e.Open(t.Context(), j); err == nil || !strings.Contains(err.Error(), "100-continue") {
		t.Errorf("a pipeline: %v", err)
	}
}

// goesNot: after a final status the body is not sent, and with HTTP/1.1 the connection is not used again.
func goesNot(t *testing.T, e load.Engine) {
	var bodies atomic.Int64
	s := serve(t, "tcp", func(p *peer) {
		if p.nextHead() {
			p.requests.Add(1)
			p.say("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
			if _, err := p.r.ReadByte(); err == nil {
				bodies.Add(1)
			}
		}
	})
	two := serve(t, "tcp", converse(func(c *talk) {
		for f, ok := c.read(); ok; f, ok = c.read() {
			if f.kind == headersFrame {
				c.send(head(f.stream, ends, ":status", "417"))
			} else if f.kind == dataFrame {
				bodies.Add(1)
			}
		}
	}))
	for _, j := range []load.Job{expectant(s, text(50_000)), expectant(two, text(50_000))} {
		j.HTTP2 = j.Addr == two.Addr().String()
		j.Scenario.Requests[0].Expect = scenario.Expect{Status: 417}
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 40}, 0)
		if o.Succeeded != 40 || bodies.Load() > 0 {
			t.Errorf("%d bodies: %+v, %v", bodies.Load(), o.Load, o.Detail.Texts)
		}
	}
}

// goesElsewhere: a redirect before the body is an error that says why; one after it is followed, with the
// body at once.
func goesElsewhere(t *testing.T, e load.Engine) {
	s := serve(t, "tcp", func(p *peer) {
		for p.nextHead() {
			p.say(moved(307, "/b"))
		}
	})
	j := expectant(s, "short")
	j.Follow = 1
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 8}, 0)
	if o.Errors["redirect"] != 8 || !strings.Contains(o.Detail.Texts["redirect"], "before the body was sent") {
		t.Errorf("%v, %v", o.Errors, o.Detail.Texts)
	}
	s = serve(t, "tcp", func(p *peer) {
		for p.nextHead() {
			p.say("HTTP/1.1 100 Continue\r\n\r\n")
			if !p.body() {
				return
			}
			if p.target() == "/b" {
				p.say(value)
			} else {
				p.say(moved(307, "/b"))
			}
		}
	})
	j = expectant(s, "short")
	j.Follow = 1
	if o = observe(t, t.Context(), open(t, e, j), load.Window{Requests: 8}, 0); o.Succeeded != 8 || o.Redirects != 8 {
		t.Errorf("%+v, %v", o.Load, o.Detail.Texts)
	}
}
