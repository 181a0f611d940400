package bench

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Fresh processes are read before their first load, are not warmed up, and carry one load with a
// number of requests, or several if a level continues the previous one.
func TestFreshProcesses(t *testing.T) {
	b, h, d, records := set(t)
	carried := map[*fakeServer][]int{} // connections in each of a process's loads
	d.asked = func(name string, job load.Job) {
		s := h.servers[job.Addr]
		carried[s] = append(carried[s], job.Connections)
	}
	h.compiles = func(s *fakeServer) time.Duration { return 5 * time.Millisecond }
	p := small("a", "b")
	p.Processes, p.Load.Requests, p.Controls, p.Ceiling = record.PerPart, 100, nil, ""
	p.Rounds, p.Pilots, p.Load.RewarmNS = 1, 0, 0
	p.Levels = []record.Level{{Connections: 4, Pipeline: 1}, {Connections: 8, Pipeline: 1, Step: 1},
		{Connections: 8, Pipeline: 1}}
	p.Family = []record.Comparison{{A: record.Cell{Contestant: "a", Level: 1},
		B: record.Cell{Contestant: "b", Level: 1}},
		{A: record.Cell{Contestant: "a", Level: 2}, B: record.Cell{Contestant: "b", Level: 2}}}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil || run.End.Reason != string(plan.Decided) {
		t.Fatalf("%+v, %v; failures %+v", run.End, err, run.Failures)
	}
	if len(run.Trials) != 8*(2*2+2) || len(run.Idle) != 16*2 || len(run.Launches) != 16*2 {
		t.Errorf("%d trials, %d idle readings, %d launches", len(run.Trials), len(run.Idle), len(run.Launches))
	}
	for i := range run.Trials {
		if l := &run.Trials[i].Load; l.Succeeded != 100 || run.Trials[i].Server.OpenSockets == nil {
			t.Errorf("%+v", run.Trials[i])
		}
	}
	for _, l := range run.Launches {
		if l.Warmup != "" || l.WarmupRequests != 0 {
			t.Errorf("warmed up: %+v", l)
		}
	}
	steps := map[string]int{}
	for s, loads := range carried {
		switch {
		case len(loads) == 1 && loads[0] == 8, len(loads) == 2 && loads[0] == 4 && loads[1] == 8:
			steps[s.name+strings.Repeat("+", len(loads))]++
		default:
			t.Errorf("a process of %s carried %v connections", s.name, loads)
		}
	}
	if steps["a+"] != 8 || steps["a++"] != 8 || steps["b+"] != 8 || steps["b++"] != 8 {
		t.Errorf("processes by their loads: %v", steps)
	}
	idle := map[[2]any]bool{} // of the epoch, before any of its trials
	for _, r := range *records {
		switch {
		case r.Idle != nil:
			u := &r.Idle.Server
			if r.Idle.Connections != 0 || u.OpenSockets == nil || u.PrivateBytes == nil || u.CPUNS == nil ||
				*u.CPUNS != 5e6 || *u.PrivateBytes != 0 {
				t.Errorf("%+v", r.Idle)
			}
			idle[[2]any{r.Idle.Contestant, r.Idle.Epoch}] = true
		case r.Trial != nil && !idle[[2]any{r.Trial.Contestant, r.Trial.Epoch}]:
			t.Errorf("%s was loaded in epoch %d before it was read", r.Trial.Contestant, r.Trial.Epoch)
		}
	}
}
