package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// fresh is a paired comparison of a and b with processes of their own for each level, but that the third goes on
// with those of the second. Named are a and b there, and at the first; the fourth stands beside.
func fresh() record.Plan {
	p := barePlan("a", "b")
	p.Profile, p.Processes, p.Load.Requests, p.Controls, p.BudgetNS = Standard, record.PerPart, 600, nil, int64(time.Hour)
	p.Levels = []record.Level{
		{DelayNS: 1e8, Connections: 30, Pipeline: 1}, {DelayNS: 1e8, Connections: 10, Pipeline: 1},
		{DelayNS: 1e8, Connections: 30, Pipeline: 1, Step: 1},
		{DelayNS: 1e8, Connections: 20, Pipeline: 1},
	}
	p.Family = []record.Comparison{{A: cell("a", 0), B: cell("b", 0)}, {A: cell("a", 2), B: cell("b", 2)}}
	arranged(&p, paired)
	p.Epochs = []int{8}
	return p
}

func TestFreshProcessesHaveALevelOrItsSteps(t *testing.T) {
	p := player{run: record.Run{Plan: fresh()}, rate: rates}
	if stop := p.play(t, never); stop != LastAnalysis {
		t.Fatalf("stopped for %q", stop)
	}
	cost, err := Estimate(&p.run.Plan)
	if err != nil || len(p.run.Trials) != cost.Trials || lastEpoch(&p.run)+1 != cost.Epochs {
		t.Errorf("%d trials, %d epochs; the estimate says %d, %d, %v", len(p.run.Trials), lastEpoch(&p.run)+1,
			cost.Trials, cost.Epochs, err)
	}
	if p.run.Plan.Load.RewarmNS != 0 || p.run.Plan.Rounds != 1 || p.run.Plan.Pilots != 0 {
		t.Errorf("%+v", p.run.Plan)
	}
	epochs := map[string]int{} // by the levels that their rounds loaded, in order
	first := map[string]int{}
	for e := range lastEpoch(&p.run) + 1 {
		var order []string
		for i := range p.run.Trials {
			if tr := p.run.Trials[i]; tr.Epoch == e {
				order = append(order, fmt.Sprint(p.run.Plan.At(tr)))
				if tr.Position == 0 {
					first[tr.Contestant]++
				}
			}
		}
		epochs[strings.Join(order, "")]++
	}
	// The second level is named by nobody, but the third goes on with its processes.
	if len(epochs) != 3 || epochs["00"] != 8 || epochs["1122"] != 8 || epochs["33"] != 6 {
		t.Errorf("%v", epochs)
	}
	if first["a"] < 4 || first["b"] < 4 {
		t.Errorf("who is first is not drawn: %v", first)
	}
}

// A load of its own can be waited for: 600 requests on 30 connections that wait 0.1 s each take 2
// s.
func TestFreshCostIsOfTheRequests(t *testing.T) {
	p := fresh()
	o, _ := Next(&record.Run{Plan: p}, nil)
	if d := time.Duration(o.TrialNS); d < 2*time.Second || d > 2500*time.Millisecond {
		t.Errorf("a trial of %v", d)
	}
	p.BudgetNS = int64(time.Minute)
	if _, err := Estimate(&p); err == nil || !strings.Contains(err.Error(), "cannot reach a verdict") {
		t.Errorf("%v", err)
	}
}

// A discarded round is not repeated, for its processes are loaded: its epoch does not count, and another
// is taken.
func TestFreshDiscardedEpochIsNotRepeated(t *testing.T) {
	p := player{run: record.Run{Plan: fresh()}, rate: rates, foul: func(o Order) (c record.Causes) {
		if o.Epoch == 4 {
			c.StealNS = 3e8
		}
		return c
	}}
	if stop := p.play(t, never); stop != LastAnalysis {
		t.Fatalf("stopped for %q", stop)
	}
	for i := range p.run.Trials {
		if p.run.Trials[i].Attempt > 0 {
			t.Fatalf("repeated: %+v", p.run.Trials[i].Key)
		}
	}
	discarded, _ := Discarded(&p.run)
	if counted(&p.run) != 8 || discarded == 0 || len(Epochs(&p.run)) != lastEpoch(&p.run) {
		t.Errorf("%d counted, %d trials discarded, %d of %d epochs valid", counted(&p.run), discarded, len(Epochs(&p.run)),
			lastEpoch(&p.run)+1)
	}
}
