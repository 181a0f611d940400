package study

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dyno/internal/judge"
)

// levels are some cells' values: their figures, their intervals, and for a cell without an interval
// the range over its epochs.
type levels map[string]struct {
	judge.Estimate
	least, most float64
}

func (l levels) Moves(Cell, string) string { return "" }

func (l levels) Missing(c Cell, _ string) (Verdict, string) {
	if _, ok := l[c.String()]; !ok {
		return Inconclusive, "it failed"
	}
	return "", ""
}
func (l levels) Level(c Cell, _ string) judge.Estimate { return l[c.String()].Estimate }
func (l levels) Range(c Cell, _ string) (float64, float64, bool) {
	x := l[c.String()]
	return x.least, x.most, x.most > 0
}
func (levels) RatioRange(Cell, Cell, string) (float64, float64, bool) { return 0, 0, false }
func (levels) Compare(Cell, Cell, string) Comparison                  { return Comparison{} }
func (levels) Warnings(c Cell, _ string) []Warning {
	return []Warning{{ID: "of the run"}, {ID: "its own", Contestant: c.Contestant}}
}
func (levels) Margin() float64 { return 0.03 }

// at makes a cell for each value, named a, b, …, with an interval of 1 % or, for the first few, a
// range of 1 %.
func at(few int, values ...float64) (l levels, cells []string) {
	l = levels{}
	for i, v := range values {
		name := fmt.Sprintf("%c", 'a'+i)
		cells = append(cells, name)
		x := l[name]
		switch x.Estimate = (judge.Estimate{Value: v, Lo: v * 0.99, Hi: v * 1.01, N: 12}); {
		case v == 0:
			continue // it failed
		case i < few:
			x.Lo, x.Hi, x.N, x.least, x.most = math.Inf(-1), math.Inf(1), 3, v*0.99, v*1.01
		}
		l[name] = x
	}
	return l, cells
}

// Most means more than half, and is contradicted if at least half do not have the property: unknown
// cells count for neither side.
func TestMost(t *testing.T) {
	limit, double := 30_000.0, 2.0
	for _, c := range []struct {
		name   string
		few    int
		values []float64
		claim  Claim
		want   Verdict
		why    string
	}{
		{"all", 0, []float64{31e3, 32e3, 33e3}, Claim{AtLeast: &limit}, Confirmed, "3 of 3 do, 0 do not"},
		{"two of three", 0, []float64{31e3, 32e3, 20e3}, Claim{AtLeast: &limit}, Confirmed, "2 of 3 do, 1 do not"},
		{"half", 0, []float64{31e3, 32e3, 20e3, 20e3}, Claim{AtLeast: &limit}, Contradicted, "2 of 4 do, 2 do not"},
		{"one of three", 0, []float64{31e3, 20e3, 20e3}, Claim{AtLeast: &limit}, Contradicted, ""},
		{"at the limit", 0, []float64{31e3, 30e3, 20e3}, Claim{AtLeast: &limit}, Inconclusive,
			"1 of 3 do, 1 do not, 1 unknown"},
		{"one failed", 0, []float64{31e3, 31e3, 0}, Claim{AtLeast: &limit}, Confirmed,
			"2 of 3 do, 0 do not, 1 unknown"},
		{"two failed", 0, []float64{31e3, 0, 0}, Claim{AtLeast: &limit}, Inconclusive, ""},
		{"all failed", 0, []float64{0, 0, 0}, Claim{AtLeast: &limit}, Inconclusive, "none of them has a figure"},
		{"few epochs", 3, []float64{31e3, 32e3, 20e3}, Claim{AtLeast: &limit}, Confirmed, ""},
		{"at most", 0, []float64{31e3, 32e3, 20e3}, Claim{AtMost: &limit}, Contradicted, ""},
		{"over one", 0, []float64{10, 21, 22, 9}, Claim{AtLeast: &double, Over: []string{"d"}}, Contradicted,
			"2 of 4 do, 2 do not"},
		{"over each", 0, []float64{21, 22, 9}, Claim{AtLeast: &double, Over: []string{"c", "c", "c"}}, Confirmed, ""},
		{"over one that failed", 0, []float64{21, 22, 0}, Claim{AtLeast: &double, Over: []string{"c"}}, Inconclusive,
			""},
		{"near", 0, []float64{90, 100, 110, 200}, Claim{Near: 0.2}, Confirmed, "3 of 4 do, 1 do not"},
		{"far apart", 0, []float64{10, 100, 1000, 10000}, Claim{Near: 0.2}, Contradicted, ""},
	} {
		e, cells := at(c.few, c.values...)
		c.claim.Kind, c.claim.Metric, c.claim.Cells = Most, "throughput", cells
		o := Judge([]Claim{c.claim}, e)[0]
		if o.Verdict != c.want || !strings.Contains(o.Reason, c.why) {
			t.Errorf("%s: %s (%s), want %s …%s…", c.name, o.Verdict, o.Reason, c.want, c.why)
		}
		if len(o.Shown) > 0 && (len(o.Warnings) != 1 || o.Warnings[0].ID != "of the run") {
			t.Errorf("%s: warnings %+v; want that of the whole run", c.name, o.Warnings)
		}
	}
	if !math.IsInf(spanOf(Cell{"z", ""}, "throughput", levels{}).hi, 1) {
		t.Error("a cell without a figure is known")
	}
}

// A claim that no trial can judge is not testable even in a run that did not load it.
func TestNotTestableWhateverWasRun(t *testing.T) {
	for _, c := range []Claim{
		{Kind: Bound, Metric: "throughput", A: "z", AtMost: new(float64), NotTestable: "of a version that is gone"},
		{Kind: Order, Metric: "lines_of_code", Cells: []string{"y", "z"}},
	} {
		if o := Judge([]Claim{c}, notRun{})[0]; o.Verdict != NotTestable || o.Reason == "not loaded" {
			t.Errorf("%s: %s (%s)", c.Metric, o.Verdict, o.Reason)
		}
	}
}

// notRun is evidence from a run that loaded nothing.
type notRun struct{ levels }

func (notRun) Missing(Cell, string) (Verdict, string) { return NotRun, "not loaded" }

// A limit is judged by the range over few epochs if it is far enough away.
func TestBoundOfFewEpochs(t *testing.T) {
	far, near, above := 6e6, 9000.0, 15e3
	e, _ := at(1, 9680)
	for _, c := range []struct {
		claim Claim
		want  Verdict
	}{
		{Claim{AtLeast: &far}, Contradicted},
		{Claim{AtLeast: &near}, Inconclusive},
		{Claim{AtMost: &above}, Confirmed},
	} {
		c.claim.Kind, c.claim.Metric, c.claim.A = Bound, "throughput", "a"
		if o := Judge([]Claim{c.claim}, e)[0]; o.Verdict != c.want || !strings.Contains(o.Reason, "range of 3 epochs") {
			t.Errorf("%+v: %s (%s), want %s", c.claim, o.Verdict, o.Reason, c.want)
		}
	}
}

// All is contradicted by a single cell, even if another is unknown. The range over three epochs is
// widened: by chance one cell in many lies beyond a limit.
func TestAll(t *testing.T) {
	limit := 30.0
	for _, c := range []struct {
		name   string
		few    int
		values []float64
		over   string
		want   Verdict
		why    string
	}{
		{"all", 0, []float64{31, 32, 40}, "", Confirmed, "3 of 3 do, 0 do not"},
		{"all but one", 0, []float64{31, 32, 20}, "", Contradicted, "2 of 3 do, 1 do not"},
		{"one at the limit", 0, []float64{31, 30, 40}, "", Inconclusive, "1 unknown"},
		{"one failed", 0, []float64{31, 32, 0}, "", Inconclusive, ""},
		{"one failed, one does not", 0, []float64{31, 20, 0}, "", Contradicted, ""},
		{"few epochs, far above", 1, []float64{50, 32}, "", Confirmed, ""},
		{"few epochs, above", 1, []float64{35, 32}, "", Inconclusive, ""},
		{"few epochs, below", 1, []float64{27, 32}, "", Inconclusive, ""},
		{"few epochs, far below", 1, []float64{20, 32}, "", Contradicted, ""},
		{"over one", 0, []float64{62, 64, 2}, "c", Contradicted, "2 of 3 do, 1 do not"}, // itself
	} {
		e, cells := at(c.few, c.values...)
		one := Claim{Kind: AllCells, Metric: "throughput", Cells: cells, AtLeast: &limit}
		if c.over != "" {
			one.Over = []string{c.over}
		}
		if o := Judge([]Claim{one}, e)[0]; o.Verdict != c.want || !strings.Contains(o.Reason, c.why) {
			t.Errorf("%s: %s (%s), want %s …%s…", c.name, o.Verdict, o.Reason, c.want, c.why)
		}
	}
}

// A spread leaves out a tenth at either end, one in ten; it is compared with a limit, or with the
// spread over others.
func TestSpread(t *testing.T) {
	e, cells := at(0, 1, 100, 105, 110, 115, 120, 125, 130, 150, 1000, 10, 50)
	apart := spreadOf((&Claim{Cells: cells[:10], Metric: "throughput"}).mustSpans(e))
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
	if !near(apart.at, 1.5) || !near(apart.lo, 1.5*0.99/1.01) || !near(apart.hi, 1.5*1.01/0.99) {
		t.Errorf("%+v; want 1.5, between 150 and 100", apart)
	}
	two, five, one := 2.0, 5.0, 1.0
	for _, c := range []struct {
		claim Claim
		want  Verdict
	}{
		{Claim{Cells: cells[:10], AtMost: &two}, Confirmed},
		{Claim{Cells: cells[:10], AtLeast: &two}, Contradicted},
		{Claim{Cells: cells[10:], AtMost: &two}, Contradicted}, // with two cells none is left out
		{Claim{Cells: cells[10:], AtMost: &five}, Inconclusive},
		{Claim{Cells: cells[:10], Over: cells[10:], AtMost: &one}, Confirmed},
		{Claim{Cells: cells[10:], Over: cells[:10], AtMost: &one}, Contradicted},
		{Claim{Cells: []string{"y", "z"}, AtMost: &two}, Inconclusive}, // both failed
	} {
		c.claim.Kind, c.claim.Metric = Spread, "throughput"
		if o := Judge([]Claim{c.claim}, e)[0]; o.Verdict != c.want {
			t.Errorf("%+v: %s (%s), want %s", c.claim, o.Verdict, o.Reason, c.want)
		}
	}
}

func (c *Claim) mustSpans(e Evidence) []span {
	spans, _ := c.spans(e)
	return spans
}

// Repetitions are alike if the largest is within the factor of the smallest.
func TestRepeats(t *testing.T) {
	e, _ := at(1, 100, 100)
	for _, c := range []struct {
		a      string
		within float64
		want   Verdict
	}{{"a", 1.05, Confirmed}, {"a", 1.01, Contradicted}, {"b", 1.05, Inconclusive}} {
		o := Judge([]Claim{{Kind: Repeats, Metric: "memory", A: c.a, Within: c.within}}, e)[0]
		if o.Verdict != c.want {
			t.Errorf("%s within %v: %s (%s), want %s", c.a, c.within, o.Verdict, o.Reason, c.want)
		}
	}
}
