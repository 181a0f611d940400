package epoll

import (
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"dyno/internal/endpoint"
	"dyno/internal/load"
	"dyno/internal/result"
)

// TestRateAgainstTheServersCount compares the rate of a load with what the server itself counted in
// the same time, at known delays and far below what the server can do. It takes 18 s:
//
//	DYNO_EDGE=1 go test ./internal/load/epoll -run TestRateAgainstTheServersCount -v
func TestRateAgainstTheServersCount(t *testing.T) {
	if os.Getenv("DYNO_EDGE") == "" {
		t.Skip("an experiment: set DYNO_EDGE=1")
	}
	for _, delay := range []time.Duration{10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond,
		500 * time.Millisecond} {
		var mu sync.Mutex
		var answered []time.Time
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(delay)
			io.WriteString(w, "value")
			mu.Lock()
			answered = append(answered, time.Now())
			mu.Unlock()
		})}
		go server.Serve(ln)
		s := twoRequests()
		s.Requests = s.Requests[:1]
		connections := int(2000 * delay / time.Second)
		session := connect(t, load.Job{Endpoint: endpoint.TCP(ln.Addr().String()), Scenario: s, Connections: connections})
		length := max(20*delay, 2*time.Second)
		start := time.Now()
		l, err := session.Run(t.Context(), load.Window{For: length, Spread: delay})
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
		server.Close()

		from, until, n := start.Add(time.Duration(l.RateFromNS)), start.Add(time.Duration(l.RateFromNS+l.RateNS)), 0
		for _, at := range answered {
			if at.After(from) && !at.After(until) {
				n++
			}
		}
		truly := float64(n) / until.Sub(from).Seconds()
		rate, _ := l.PerSec()
		whole, _ := l.WholePerSec()
		t.Logf("%v, %d connections, %v: the server %.1f/s; the rate %.1f/s (%+.2f %%); over first send to last "+
			"answer %.1f/s (%+.2f %%)",
			delay, connections, length, truly, rate, 100*(rate/truly-1), whole, 100*(whole/truly-1))
		if math.Abs(rate/truly-1) > 0.005 || l.Edge() != result.Inside {
			t.Errorf("%v: %.1f/s of %.1f/s: %+v", delay, rate, truly, l)
		}
	}
}
