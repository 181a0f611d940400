package report

import (
	"strings"
	"testing"

	"dyno/internal/judge"
)

// Findings that differ in contestant and figures alone are one item; other levels, states and checks
// are items of their own.
func TestFindingList(t *testing.T) {
	v := NewView(fixture())
	finding := func(who, text string, state judge.State) judge.Finding {
		return judge.Finding{ID: "V1", Title: "busy", Contestant: who, State: state, Text: text}
	}
	list := v.findingList([]judge.Finding{
		finding("a", "at 0ms c5000 it used 94.3 % of its CPUs", judge.Warn),
		finding("b", "at 0ms c5000 it used 1,000 % of its CPUs", judge.Warn),
		finding("a", "at 0ms c100 it used 94.3 % of its CPUs", judge.Warn),
		finding("c", "at 0ms c5000 it used 7 % of its CPUs", judge.Warn),
		finding("c", "at 0ms c5000 it used 7 % of its CPUs", judge.Fail),
		finding("", "no figure", judge.Pass), finding("", "no figure", judge.Pass),
	})
	var got []string
	for _, i := range list.Items {
		text := i.Label + " " + i.Text.String()
		for _, m := range i.More {
			text += "; " + m.String()
		}
		got = append(got, text)
	}
	want := `warn a: at 0ms c5000 it used 94.3 % of its CPUs; busy; likewise, figures apart: b, c
warn a: at 0ms c100 it used 94.3 % of its CPUs; busy
fail c: at 0ms c5000 it used 7 % of its CPUs; busy
pass no figure; busy
pass no figure; busy`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}
