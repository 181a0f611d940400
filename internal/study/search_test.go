package study

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
)

// searched plays a search in which each contestant's p99 at rate r is 2 ms/(1-r/full).
func searched(t *testing.T, full map[string]float64) *record.Run {
	t.Helper()
	p := planned(t, plan.Request{
		Title: "How much?", Scenario: "values", Protocol: "search", Contestants: []string{"a", "b", "gone"},
		Controls: []string{"ref"},
		Seed:     3, Primary: "throughput", Budget: time.Hour, Connections: []int{64},
	})
	run := &record.Run{Plan: p, Failures: []record.Failure{{Contestant: "gone", Stage: "build",
		Reason: "it does not compile"}}}
	for {
		o, stop := plan.Next(run, nil)
		if stop != "" {
			run.End = &record.End{Reason: string(stop)}
			return run
		}
		rate, top := o.Level.RatePerSec, full[o.Contestant]
		l := record.Load{WindowNS: o.TrialNS, Connections: 64, Established: 64,
			Started: int64(top * float64(o.TrialNS) / 1e9)}
		if rate > 0 {
			l.Planned = int64(rate * float64(o.TrialNS) / 1e9)
			l.Started = l.Planned
			l.ResponseP99NS = int64(2e6 / max(1-rate/top, 1e-3))
		}
		l.Succeeded = l.Started
		level := o.Level
		run.Trials = append(run.Trials, &record.Trial{Key: o.Key, Contestant: o.Contestant, Level: &level, Load: l,
			Causes: record.Causes{WallNS: o.TrialNS, ServerCPUs: 1, GeneratorCPUs: 1}})
	}
}

func TestSearchIsReported(t *testing.T) {
	run := searched(t, map[string]float64{"a": 50_000, "b": 20_000, "ref": 40_000})
	d := Evaluate(run)
	if len(d.Found) != 3 {
		t.Fatalf("%d capacities: %+v", len(d.Found), d.Found)
	}
	for i, want := range []float64{40_000, 16_000, 32_000} {
		if c := d.Found[i]; math.Abs(c.Rate/want-1) > .05 || c.Confirmed != 3 || c.Confirms != 3 {
			t.Errorf("%s: %+v; want %.0f", c.Contestant, c, want)
		}
	}
	for name, write := range report.Formats {
		var b bytes.Buffer
		err := write(&b, d)
		if name == "svg" {
			if err == nil {
				t.Error("a chart of a search was drawn")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text := b.String(); !strings.Contains(strings.ToLower(text), "search") &&
			!strings.Contains(text, "highest_rate") ||
			!strings.Contains(text, "3 of 3") && name != "benchfmt" && name != "json" {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if len(Standing(run)) != 0 {
		t.Log(Standing(run)) // must not panic
	}
}
