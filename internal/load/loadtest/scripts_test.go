package loadtest

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// script is a server's behaviour and the counts that an engine must report for a window with a
// number of requests.
type script struct {
	name     string
	serve    func(*peer)
	requests int64 // 200 if 0
	job      func(*load.Job)
	tcpOnly  bool
	// failures and errors are the ledger without its times, or check looks for itself.
	failures, errors map[string]int64
	check            func(*testing.T, *server, *load.Job, record.Load)
}

// modes are the loads that each script is put under.
var modes = []struct {
	name   string
	job    func(*load.Job)
	window func(requests int64) load.Window
}{
	{"closed", func(*load.Job) {}, func(n int64) load.Window { return load.Window{Requests: n} }},
	{"open", func(*load.Job) {}, func(n int64) load.Window {
		return load.Window{Requests: n,
			Schedule: constant(4000)}
	}},
	{"one per connection", func(j *load.Job) { j.PerConnection = 1 },
		func(n int64) load.Window { return load.Window{Requests: n} }},
	{"open, one per connection", func(j *load.Job) { j.PerConnection, j.Lazy = 1, true }, func(n int64) load.Window {
		return load.Window{Requests: n, Schedule: &load.Schedule{Stages: constant(4000).Stages, Poisson: true, Seed: 3}}
	}},
}

// constant returns a schedule without an end.
func constant(perSecond float64) *load.Schedule {
	return &load.Schedule{Stages: []load.Stage{{From: perSecond, To: perSecond}}}
}

// run loads once unobserved, and once observed if the server is to be loaded in more than one way.
func (c *script) run(t *testing.T, e load.Engine, network string, m int) {
	s := serve(t, network, c.serve)
	j := job(s)
	if c.job != nil {
		c.job(&j)
	}
	modes[m].job(&j)
	requests := c.requests
	if requests == 0 {
		requests = 200
	}
	w := modes[m].window(requests)
	session := open(t, e, j)
	var l record.Load
	if m == 0 {
		l = run(t, session, w)
	} else {
		l = observe(t, t.Context(), session, w, 100*time.Millisecond).Load // each interval costs CPU time
	}
	if l.Planned != requests || l.Started != requests || l.Connections != j.Connections || l.InFlight != 0 {
		t.Errorf("planned %d, started %d of %d on %d connections, %d in flight", l.Planned, l.Started, requests,
			l.Connections, l.InFlight)
	}
	if l.Established != j.Connections && !j.Lazy && c.check == nil {
		t.Errorf("%d of %d connections", l.Established, j.Connections)
	}
	if s.requests.Load() > l.Started {
		t.Errorf("the server saw %d requests of %d: some were sent again", s.requests.Load(), l.Started)
	}
	if c.check != nil {
		c.check(t, s, &j, l)
		return
	}
	if !maps.Equal(l.Failures, c.failures) || !maps.Equal(l.Errors, c.errors) {
		t.Errorf("failures %v, want %v; errors %v, want %v", l.Failures, c.failures, l.Errors, c.errors)
	}
	if s.requests.Load() != requests || s.bytes.Load() != l.BytesWritten {
		t.Errorf("the server saw %d requests of %d bytes, want %d of %d", s.requests.Load(), s.bytes.Load(), requests,
			l.BytesWritten)
	}
}

func deep(j *load.Job) { j.Pipeline = 8 }

func expect(f func(*scenario.Request)) func(*load.Job) {
	return func(j *load.Job) {
		j.Pipeline = 2
		f(&j.Scenario.Requests[0])
	}
}

func inPieces(answer string, size int) func(*peer) {
	return func(p *peer) {
		for p.next() {
			for b := answer; len(b) > 0; {
				k := min(size, len(b))
				p.say(b[:k])
				b = b[k:]
			}
		}
	}
}

// once answers the first request of each connection with what is wrong, then lets end do as it
// likes.
func once(answer string, end func(*peer)) func(*peer) {
	return func(p *peer) {
		if p.next() {
			p.say(answer)
			end(p)
		}
	}
}

func hangUp(p *peer) { p.Close() }

// linger waits until the client closes.
func linger(p *peer) {
	for p.next() {
	}
}

const (
	interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2;x=\"y\"\r\nva\r\n03\r\nlue\r\n0\r\n" +
		"X-Sum: 1\r\n\r\n"
)

var (
	big = strings.Repeat("0123456789abcdef", 20_000)
	// full has header fields of n bytes beyond those of value.
	full = func(n int) string { return strings.Replace(value, "\r\n", "\r\nX-Big: "+big[:n]+"\r\n", 1) }
)

var scripts = []script{
	{name: "keep-alive", serve: each(value), check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
		dialled := s.accepted.Load()
		if j.PerConnection == 0 && dialled != 4 || j.PerConnection == 1 && dialled < 200 {
			t.Errorf("%d connections", dialled)
		}
		if l.Succeeded != 200 || l.BytesRead != 200*int64(len(value)) || l.BytesWritten != s.bytes.Load() {
			t.Errorf("%+v, %d bytes", l, s.bytes.Load())
		}
	}},
	{name: "pipelining", serve: each(value), job: deep},
	{name: "chunked", serve: each(chunked), job: deep},
	{name: "chunked by bytes", serve: inPieces(chunked, 1), requests: 12},
	{name: "interim", serve: each(interim + value), job: deep},
	{name: "interim by bytes", serve: inPieces(interim+value, 1), requests: 12},
	{name: "head", serve: each(value[:len(value)-5]),
		job: expect(func(r *scenario.Request) { r.Method, r.Expect.Body = "HEAD", nil })},
	{name: "no content", serve: each("HTTP/1.1 204 No Content\r\n\r\n"),
		job: expect(func(r *scenario.Request) { r.Expect = scenario.Expect{Status: 204} })},
	{name: "by bytes", serve: inPieces(value, 1), requests: 12, job: deep},
	{name: "split", serve: inPieces(value, 23), requests: 60, job: deep},
	{name: "large body", requests: 16, job: expect(func(r *scenario.Request) { r.Expect.Body = &big }),
		serve: each("HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(big)) + "\r\n\r\n" + big)},
	{name: "large request", requests: 16, serve: each(value),
		job: expect(func(r *scenario.Request) { r.Method, r.Body = "POST", big })},
	{name: "headers present", serve: each(value), job: expect(func(r *scenario.Request) {
		r.Expect.Headers = map[string]string{"CONTENT-TYPE": "text/plain"}
	})},
	{name: "large headers", serve: each(full(20_000)), job: deep},

	{name: "http/1.0 by close", serve: once("HTTP/1.0 200 OK\r\n\r\nvalue", hangUp)},
	{name: "by close", serve: once("HTTP/1.1 200 OK\r\n\r\nvalue", hangUp)},
	{name: "http/1.0 keep-alive",
		serve: each("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nvalue"), job: deep},
	{name: "close every 7th", serve: everySeventh, requests: 203},
	{name: "close every 7th, pipelined", serve: everySeventh, job: func(j *load.Job) { j.Pipeline = 4 },
		check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
			if l.Succeeded == 0 || l.Errored() != l.Errors["closed"]+l.Errors["reset"]+l.Errors["write"] ||
				l.Failed != 0 {
				t.Errorf("%+v, the server saw %d", l, s.requests.Load())
			}
		}},

	{name: "wrong body", serve: each(strings.Replace(value, "\nvalue", "\nvalse", 1)), job: deep,
		failures: map[string]int64{"body": 200}},
	{name: "wrong length", serve: each(strings.Replace(value, "5\r\n\r\nvalue", "4\r\n\r\nvalu", 1)), job: deep,
		failures: map[string]int64{"length": 200}},
	{name: "wrong status", serve: each(strings.Replace(value, "200 OK", "500 No", 1)), job: deep,
		failures: map[string]int64{"status": 200}},
	{name: "missing header", serve: sometimes, failures: map[string]int64{"header": 100}, job: func(j *load.Job) {
		j.Connections = 2
		j.Scenario.Requests[0].Expect.Headers = map[string]string{"Content-Type": "text/plain"}
	}},
	{name: "surplus", serve: once(value+"!", linger), failures: map[string]int64{"length": 200}},

	{name: "close mid-body", serve: once(value[:len(value)-2], hangUp), errors: map[string]int64{"truncated": 200}},
	{name: "close mid-head", serve: once(value[:20], hangUp), errors: map[string]int64{"closed": 200}},
	{name: "close mid-chunk", serve: once(chunked[:len(chunked)-30], hangUp), errors: map[string]int64{"truncated": 200}},
	{name: "reset", serve: once("", (*peer).reset), errors: map[string]int64{"reset": 200}, tcpOnly: true},
	{name: "garbage", serve: once("220 mail.example ESMTP\r\n", linger), errors: map[string]int64{"parse": 200}},
	{name: "two lengths", serve: once(strings.Replace(value, "Content-Type: text/plain", "Content-Length: 6", 1),
		linger), errors: map[string]int64{"parse": 200}},
	{name: "giant headers", serve: once(full(wire.HTTP1MaxHead), linger), errors: map[string]int64{"parse": 200}},
	{name: "no end of headers", serve: once("HTTP/1.1 200 OK\r\nX-Big: "+big[:2*wire.HTTP1MaxHead], linger),
		errors: map[string]int64{"parse": 200}},
	{name: "bare line feeds", serve: once(strings.ReplaceAll(value, "\r\n", "\n"), linger),
		errors: map[string]int64{"parse": 200}},
	{name: "another protocol", serve: once("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", linger),
		errors: map[string]int64{"parse": 200}},
	{name: "length too long", serve: once(strings.Replace(value, "Length: 5", "Length: 6", 1), hangUp),
		errors: map[string]int64{"truncated": 200}},
	{name: "garbage after an answer", serve: each(value + "garbage"), job: deep,
		check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
			if l.Failed+l.Errors["parse"] == 0 || l.Failed != l.Failures["length"] {
				t.Errorf("%+v", l)
			}
		}},
	{name: "hangs up at once", serve: hangUp, requests: 40, job: func(j *load.Job) { j.Lazy = true },
		check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
			if l.Errored() != 40 || l.Errors["timeout"]+l.Errors["parse"] > 0 {
				t.Errorf("%+v", l)
			}
			if n := s.accepted.Load(); n > 1000 {
				t.Errorf("%d connections were dialled for 40 requests", n)
			}
		}},
	{name: "answers before the request is through", requests: 40,
		job: expect(func(r *scenario.Request) { r.Method, r.Body = "POST", big }),
		serve: func(p *peer) {
			if _, err := p.r.ReadString('\n'); err == nil {
				p.say(strings.Replace(value, "\r\n", "\r\nConnection: close\r\n", 1))
			}
		}, check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
			// What is behind it in the pipeline gets no answer.
			if l.Succeeded+l.Errors["closed"] != 40 || l.Succeeded < 20 {
				t.Errorf("%+v", l)
			}
		}},
	{name: "answers before the body", requests: 8, job: upload, serve: tardy, check: answered(8)},
	{name: "answers before the body, and reads no more", requests: 6, serve: func(p *peer) {
		if p.nextHead() {
			p.say(value)
			<-p.stopped
		}
	}, job: func(j *load.Job) {
		upload(j)
		impatient(j)
	}, check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
		// Who gets no CPU for as long as the patience lasts gives up more than the body.
		if l.Succeeded+l.Errors["timeout"]+l.Errors["dial"] != 6 {
			t.Errorf("%+v", l)
		}
	}},
	{name: "early close on a quarter", serve: func(p *peer) {
		for p.next() {
			if p.index%4 == 0 {
				p.dropped.Add(1)
				return
			}
			p.say(value)
			if p.n == 3 {
				return // without a word, between two requests: the client may or may not have sent the next
			}
		}
	}, check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
		if l.Errored() < s.dropped.Load() || l.Failed != 0 || s.dropped.Load() == 0 || l.Succeeded == 0 {
			t.Errorf("%d dropped of %d: %+v", s.dropped.Load(), s.requests.Load(), l)
		}
	}},
	{name: "a quarter unanswered", serve: quarter, check: func(t *testing.T, s *server, j *load.Job, l record.Load) {
		if l.Errors["closed"] != s.dropped.Load() || l.Errored() != s.dropped.Load() || s.dropped.Load() < 10 ||
			s.requests.Load() != l.Started {
			t.Errorf("%d dropped of %d: %+v", s.dropped.Load(), s.requests.Load(), l)
		}
	}},
	{name: "never answers", serve: linger, requests: 6, job: impatient, check: unanswered},
	{name: "never ends", serve: once(value[:len(value)-1], linger), requests: 6, job: impatient,
		check: unanswered},
	{name: "streams", serve: stream, requests: 6, job: impatient, check: unanswered},
	{name: "drips", serve: drip, requests: 6, job: impatient, check: unanswered},
}

// upload has a body that no socket's buffers hold.
func upload(j *load.Job) {
	r := &j.Scenario.Requests[0]
	r.Method, r.Body = "POST", strings.Repeat(big, 26)
}

// tardy answers before it has read the body, which it then lets lie for a while, so that its
// client's write falls short.
func tardy(p *peer) {
	for p.nextHead() {
		p.say(value)
		time.Sleep(5 * time.Millisecond)
		if !p.body() {
			return
		}
	}
}

func answered(n int64) func(*testing.T, *server, *load.Job, record.Load) {
	return func(t *testing.T, _ *server, _ *load.Job, l record.Load) {
		if l.Succeeded != n {
			t.Errorf("%d answers, want %d: %+v", l.Succeeded, n, l)
		}
	}
}

func impatient(j *load.Job) { j.Timeout = 400 * time.Millisecond }

// unanswered: each request timed out. Who gets no CPU for as long as the patience lasts may give up
// a dial, too.
func unanswered(t *testing.T, _ *server, _ *load.Job, l record.Load) {
	if n := l.Errors["timeout"]; n == 0 || n+l.Errors["dial"] != 6 || l.Errored() != 6 || l.Failed > 0 {
		t.Errorf("%+v", l)
	}
}

// drip begins an answer and never comes to its end, though it never falls silent for long either.
func drip(p *peer) {
	if !p.next() {
		return
	}
	p.say("HTTP/1.1 200 OK\r\nX: ")
	for _, err := p.Write([]byte{'x'}); err == nil; _, err = p.Write([]byte{'x'}) {
		time.Sleep(10 * time.Millisecond)
	}
}

// stream sends small chunks without an end, faster than anybody parses them.
func stream(p *peer) {
	if !p.next() {
		return
	}
	p.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
	chunks := []byte(strings.Repeat("1\r\nx\r\n", 40_000))
	for _, err := p.Write(chunks); err == nil; _, err = p.Write(chunks) {
	}
}

func everySeventh(p *peer) {
	for p.next() {
		if p.n == 7 {
			p.say(strings.Replace(value, "\r\n", "\r\nConnection: close\r\n", 1))
			return
		}
		p.say(value)
	}
}

// quarter drops the first request of every fourth connection, and lets go of the others after three
// answers.
func quarter(p *peer) {
	for p.next() {
		if p.index%4 == 0 {
			p.dropped.Add(1)
			return
		}
		if p.n == 3 {
			p.say(strings.Replace(value, "\r\n", "\r\nConnection: close\r\n", 1))
			return
		}
		p.say(value)
	}
}

// sometimes leaves the header out of every other answer of a connection, and changes what is around
// it.
func sometimes(p *peer) {
	for p.next() {
		n := p.dropped.Add(1)
		answer := strings.Replace(value, "\r\n", "\r\nX-N: "+strconv.Itoa(int(n/6))+"\r\n", 1)
		if n%2 == 0 {
			answer = strings.Replace(answer, "Content-Type: text/plain\r\n", "", 1)
		}
		p.say(answer)
	}
}
