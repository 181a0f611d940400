package study

import (
	"testing"

	"dyno/internal/plan"
	"dyno/internal/report"
)

// The first whole round of the pilots shows who leads; epochs add the range that their ratios had.
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
		if b.Ratio < 0.4 || b.Ratio > 0.6 || b.PerSec <= 0 || (b.Lo < b.Ratio && b.Ratio < b.Hi) != ranged {
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
	if all := Standing(run); len(all) != 2 || all[0].Name != "b" || !(all[1].Ratio < 1) {
		t.Errorf("the leader must be ahead: %+v", all)
	}
	run.Trials = nil
	if all := Standing(run); len(all) != 0 {
		t.Errorf("before the first trial: %+v", all)
	}
}
