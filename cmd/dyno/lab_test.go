package main

import (
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
)

func TestLabWantsCPUs(t *testing.T) {
	p := &result.Plan{Profile: plan.Lab}
	err := atHome(p, 2, false)
	if err == nil || !strings.Contains(err.Error(), "this machine gives dyno 2") || !strings.Contains(err.Error(), "--profile full") {
		t.Errorf("on two CPUs: %v", err)
	}
	if p.Forced != "" {
		t.Errorf("refused, yet recorded as forced: %q", p.Forced)
	}
	if err := atHome(p, 2, true); err != nil || !strings.Contains(p.Forced, "2") {
		t.Errorf("forced: %v, recorded %q", err, p.Forced)
	}
	if got := commandOf(&runFlags{force: true}, p, ""); !strings.Contains(got, " --profile lab ") || !strings.Contains(got, " --force ") || strings.Contains(got, "''") {
		t.Error(got)
	}
	for _, p := range []*result.Plan{{Profile: plan.Lab}, {Profile: "full"}} {
		cpus := map[string]int{plan.Lab: plan.LabCPUs, "full": 1}[p.Profile]
		if err := atHome(p, cpus, true); err != nil || p.Forced != "" {
			t.Errorf("%s on %d CPUs: %v, %q", p.Profile, cpus, err, p.Forced)
		}
	}
}

func TestP99IsRankedInTheLabAlone(t *testing.T) {
	for _, p := range []result.Plan{{Profile: "quick", Protocol: plan.Duel}, {Profile: "full", Protocol: plan.Duel}, {Profile: plan.Lab, Protocol: plan.Sweep}} {
		p.Primary = "p99"
		if err := tail(&p); err == nil || !strings.Contains(err.Error(), "--profile lab") {
			t.Errorf("%s, %s: %v", p.Profile, p.Protocol, err)
		}
	}
	p := result.Plan{Profile: plan.Lab, Protocol: plan.Duel, Primary: "p99", Level: result.Level{Connections: 64, Pipeline: 1}}
	if err := tail(&p); err != nil {
		t.Fatal(err)
	}
	closed := result.Level{Connections: 64, Pipeline: 1}
	if p.Primary != plan.Tail || len(p.Levels) != 2 || p.Levels[0] != p.Level || !p.Level.Open() || p.Level.RateShare != .5 || p.Levels[1] != closed {
		t.Errorf("%s at %+v", p.Primary, p.Levels)
	}
	if plan.LabMargin(&p) != .05 || plan.LabMargin(&result.Plan{Primary: "throughput"}) != .02 {
		t.Error("margins")
	}
	quick := result.Plan{Profile: "quick", Protocol: plan.Duel, Primary: "throughput", Level: closed}
	if err := tail(&quick); err != nil || quick.Levels != nil || quick.Level != closed {
		t.Errorf("%+v, %v", quick, err)
	}
	budget(&p, &runFlags{})
	if p.BudgetNS != int64(time.Hour) {
		t.Errorf("a budget of %v", time.Duration(p.BudgetNS))
	}
}
