package report

import (
	"math"
	"strings"
	"testing"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// Where every contestant is warm at once, the intervals say in what unit that stands.
func TestScaleOfStartsAtOnce(t *testing.T) {
	v := &View{}
	for _, hi := range []float64{0, 101e6, math.Inf(1)} {
		r := Row{}
		r.Starts = judge.Starts{N: 3, Steady: judge.Estimate{N: 3, Hi: hi}}
		v.rows = append(v.rows, r)
	}
	warm := startColumns[1]
	if got := v.startScale(warm).Name; got != "ms" {
		t.Errorf("the unit is %s; want ms", got)
	}
	v.rows[0].Starts.Steady.Value = 5e3
	if got := v.startScale(warm).Name; got != "µs" {
		t.Errorf("with one of 5 µs it is %s", got)
	}
}

// The widest gap between the levels of starts separates those of two kinds.
func TestReachedCells(t *testing.T) {
	var each []judge.Start
	for i, level := range []float64{1, .94, 1.01, .95, .99, 0, 1.02} {
		each = append(each, judge.Start{Epoch: i, Level: level})
	}
	cells := reachedCells(each)
	if got := cells[0].Value + ", " + cells[1].Value + " " + cells[1].Side; got != "0.940–1.020, 4.2 % (2 of 6 below)" {
		t.Error(got)
	}
	if few := reachedCells(each[:2]); few[0].Absent == "" || few[1].Absent == "" {
		t.Errorf("of two starts: %+v", few)
	}
}

// The page shows each start as a dot, the table and run.json their levels.
func TestStartsAreShown(t *testing.T) {
	d := fixture()
	levels := map[int]float64{}
	for _, l := range d.Run.Launches {
		if levels[l.Epoch] = 1; l.Epoch%3 == 0 {
			levels[l.Epoch] = .93
		}
	}
	d.Reached = map[string]map[int]float64{"hyper": levels}
	charts := NewView(d).startCharts()
	if len(charts) != 2 {
		t.Fatalf("%d charts", len(charts))
	}
	ready, level := charts[0].(document.LineChart), charts[1].(document.LineChart)
	for i, n := range level.Series {
		if dots := len(level.Plots[0].Points[i]); n.Name == "hyper" != (dots > 6) || len(ready.Plots[0].Points[i]) < 7 {
			t.Errorf("%s has %d levels, %d first answers", n.Name, dots, len(ready.Plots[0].Points[i]))
		}
	}
	for name, want := range map[string]string{"html": `chart-levels-reached-wide`, "json": `"level_ratio": 0.93`} {
		if got := string(written(t, Formats[name], d)); !strings.Contains(got, want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
	if got := string(written(t, inFull, d)); !strings.Contains(got, "0.930–1.000") {
		t.Errorf("no range of levels:\n%s", got)
	}
}
