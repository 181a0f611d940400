package loadtest

import (
	"slices"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
)

// shares are about a load of which several generators send a part each.
var shares = map[string]func(*testing.T, load.Engine){
	"share: closed loop": shareClosed, "share: open loop": shareOpen, "share: none": shareNone,
}

// generators runs the window w of j on each of n generators, and returns how many connections and
// planned requests they had in all.
func generators(t *testing.T, e load.Engine, j load.Job, w load.Window, n int) (connections int, planned int64) {
	t.Helper()
	for g := range n {
		j.Share = load.Share{Index: g, Of: n}
		l := run(t, open(t, e, j), w)
		if l.Succeeded != l.Planned || l.Established != l.Connections {
			t.Errorf("generator %d of %d: %+v", g, n, l)
		}
		connections += l.Connections
		planned += l.Planned
	}
	return connections, planned
}

// shareClosed: the generators together have the connections of one machine, and each connection sends
// what it sends there.
func shareClosed(t *testing.T, e load.Engine) {
	const requests = 61
	for _, n := range []int{1, 2, 3, 5} {
		s := serve(t, "tcp", each(value))
		j := job(s)
		j.Connections = 5
		if connections, planned := generators(t, e, j, load.Window{Requests: requests}, n); connections != 5 ||
			planned != requests {
			t.Errorf("%d generators: %d requests over %d connections", n, planned, connections)
		}
		mix, err := j.Scenario.Compile(j.Authority(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		sent := slices.Clone(s.lines)
		s.mu.Unlock()
		for i := range j.Connections { // each has sent the beginning of its sequence
			src := j.Source(mix, i)
			for {
				var w scenario.Want
				line := src.Next(nil, &w)
				at := slices.Index(sent, string(line[:slices.Index(line, '\r')]))
				if at < 0 {
					break
				}
				sent = slices.Delete(sent, at, at+1)
			}
		}
		if len(sent) > 0 {
			t.Errorf("%d generators: no connection of one machine sends these: %q", n, sent)
		}
	}
}

// shareOpen: the generators together send each arrival of the schedule once.
func shareOpen(t *testing.T, e load.Engine) {
	for _, poisson := range []bool{false, true} {
		for _, n := range []int{1, 3} {
			s := serve(t, "tcp", each(value))
			j := job(s)
			w := load.Window{Requests: 50, Schedule: &load.Schedule{Stages: constant(2000).Stages, Poisson: poisson, Seed: 3}}
			if _, planned := generators(t, e, j, w, n); planned != 50 || s.requests.Load() != 50 {
				t.Errorf("poisson %v, %d generators: %d requests planned, %d sent", poisson, n, planned, s.requests.Load())
			}
		}
	}
}

// shareNone: a generator without a connection, a request or a place among the others is an error.
func shareNone(t *testing.T, e load.Engine) {
	j := job(serve(t, "tcp", each(value)))
	for _, share := range []load.Share{{Index: 4, Of: 5}, {Index: 2, Of: 2}} {
		j.Share = share
		if s, err := e.Open(t.Context(), j); err == nil {
			s.Close()
			t.Errorf("share %+v of %d connections was opened", share, j.Connections)
		}
	}
	j.Share = load.Share{Index: 1, Of: 3}
	if _, err := open(t, e, j).Run(t.Context(), load.Window{Requests: 1}); err == nil {
		t.Error("one request is enough for three generators")
	}
}
