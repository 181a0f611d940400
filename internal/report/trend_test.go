package report

import (
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// Who still moves is marked in every form that people read, and in JSON; a check that cannot tell is named.
func TestMovingIsMarked(t *testing.T) {
	d := fixture()
	d.Analysis.Trends = []judge.Trend{
		{Cell: record.Cell{Contestant: "kestrel"}, Metric: "throughput",
			Change: judge.Estimate{Value: 1.06, Lo: 1.03, Hi: 1.10, N: 12}, P: .01, Moving: true},
		{Cell: record.Cell{Contestant: "iris"}, Metric: "throughput",
			Change: judge.Estimate{Value: 1.02, Lo: .99, Hi: 1.05, N: 12}, P: .4},
	}
	d.Findings = append(d.Findings, judge.Finding{ID: judge.Order, Title: "order effect", State: judge.CannotTell,
		Text: "as much as 3 %"})
	for name, write := range map[string]Writer{"text": inFull, "html": HTML, "markdown": Markdown} {
		got := strings.Join(strings.Fields(string(written(t, write, d))), " ")
		if strings.Count(got, "still rising 6 % (3–10) over the epoch") != 1 {
			t.Errorf("%s: the mark is missing:\n%s", name, got)
		}
		if !strings.Contains(strings.ToLower(got), "cannot tell") {
			t.Errorf("%s: the check that cannot tell is missing", name)
		}
	}
	got := string(written(t, JSON, d))
	if !strings.Contains(got, `"moving": true`) || strings.Count(got, `"p_adjusted"`) != 2 ||
		!strings.Contains(got, `"state": "cannot tell"`) {
		t.Errorf("json: %s", got)
	}
}
