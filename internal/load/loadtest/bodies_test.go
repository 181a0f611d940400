package loadtest

import (
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// bodies are about long ones, of requests and of answers.
var bodies = map[string]func(*testing.T, load.Engine){"long bodies": longBodies, "shared body": sharedBody,
	"a long answer": longAnswer}

// text returns a body of n bytes, up to 17 MiB, in which no stretch is like another.
func text(n int) string { return longText()[:n] }

var longText = sync.OnceValue(func() string {
	var b []byte
	for i := int64(0); len(b) < 17<<20; i++ {
		b = append(strconv.AppendInt(b, i, 10), ',')
	}
	return string(b)
})

// posts returns a scenario that posts one of these bodies.
func posts(all ...string) *scenario.Scenario {
	s := &scenario.Scenario{Name: "posts"}
	for i, body := range all {
		s.Requests = append(s.Requests, scenario.Request{
			Name: fmt.Sprint(i), Method: "POST", Path: fmt.Sprintf("/%d", i), Body: body, Weight: 1,
			Expect: scenario.Expect{Status: 200},
		})
	}
	return s
}

// longBodies: long bodies and short ones, drawn and fixed, arrive whole and in order, alone and in
// a pipeline, over sockets that take a part of one at a time.
func longBodies(t *testing.T, e load.Engine) {
	all := []string{"", "short", text(16<<10 - 1), text(16 << 10), text(3 << 20), text(100_000) + "{int:5..5}"}
	sums := map[uint32]bool{}
	for _, body := range all {
		sums[crc32.ChecksumIEEE([]byte(strings.TrimSuffix(body, "{int:5..5}")))] = true
	}
	sums[crc32.ChecksumIEEE([]byte(text(100_000)+"5"))] = true
	for _, network := range []string{"tcp", "unix"} {
		for _, depth := range []int{1, 4} {
			var long, wrong atomic.Int64
			s := serve(t, network, func(p *peer) {
				for p.next() {
					if !sums[p.sum] {
						wrong.Add(1)
					}
					if p.field("Content-Length") == fmt.Sprint(3<<20) {
						long.Add(1)
					}
					p.say(value)
				}
			})
			j := job(s)
			j.Scenario, j.Pipeline = posts(all...), depth
			if l := run(t, open(t, e, j), load.Window{Requests: 40}); l.Succeeded != 40 {
				t.Errorf("%s, depth %d: %+v", network, depth, l)
			}
			if wrong.Load() > 0 || long.Load() == 0 {
				t.Errorf("%s, depth %d: %d bodies are not as sent; %d were of 3 MiB", network, depth, wrong.Load(),
					long.Load())
			}
		}
	}
}

// sharedBody: connections and requests share the one copy of a body that there is.
func sharedBody(t *testing.T, e load.Engine) {
	const size = 16 << 20
	s := serve(t, "tcp", each(value))
	j := job(s)
	j.Scenario, j.Connections = posts(text(size)), 8
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l := run(t, open(t, e, j), load.Window{Requests: 8})
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; l.Succeeded != 8 || n > size/2 {
		t.Errorf("%d bytes allocated to send a body of %d over 8 connections: %+v", n, size, l)
	}
}

// longAnswer: what an answer allows is asked before the end of the next, also where its end is never waited for
// because reading takes longer than sending.
func longAnswer(t *testing.T, e load.Engine) {
	pieces := int(orShort(150, 40))
	piece := strings.Repeat(big, 4)
	whole := strings.Repeat(piece, pieces)
	s := serve(t, "tcp", func(p *peer) {
		for range 2 {
			if !p.next() {
				return
			}
		}
		answer := func() { // beside next, so without say
			fmt.Fprintf(p.Conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", pieces*len(piece))
			for range pieces {
				io.WriteString(p.Conn, piece)
			}
		}
		third := make(chan bool, 1)
		go func() { third <- p.next() }()
		answer()
		answer()
		select {
		case ok := <-third:
			third <- ok
		default:
			p.dropped.Add(1)
		}
		if <-third {
			answer()
		}
	})
	j := job(s)
	j.Connections, j.Pipeline = 1, 2
	j.Scenario.Requests[0].Expect = scenario.Expect{Status: 200, Body: &whole, Verbatim: true}
	if l := run(t, open(t, e, j), load.Window{Requests: 3}); l.Succeeded != 3 || s.dropped.Load() > 0 {
		t.Errorf("%d answered; too late: %d", l.Succeeded, s.dropped.Load())
	}
}
