package plan

import (
	"fmt"
	"slices"
	"testing"

	"dyno/internal/result"
)

// With an external load generator each server is loaded twice in a row, and so is the one that
// shows the ceilings. None that failed is loaded again.
func TestClassicWithAnExternalTool(t *testing.T) {
	p := result.Plan{Protocol: Classic, Profile: Standard, Scenario: "values", Contestants: []string{"a", "b"},
		Controls: []string{"ref"}, Ceiling: "null",
		External: "wrk", Epochs: 2, Level: result.Level{Connections: 8, Pipeline: 1}, TrialNS: 1e9, BudgetNS: 1e12}
	arranged(&p)
	run := &result.Run{Plan: p}
	var got []string
	for {
		o, stop := Next(run, func() bool { return false })
		if stop != "" {
			got = append(got, string(stop))
			break
		}
		got = append(got, fmt.Sprintf("%d %s %s", o.Epoch, o.Contestant, o.External))
		run.Add(result.Record{Trial: &result.Trial{Key: o.Key, Contestant: o.Contestant, External: o.External, StartedUnixNS: 1, EndedUnixNS: 2}})
		if o.Epoch == 0 && o.Contestant == "b" {
			run.Add(result.Record{Failure: &result.Failure{Contestant: "b", Stage: "load"}})
		}
	}
	want := []string{"0 a ", "0 a wrk", "0 b ", "0 null ", "0 null wrk", "1 a ", "1 a wrk", "1 null ", "1 null wrk", "done"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if c, err := Estimate(&p); err != nil || c.Trials != 12 {
		t.Errorf("%d trials, %v", c.Trials, err)
	}
	p.External = ""
	if arranged(&p); p.Ceiling != "" {
		t.Errorf("a ceiling %q without a use", p.Ceiling)
	}
}
