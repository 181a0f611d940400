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
	"share: merged": shareMerged,
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

// shareMerged: the parts of the generators, each with a clock of its own, add up to the load.
func shareMerged(t *testing.T, e load.Engine) {
	for _, w := range []load.Window{{Requests: 90}, {Requests: 90, Schedule: constant(3000)}} {
		s := serve(t, "tcp", each(value))
		parts := make([]*load.Part, 3)
		for g := range parts {
			j := job(s)
			j.Share = load.Share{Index: g, Of: len(parts)}
			p, err := load.Measure(t.Context(), open(t, e, j), j.Share, w)
			if err != nil {
				t.Fatal(err)
			}
			parts[g] = p
		}
		l, d, err := load.MergeParts(parts)
		if err != nil {
			t.Fatal(err)
		}
		longest := max(parts[0].Load.WallNS, parts[1].Load.WallNS, parts[2].Load.WallNS)
		if l.Planned != 90 || l.Succeeded != 90 || l.Connections != 4 || l.Established != 4 || l.WallNS != longest ||
			l.WindowNS <= 0 || l.WindowNS > longest || l.RateAnswers <= 0 || l.RateNS > longest {
			t.Errorf("%+v", l)
		}
		if d.Service.Count() != 90 || d.Status[200] != 90 || d.Connect.Count() != 4 ||
			(d.Response != nil) != (w.Schedule != nil) {
			t.Errorf("%d services, %v, %d connections", d.Service.Count(), d.Status, d.Connect.Count())
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
