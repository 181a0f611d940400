package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// With an external load generator each server is loaded twice in a row, and so is the one that
// shows the ceilings. None that failed is loaded again.
func TestClassicWithAnExternalTool(t *testing.T) {
	p := record.Plan{Profile: Standard, Scenario: "values", Contestants: []string{"a", "b"},
		Controls: []string{"ref"}, Ceiling: "null",
		External: []string{"wrk"}, Epochs: []int{2}, Levels: []record.Level{{Connections: 8, Pipeline: 1}},
		Load: record.LoadLength{NS: 1e9}, BudgetNS: 1e12}
	arranged(&p, classic)
	p.Epochs, p.Controls = []int{2}, nil
	run := &record.Run{Plan: p}
	var got []string
	for {
		o, stop := Next(run, func() bool { return false })
		if stop != "" {
			got = append(got, string(stop))
			break
		}
		got = append(got, fmt.Sprintf("%d %s %s", o.Epoch, o.Contestant, o.External))
		run.Add(record.Record{Trial: &record.Trial{Key: o.Key, Contestant: o.Contestant, External: o.External,
			StartedUnixNS: 1, EndedUnixNS: 2}})
		if o.Epoch == 0 && o.Contestant == "b" {
			run.Add(record.Record{Failure: &record.Failure{Contestant: "b", Stage: "load"}})
		}
	}
	want := []string{"0 a ", "0 a wrk", "0 b ", "0 null ", "0 null wrk", "1 a ", "1 a wrk", "1 null ", "1 null " +
		"wrk", "done"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if c, err := Estimate(&p); err != nil || c.Trials != 12 {
		t.Errorf("%d trials, %v", c.Trials, err)
	}
}

// A study's classic run is what the protocol makes of its question, tools included, unless the
// request names contestants; wrk, which cannot count, loads for as long as dyno did.
func TestTheArticlesOwnRun(t *testing.T) {
	level := record.Level{Connections: 9, Pipeline: 1}
	q := Question{Study: "s", Contestants: []string{"a", "b", "c"}, Levels: []record.Level{firstLevel},
		Primary: "throughput",
		Classics: []ClassicRun{
			{Contestants: []string{"a", "b"}, Level: level, Requests: 500, Tools: []string{"ab", "wrk"}},
			{Name: "short", Contestants: []string{"c"}, Level: level, Duration: time.Second},
		}}
	p, err := New(Request{Question: q, Protocol: classic}, World{})
	if err != nil || !slices.Equal(p.Contestants, []string{"a", "b"}) || p.First() != level || p.Load.Requests != 500 ||
		!slices.Equal(p.External, []string{"ab", "wrk"}) || p.Study.Slug != "s" || p.Ceiling == "" {
		t.Errorf("%v, %+v", err, p)
	}
	run := &record.Run{Plan: p}
	var took []string
	for range 3 {
		o, _ := Next(run, nil)
		took = append(took, fmt.Sprint(o.External, o.TrialNS))
		tr := &record.Trial{Key: o.Key, Contestant: o.Contestant, External: o.External}
		tr.Load.WindowNS = 77
		run.Add(record.Record{Trial: tr})
	}
	if want := []string{"30000000000", "ab77", "wrk77"}; !slices.Equal(took, want) {
		t.Errorf("%q, want %q", took, want)
	}
	p, err = New(Request{Question: q, Protocol: classic, OwnRun: "short", External: []string{"wrk"}}, World{})
	if err != nil || p.Load.Requests != 0 || p.Load.NS != 1e9 || !slices.Equal(p.External, []string{"wrk"}) {
		t.Errorf("by its name: %v, %+v", err, p)
	}
	p, err = New(Request{Question: q, Protocol: classic, Contestants: []string{"c"}, Duration: time.Second}, World{})
	if err != nil || len(p.External) > 0 || p.Load.Requests != 0 {
		t.Errorf("of other contestants: %v, %+v", err, p)
	}
	relay := World{Scenario: func(string) (Scenario, error) { return Scenario{Services: records}, nil }}
	if p, err = New(Request{Question: q, Protocol: classic}, relay); err != nil || p.Ceiling != "" {
		t.Errorf("with a service: %v, ceiling %q", err, p.Ceiling)
	}
	if p, err = New(Request{Question: q}, World{}); err != nil || len(p.Contestants) != 3 {
		t.Errorf("a comparison: %v, %+v", err, p)
	}
	for want, r := range map[string]Request{
		`no classic run of that name; those with a name are: "short"`: {Question: q, Protocol: classic, OwnRun: "long"},
		"--classic applies only to --protocol classic":                {Question: q, OwnRun: "short"},
	} {
		if _, err := New(r, World{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}
