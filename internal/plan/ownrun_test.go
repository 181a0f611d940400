package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// A study's classic run is what the protocol makes of its question, unless the request names
// contestants.
func TestTheArticlesOwnRun(t *testing.T) {
	level := record.Level{Connections: 9, Pipeline: 1}
	q := Question{Study: "s", Contestants: []string{"a", "b", "c"}, Levels: []record.Level{firstLevel},
		Primary: "throughput",
		Classics: []ClassicRun{
			{Contestants: []string{"a", "b"}, Level: level, Requests: 500},
			{Name: "short", Contestants: []string{"c"}, Level: level, Duration: time.Second},
		}}
	p, err := New(Request{Question: q, Protocol: classic}, World{})
	if err != nil || !slices.Equal(p.Contestants, []string{"a", "b"}) || p.First() != level || p.Load.Requests != 500 ||
		p.Study.Slug != "s" || p.Ceiling != "" {
		t.Errorf("%v, %+v", err, p)
	}
	p, err = New(Request{Question: q, Protocol: classic, OwnRun: "short"}, World{})
	if err != nil || p.Load.Requests != 0 || p.Load.NS != 1e9 {
		t.Errorf("by its name: %v, %+v", err, p)
	}
	p, err = New(Request{Question: q, Protocol: classic, Contestants: []string{"c"}, Duration: time.Second}, World{})
	if err != nil || p.Load.Requests != 0 {
		t.Errorf("of other contestants: %v, %+v", err, p)
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
