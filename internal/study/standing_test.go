package study

import (
	"testing"

	"dyno/internal/plan"
	"dyno/internal/report"
)

// The pilots' first whole round shows who leads; epochs add their ratios' range.
func TestStandingFromTheFirstRound(t *testing.T) {
	r := plan.Request{Contestants: []string{"b", "a"}, Controls: []string{"ref", "ref'"}, Primary: "throughput",
		Connections: []int{10}, Seed: 3}
	run := carriedOut(t, planned(t, r), madeUp)
	whole := run.Trials
	for n, ranged := range map[int]bool{len(whole) / 30: false, len(whole): true} {
		run.Trials = whole[:n]
		all := Standing(run)
		if len(all) != 2 || all[0].Name != "a" || all[0].Ratio != 1 || all[0].Of != report.ToBest {
			t.Fatalf("%d trials: %+v", n, all)
		}
		b := all[1]
		if b.Ratio < 1.6 || b.Ratio > 2.5 || b.PerSec <= 0 || (b.Lo < b.Ratio && b.Ratio < b.Hi) != ranged {
			t.Errorf("%d trials: %+v", n, b)
		}
	}
	run.Trials = nil
	for _, x := range whole { // a has the larger median, b is faster in most rounds
		if x.Epoch == 0 && x.Round < 3 {
			if rates := map[string][]int64{"a": {1, 50, 60}, "b": {40, 48, 100}}[x.Contestant]; rates != nil {
				x.Load.Succeeded = 1000 * rates[x.Round]
			}
			run.Trials = append(run.Trials, x)
		}
	}
	if all := Standing(run); len(all) != 2 || all[0].Name != "b" || !(all[1].Ratio > 1) {
		t.Errorf("the leader must be ahead: %+v", all)
	}
	run.Trials = nil
	for _, x := range whole { // the machine slept in the rounds of either in turn
		if one := *x; x.Epoch == 0 {
			if (x.Contestant == "a") == (x.Round%2 == 0) {
				one.Causes.SuspendedNS = 1
			}
			run.Trials = append(run.Trials, &one)
		}
	}
	if all := Standing(run); len(all) != 0 {
		t.Errorf("of no round in common: %+v", all)
	}
	run.Trials = nil
	if all := Standing(run); len(all) != 0 {
		t.Errorf("before the first trial: %+v", all)
	}
	run.Trials = nil
	for _, one := range whole { // a uses what other programs leave, b waits
		x := *one
		run.Trials = append(run.Trials, &x)
		c := &x.Causes
		c.WallNS, c.ServerCPUs, x.ClocksNS, c.BackgroundServerNS = 1e8, 1, 1e8, 4e7
		ns := map[bool]int64{true: 58e6, false: 3e7}[x.Contestant == "a"]
		x.Server.CPUNS = &ns
	}
	if all := Standing(run); len(all) != 2 || all[0].Ratio != 1 || all[1].Ratio != 0 || all[1].PerSec <= 0 {
		t.Errorf("without a ratio: %+v", all)
	}
}

// A reported leader is behind no other: the best against any single other does not lead if a third
// beats it, and nobody leads if each is behind another.
func TestStandingLeader(t *testing.T) {
	for name, c := range map[string]struct {
		rates  map[string][]int64 // by round
		leader string
	}{
		"a third is the best against a": {map[string][]int64{"a": {10, 1, 1}, "b": {10, 3, 3}, "c": {20, 2, 4}}, "c"},
		"each is behind another":        {map[string][]int64{"a": {1, 2, 3}, "b": {2, 3, 1}, "c": {3, 1, 2}}, ""},
	} {
		r := plan.Request{Contestants: []string{"a", "b", "c"}, Controls: []string{"ref", "ref'"},
			Primary: "throughput", Connections: []int{10}, Seed: 3}
		run := carriedOut(t, planned(t, r), madeUp)
		all := run.Trials
		run.Trials = nil
		for _, x := range all {
			if x.Epoch == 0 && x.Round < 3 {
				if rates := c.rates[x.Contestant]; rates != nil {
					x.Load.Succeeded = 1000 * rates[x.Round]
				}
				run.Trials = append(run.Trials, x)
			}
		}
		leader := ""
		standing := Standing(run)
		for i, s := range standing {
			if i == 0 {
				leader = s.Name
			} else if s.Ratio < 1 {
				t.Errorf("%s: %s leads, but %+v", name, leader, s)
			}
		}
		if leader != c.leader {
			t.Errorf("%s: %q leads, want %q: %+v", name, leader, c.leader, standing)
		}
	}
}
