package judge

import (
	"math"
	"testing"

	"dyno/internal/record"
)

// TestMergedTails: if each trial has its histogram, p99 covers all requests: a few slow trials
// decide it, even if the median trial does not show them. If a trial lacks it, the median stays.
func TestMergedTails(t *testing.T) {
	var trials []*record.Trial
	for _, name := range []string{"a", "b"} {
		for i := range 50 {
			h := record.NewHistogram()
			h.RecordN(1e6, 990)
			h.RecordN(map[bool]int64{true: 900e6, false: 2e6}[i < 5], 10)
			if i < 5 {
				h.RecordN(900e6, 200)
			}
			text, err := h.Encode(2)
			if err != nil {
				t.Fatal(err)
			}
			if name == "b" && i == 7 {
				text = ""
			}
			trials = append(trials, &record.Trial{Key: record.Key{Epoch: i}, Contestant: name,
				Load: record.Load{Succeeded: h.Count(), Service: text, ServiceP99NS: h.Quantile(.99)}})
		}
	}
	old := Estimate{Value: 2e6, Lo: 1e6, Hi: 3e6, N: 50}
	a := &Analysis{Cells: []Cell{{Contestant: "a", Metric: "p99", Level: old},
		{Contestant: "b", Metric: "p99", Level: old}}}
	mergeTails(a, trials)
	if c := a.Cell("a", "p99"); !c.Merged || math.Abs(c.Level.Value/900e6-1) > 0.01 || c.Level.N != 50 {
		t.Errorf("a: %+v", c)
	}
	if c := a.Cell("b", "p99"); c.Merged || c.Level != old {
		t.Errorf("b: %+v", c)
	}
}
