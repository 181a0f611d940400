package plan

import (
	"testing"
	"time"

	"dyno/internal/record"
)

// Work is a launch part as a delay is: levels that differ in it have epochs of their own, and are
// never compared.
func TestWorkIsALaunchPart(t *testing.T) {
	p := several()
	p.Levels[3] = record.Level{Work: record.CPUBound, Connections: 5000, Pipeline: 1}
	if got := len(parts(&p)); got != 2 {
		t.Errorf("%d parts; want 2", got)
	}
	pl := player{run: record.Run{Plan: p}, rate: rates}
	pl.play(t, never)
	works := map[int]string{}
	for i := range pl.run.Trials {
		tr := pl.run.Trials[i]
		work := p.LevelOf(tr).Work
		if before, ok := works[tr.Epoch]; ok && before != work {
			t.Fatalf("epoch %d has the work %q and %q", tr.Epoch, before, work)
		}
		if works[tr.Epoch] = work; First(&p, tr.Epoch).Work != work {
			t.Fatalf("epoch %d is launched with the work %q, its trials want %q", tr.Epoch, First(&p, tr.Epoch).Work,
				work)
		}
	}
}

// Every connection of a CPU-bound level is answered once in a trial, and the estimate counts on it.
func TestTrialsOfWork(t *testing.T) {
	p := several()
	p.Load.NS = int64(shortTrial)
	of := func(l record.Level) time.Duration { return time.Duration(trialOf(&p, l)) }
	if got := of(record.Level{Work: record.CPUBound, Connections: 5000, Pipeline: 1}); got != 5000*cpuTime {
		t.Errorf("a trial of 5,000 connections takes %v", got)
	}
	if got := of(record.Level{Work: record.CPUBound, Connections: 10, Pipeline: 1}); got != shortTrial {
		t.Errorf("a trial of ten connections takes %v", got)
	}
	if got := Answered(record.Level{Connections: 5000, Pipeline: 1}); got != 0 {
		t.Errorf("without work they take %v", got)
	}
	cost := func(l record.Level) time.Duration {
		p := standardPlan("a", "b")
		p.Levels = []record.Level{l}
		took := restOf(&record.Run{Plan: p}, record.Key{Epoch: p.Pilots, Position: -1}).Whole
		return took
	}
	least := 4 * 2 * 500 * cpuTime // two and two controls; in and after each trial
	if with, without := cost(record.Level{Work: record.CPUBound, Connections: 500, Pipeline: 1}),
		cost(record.Level{Connections: 500, Pipeline: 1}); with-without < least {
		t.Errorf("an epoch takes %v; %v without work", with, without)
	}
}

func TestWarmUpOfManyConnections(t *testing.T) {
	for c, want := range map[int]int{125: 125, 1000: 1000, 5000: 1000} {
		p := standardPlan("a", "b")
		p.Levels[0].Connections = c
		if got := Warmups(&record.Run{Plan: p}, 1, "a"); len(got) != 1 || got[0].Connections != want {
			t.Errorf("%d connections: %+v; want %d", c, got, want)
		}
	}
	if got := WarmWindow(record.Level{Connections: 5000}); got != 100*time.Millisecond {
		t.Errorf("a window takes %v", got)
	}
	if got := WarmWindow(record.Level{Connections: 5000, DelayNS: 5e8}); got != time.Second {
		t.Errorf("with a delay of 0.5 s: %v", got)
	}
}

// Handlers that hash are re-warmed with what they answer in that time, others with what comes.
func TestRewarmRequests(t *testing.T) {
	p := standardPlan("a")
	p.Load.RewarmNS = int64(30 * time.Millisecond)
	for l, want := range map[record.Level]int64{{Connections: 5000}: 0, {Connections: 5000, Work: record.CPUBound}: 30,
		{Work: record.CPUBound, DelayNS: 1e8}: 200} {
		if got := RewarmRequests(&p, l); got != want {
			t.Errorf("%+v: %d; want %d", l, got, want)
		}
	}
}

// A trial after the pilots is so long that a slow server answers each connection three times.
func TestTrialsOfSlowServers(t *testing.T) {
	p := standardPlan("slow", "fast", "slowest")
	p.Load.NS = int64(shortTrial)
	run := &record.Run{Plan: p}
	for name, ns := range map[string]int64{"slow": 250e6, "fast": 25e6, "slowest": 5e9} {
		run.Trials = append(run.Trials, &record.Trial{Contestant: name,
			Load: record.Load{WindowNS: ns, Succeeded: int64(p.First().Connections)}})
	}
	for name, want := range map[string]time.Duration{
		"slow": 750 * time.Millisecond, "fast": shortTrial, "slowest": longTrial,
	} {
		if got := time.Duration(lengthOf(run, name, p.First(), p.Pilots)); got != want {
			t.Errorf("a trial of the %s server takes %v, want %v", name, got, want)
		}
		if got := time.Duration(lengthOf(run, name, p.First(), 0)); got != shortTrial {
			t.Errorf("a pilot's trial of the %s server takes %v", name, got)
		}
	}
	if o, _ := following(run, opening(&run.Plan, p.Pilots, 0)); time.Duration(o.TrialNS) < shortTrial {
		t.Errorf("%+v", o)
	}
}
