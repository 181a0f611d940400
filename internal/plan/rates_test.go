package plan

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// fourRates are two shares of each contestant's own capacity, a common share and a number.
var fourRates = []OpenRate{{Share: .3, Own: true}, {Share: .8, Own: true}, {Share: CommonShare}, {PerSec: 10_000}}

// rated is a plan with them, of two contestants.
func rated(t *testing.T, change func(*Request)) record.Plan {
	t.Helper()
	r := Request{Contestants: []string{"c0", "c2"}, Scenario: "values", Rates: fourRates,
		Primary: "throughput"}
	change(&r)
	p, err := New(r, someWorld())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Rates that are asked for are levels beside the closed loop, which alone decides; what they take is
// added to a budget that was not asked for, and at most half of one that was.
func TestRatesAreLevelsBeside(t *testing.T) {
	p := rated(t, func(*Request) {})
	want := []record.Level{{RateShare: .3, OwnRate: true}, {RateShare: .8, OwnRate: true}, {RateShare: CommonShare},
		{RatePerSec: 10_000}}
	if len(p.Levels) != 5 || p.Levels[0] != p.First() || p.First().Open() || !p.Ranks() {
		t.Fatalf("levels %+v", p.Levels)
	}
	for i, l := range want {
		if l.Connections, l.Pipeline = 125, 1; p.Levels[i+1] != l {
			t.Errorf("level %d: %+v", i+1, p.Levels[i+1])
		}
	}
	plain := rated(t, func(r *Request) { r.Rates = nil })
	if cost := openCost(&p); p.Load.OpenNS != 10e9 || record.OpenRequests != 100_000 || p.Rounds != plain.Rounds ||
		cost < 6*2*4*10*time.Second || p.BudgetNS < plain.BudgetNS+int64(cost) {
		t.Errorf("loads of %v cost %v; budget %v against %v", time.Duration(p.Load.OpenNS), cost, time.Duration(p.BudgetNS),
			time.Duration(plain.BudgetNS))
	}
	short := rated(t, func(r *Request) { r.Budget = 10 * time.Minute })
	if short.BudgetNS != 600e9 || short.Load.OpenNS >= p.Load.OpenNS || openCost(&short) > 5*time.Minute {
		t.Errorf("within 10 minutes: loads of %v cost %v", time.Duration(short.Load.OpenNS), openCost(&short))
	}
	if text := openWords(&short); !strings.Contains(text, "for 10s pass --budget ") {
		t.Errorf("a plan that has fewer requests says %q", text)
	}
	cost, err := Estimate(&short)
	if err != nil || cost.Whole > 10*time.Minute {
		t.Errorf("%+v, %v", cost, err)
	}
	if full := rated(t, func(r *Request) { r.Rates, r.Profile = nil, "full" }); full.Load.OpenNS != 0 {
		t.Errorf("a profile's own open loop is changed: %+v", full)
	}
}

// A study's named pairs stay what is decided.
func TestRatesBesideNamedPairs(t *testing.T) {
	q := someQuestion()
	p := rated(t, func(r *Request) {
		r.Contestants, r.Scenario, r.Question, r.Rates = nil, "", q, fourRates[:1]
	})
	own := q.Levels[0]
	own.RateShare, own.OwnRate = .3, true
	if len(p.Levels) != 3 || p.Levels[2] != own || len(p.Family) != 1 || p.Study.ClaimsHash != "h" ||
		len(p.Study.LevelNames) != 3 {
		t.Fatalf("%+v", p)
	}
	if names, judged := Loaded(&p, 2); !slices.Equal(names, []string{"c0", "c1"}) || judged {
		t.Errorf("%v, judged %v", names, judged)
	}
	if sweep := rated(t, func(r *Request) { r.Protocol, r.Connections = "sweep", []int{5, 6} }); len(sweep.Levels) != 10 ||
		sweep.Levels[9].Connections != 6 || sweep.Levels[9].RatePerSec != 10_000 {
		t.Errorf("a sweep: %+v", sweep.Levels)
	}
}

// Each is loaded at shares of what it showed itself in the pilots, as long as 100,000 requests take or
// for 10 s, after all else of its round. A resumed run goes on at the same rates.
func TestOwnRates(t *testing.T) {
	p := player{run: record.Run{Plan: rated(t, func(*Request) {})}, rate: func(o Order) float64 {
		return map[string]float64{"c0": 50_000, "c2": 20_000, "ref": 30_000, "ref'": 30_000, "null": 90_000}[o.Contestant] +
			float64(o.Round)
	}}
	// 50,005.5 and 20,005.5 are the medians of the pilot's twelve rounds.
	want := map[string][4]float64{"c0": {15_002, 40_004, 14_004, 10_000}, "c2": {6_002, 16_004, 14_004, 10_000}}
	long := map[string][4]time.Duration{"c0": {6700, 2500, 7200, 10_000}, "c2": {10_000, 6300, 7200, 10_000}}
	seen := map[string]int{}
	p.after = func() {
		run := p.run
		last := run.Trials[len(run.Trials)-1]
		at := run.Plan.At(last)
		if at > 0 {
			seen[last.Contestant]++
			if rate := last.Level.RatePerSec; rate != want[last.Contestant][at-1] || last.Round > 0 {
				t.Fatalf("%s at level %d, round %d: %v/s", last.Contestant, at, last.Round, rate)
			}
			e := slot{Cell: record.Cell{Contestant: last.Contestant, Level: at}, level: *last.Level}
			if got := time.Duration(trialOf(&run.Plan, e)); got != long[last.Contestant][at-1]*time.Millisecond {
				t.Fatalf("%s at level %d lasts %v", last.Contestant, at, got)
			}
			return
		}
		if n := len(run.Trials); n > 1 && last.Position > 0 && run.Plan.At(run.Trials[n-2]) > 0 {
			t.Fatalf("%s is loaded after an open loop of its round", last.Contestant)
		}
	}
	p.foul = func(o Order) (c record.Causes) {
		if o.Epoch == 2 && o.Round == 0 && o.Attempt == 0 {
			c.StealNS = 4e8 // the round is repeated
		}
		return c
	}
	p.play(t, never)
	if seen["c0"] != 24+4 || seen["c2"] != 24+4 || len(seen) != 2 {
		t.Fatalf("loads at rates: %v; want four in each of six epochs of each contestant, in one twice", seen)
	}
	if _, ok := Rate(&p.run, 1); ok {
		t.Error("a share of each one's own capacity is said to be one rate")
	}
	var again record.Run // as it is read
	again.Launches = append(again.Launches, p.run.Launches...)
	again.Plan = p.run.Plan
	for i := range p.run.Trials {
		var tr record.Trial
		text, err := json.Marshal(p.run.Trials[i])
		if err = errors.Join(err, json.Unmarshal(text, &tr)); err != nil {
			t.Fatal(err)
		}
		if tr.Epoch < 4 {
			again.Trials = append(again.Trials, &tr)
		}
	}
	again.Resumes = []record.Resume{{Epoch: 4}}
	o, stop := Next(&again, func() bool { return false })
	for ; stop == "" && o.Level.RateShare == 0; o, stop = Next(&again, func() bool { return false }) {
		tr := record.Trial{Key: o.Key, Contestant: o.Contestant, Load: record.Load{WindowNS: 1e9, Succeeded: 1}}
		again.Trials = append(again.Trials, &tr)
	}
	if at := slices.Index(again.Plan.Levels, o.Level.Planned()); at < 1 || o.Level.RatePerSec != want[o.Contestant][at-1] {
		t.Errorf("resumed: %+v, %q", o, stop)
	}
}

// A record of a sweep may have no rounds.
func TestOpenLoopsWithoutRounds(t *testing.T) {
	p := record.Plan{Pilots: 1, Contestants: []string{"a"}, Load: record.LoadLength{OpenNS: 1e10},
		Levels: []record.Level{{Connections: 1}, {Connections: 1, RatePerSec: 100}}}
	run := &record.Run{Plan: p, Trials: []*record.Trial{{Contestant: "a", Level: &p.Levels[0]}}}
	if Reached(run) == "" {
		t.Error("it says nothing")
	}
}
