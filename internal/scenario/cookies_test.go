package scenario

import (
	"strings"
	"testing"

	"dyno/internal/wire"
)

// talk is a connection with cookies to a server whose responses the test chooses.
type talk struct {
	t    *testing.T
	src  *Source
	p    wire.HTTP1Parser
	want Want
}

func newTalk(t *testing.T, requests ...Request) *talk {
	return &talk{t: t, src: source1(t, Options{Cookies: true}, requests...), p: wire.HTTP1Parser{Memo: new(wire.Memo)}}
}

// ask sends the next request, returns its Cookie header, and learns from a response with these header lines.
func (c *talk) ask(lines ...string) string {
	c.t.Helper()
	q, _ := sent(c.t, c.src.Next(nil, &c.want))
	if len(q.Header["Cookie"]) > 1 {
		c.t.Errorf("%d Cookie headers", len(q.Header["Cookie"]))
	}
	c.p.Expect(wire.Want{StopAt: true})
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + strings.Join(append(lines, "", ""), "\r\n")
	if _, ev, err := c.p.Feed([]byte(answer)); ev != wire.AtHead || err != nil {
		c.t.Fatalf("%q: %v, %v", answer, ev, err)
	}
	c.src.Learn(c.p.Fields(), c.p.HeadID, &c.want)
	return strings.Join(q.Header["Cookie"], "")
}

func (c *talk) check(want string, lines ...string) {
	c.t.Helper()
	if got := c.ask(lines...); got != want {
		c.t.Errorf("Cookie %q; want %q", got, want)
	}
}

func TestCookieLife(t *testing.T) {
	c := newTalk(t, get("/a/b"))
	c.check("")
	if c.src.jar != nil {
		t.Error("a jar before the first cookie")
	}
	c.check("", "Set-Cookie: s=1; Path=/")
	c.check("s=1")
	c.check("s=1", "SET-COOKIE:  s=2; Path=/; HttpOnly  ", "set-cookie: u=x")
	c.check("s=2; u=x") // in the order in which they came
	c.check("s=2; u=x", "Set-Cookie: s=; Path=/; Max-Age=0")
	c.check("u=x", "Set-Cookie: u=y; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
	c.check("", "Set-Cookie: =none", "Set-Cookie: bad name=1")
	c.check("", `Set-Cookie: q="a b"; Path=/other; Secure; Domain=example.org; Max-Age=1`)
	c.check(`q="a b"`)
}

func TestCookiesAreOfOneSource(t *testing.T) {
	m := compile(t, &Scenario{Requests: []Request{get("/")}}, Options{Cookies: true})
	memo := new(wire.Memo) // one for both connections, as in load/loop
	a := &talk{t: t, src: m.NewSource(1, 0, 2), p: wire.HTTP1Parser{Memo: memo}}
	b := &talk{t: t, src: m.NewSource(2, 1, 2), p: wire.HTTP1Parser{Memo: memo}}
	a.check("", "Set-Cookie: s=1; Path=/")
	b.check("")
	a.check("s=1", "Set-Cookie: s=2; Path=/")
	b.check("", "Set-Cookie: s=2; Path=/") // the head that a has just learned
	a.check("s=2")
	b.check("s=2")
	huge := "X: " + strings.Repeat("x", 2000) // too long for a memo
	a.check("s=2", "Set-Cookie: s=3; Path=/", huge)
	a.check("s=3", "Set-Cookie: s=2; Path=/") // again, after another
	a.check("s=2", "Set-Cookie: s=2; Path=/")
	a.check("s=2", "Set-Cookie: s=2; Path=/")
}

// TestOwnCookies: a request with a Cookie header of its own sends that alone.
func TestOwnCookies(t *testing.T) {
	c := newTalk(t, get("/", "cookie", "mine={pick:1}", "Z", "1"))
	c.check("mine=1", "Set-Cookie: s=1")
	c.check("mine=1")
}

func TestCookiesCostNothingAtRest(t *testing.T) {
	c := newTalk(t, get("/v/{seq}"), post("{uuid}"))
	answers := [][]byte{
		[]byte("HTTP/1.1 200 OK\r\nDate: 1\r\nSet-Cookie: s=1; Path=/\r\nContent-Length: 0\r\n\r\n"),
		[]byte("HTTP/1.1 200 OK\r\nDate: 1\r\nContent-Length: 0\r\n\r\n"),
	}
	buf := make([]byte, 0, 1024)
	for i, answer := range answers {
		turn := func() {
			buf = c.src.Next(buf[:0], &c.want)
			c.p.Expect(wire.Want{StopAt: c.want.Cookies})
			c.p.Feed(answer)
			c.src.Learn(c.p.Fields(), c.p.HeadID, &c.want)
		}
		for range 50 {
			turn()
		}
		if n := testing.AllocsPerRun(500, turn); n != 0 {
			t.Errorf("answer %d, again and again: %v allocations", i, n)
		}
		if !strings.Contains(string(buf), "\r\nCookie: s=1\r\n") {
			t.Errorf("sent %q", buf)
		}
	}
}

// TestSessionsAreKept checks Learn by the session that the request carried.
func TestSessionsAreKept(t *testing.T) {
	r := get("/")
	r.Expect.Session = true
	s := &Scenario{Name: "x", Session: "id", Cookies: true, Requests: []Request{r}}
	c := &talk{t: t, src: compile(t, s, Options{}).NewSource(1, 0, 1), p: wire.HTTP1Parser{Memo: new(wire.Memo)}}
	for i, step := range []struct {
		line string // in the response
		sent string
		kept bool
	}{
		{"X: 1", "", false},
		{"X: 1", "", false}, // the same head again
		{"Set-Cookie: other=1; Path=/", "", false},
		{"Set-Cookie: id=a; Path=/", "other=1", true},
		{"X: 1", "other=1; id=a", true},
		{"Set-Cookie: id=a; Path=/", "other=1; id=a", true},
		{"Set-Cookie: id=b; Path=/", "other=1; id=a", false},
		{"Set-Cookie: id=b; Path=/", "other=1; id=b", true},
		{"Set-Cookie: id=; Path=/; Max-Age=0", "other=1; id=b", true}, // the session has ended
		{"X: 2", "other=1", false},
	} {
		q, _ := sent(t, c.src.Next(nil, &c.want))
		if got := strings.Join(q.Header["Cookie"], ""); got != step.sent {
			t.Errorf("%d: Cookie %q; want %q", i, got, step.sent)
		}
		c.p.Expect(wire.Want{StopAt: true})
		c.p.Feed([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + step.line + "\r\n\r\n"))
		if kept := c.src.Learn(c.p.Fields(), c.p.HeadID, &c.want); kept != step.kept {
			t.Errorf("%d: %s kept: %v", i, step.line, kept)
		}
		c.p.Feed(nil)
	}
	buf := make([]byte, 0, 1024)
	answer := []byte("HTTP/1.1 200 OK\r\nSet-Cookie: id=c; Path=/\r\nContent-Length: 0\r\n\r\n")
	turn := func() {
		buf = c.src.Next(buf[:0], &c.want)
		c.p.Expect(wire.Want{StopAt: true})
		c.p.Feed(answer)
		if !c.src.Learn(c.p.Fields(), c.p.HeadID, &c.want) {
			t.Error("a session that is kept is lost")
		}
		c.p.Feed(nil)
	}
	turn()
	if n := testing.AllocsPerRun(500, turn); n != 0 {
		t.Errorf("%v allocations a request", n)
	}
}
