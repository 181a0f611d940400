package article

import (
	"math"
	"strings"
	"testing"

	"dyno/internal/analysis"
)

// pair makes a comparison: its interval, what the run decided, and whether A is the larger.
func pair(lo, hi float64, v analysis.Verdict, up bool) Comparison {
	return Comparison{Ratio: analysis.Estimate{Value: math.Sqrt(lo * hi), Lo: lo, Hi: hi, N: 12}, Verdict: v, Up: up}
}

const (
	different  = analysis.Different
	negligible = analysis.Negligible
	tie        = analysis.Tie
	open       = analysis.Undecided
)

func TestRatio(t *testing.T) {
	for _, c := range []struct {
		name  string
		c     Comparison
		value float64
		want  Verdict
		why   string
	}{
		{"as published", pair(1.9, 2.1, different, true), 2, Reproduced, "within 1.6–2.5"},
		{"at the lower border", pair(1.6, 1.8, different, true), 2, Reproduced, ""},
		{"at the upper border", pair(2.3, 2.5, different, true), 2, Reproduced, ""},
		{"over the lower border", pair(1.59, 1.8, different, true), 2, DirectionOnly, "open"},
		{"over the upper border", pair(2.3, 2.51, different, true), 2, DirectionOnly, "open"},
		{"wholly below", pair(1.2, 1.59, different, true), 2, DirectionOnly, "another"},
		{"wholly above", pair(2.51, 3, different, true), 2, DirectionOnly, "another"},
		{"so wide that it covers all", pair(1.01, 9, different, true), 2, DirectionOnly, "open"},
		{"reversed", pair(0.5, 0.6, different, false), 2, Refuted, "reversed"},
		{"below one, as published", pair(0.48, 0.52, different, false), 0.5, Reproduced, ""},
		{"below one, reversed", pair(1.1, 1.2, different, true), 0.5, Refuted, "reversed"},
		{"a tie", pair(0.99, 1.01, tie, false), 2, Refuted, "tie"},
		{"certain but within the margin", pair(1.005, 1.02, negligible, true), 2, Refuted, "tie"},
		{"undecided, though near", pair(0.9, 2.4, open, false), 2, Undecided, "neither"},
		{"undecided far from the published factor", pair(0.9, 1.1, open, false), 2, Undecided, ""},
		{"no epochs", Comparison{Verdict: open}, 2, Undecided, ""},
	} {
		v, why := ofRatio(c.c, c.value, DefaultWithin)
		if v != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: %s, %q; want %s, …%s…", c.name, v, why, c.want, c.why)
		}
	}
	bound := pair(1.9, 2.1, different, true)
	bound.Bound = true
	if v, why := ofRatio(bound, 2, DefaultWithin); v != DirectionOnly || !strings.Contains(why, "ceiling") {
		t.Errorf("at the generator's ceiling: %s, %s", v, why)
	}
}

// A wider interval around the same figures never judges better.
func TestWiderNeverReproducesMore(t *testing.T) {
	rank := map[Verdict]int{Reproduced: 2, DirectionOnly: 1, Undecided: 1, Refuted: 0}
	for _, value := range []float64{0.3, 0.9, 1.1, 2, 5} {
		for _, at := range []float64{0.25, 0.5, 0.95, 1.05, 1.9, 2.6, 6} {
			last := 2
			for _, half := range []float64{0.001, 0.01, 0.05, 0.1, 0.3, 1} {
				c := pair(at*math.Exp(-half), at*math.Exp(half), different, at > 1)
				v, _ := ofRatio(c, value, DefaultWithin)
				if v != Refuted && rank[v] > last {
					t.Errorf("published %v, ours %v: wider by %v judges %s", value, at, half, v)
				}
				last = min(last, rank[v])
			}
		}
	}
}

func TestOrder(t *testing.T) {
	cells := []Cell{{"a", ""}, {"b", ""}, {"c", ""}}
	pairs := []Pair{{cells[0], cells[1]}, {cells[1], cells[2]}}
	up, down, even, unknown := pair(1.1, 1.2, different, true), pair(0.8, 0.9, different, false), pair(0.99, 1.01, tie, false), pair(0.9, 1.1, open, false)
	for _, c := range []struct {
		of   []Comparison
		more bool
		want Verdict
	}{
		{[]Comparison{up, up}, true, Reproduced},
		{[]Comparison{down, down}, true, Refuted},
		{[]Comparison{down, down}, false, Reproduced}, // smaller is better
		{[]Comparison{up, even}, true, Refuted},
		{[]Comparison{up, unknown}, true, Undecided},
		{[]Comparison{unknown, down}, true, Refuted}, // one certain reversal is enough
		{[]Comparison{unknown, up}, true, Undecided},
	} {
		if v, why := ofOrder(pairs, c.of, c.more); v != c.want {
			t.Errorf("%+v: %s (%s), want %s", c.of, v, why, c.want)
		}
	}
}

func TestTie(t *testing.T) {
	noted := pair(0.999, 1.001, open, false)
	noted.Note = "too busy"
	bound := pair(0.999, 1.001, tie, false)
	bound.Bound = true
	for _, c := range []struct {
		name   string
		c      Comparison
		margin float64
		want   Verdict
	}{
		{"the run's tie", pair(0.98, 1.02, tie, false), 0.03, Reproduced},
		{"a difference within the margin", pair(1.01, 1.02, negligible, true), 0.03, Reproduced},
		{"the run's tie, a narrower claim", pair(0.98, 1.02, tie, false), 0.01, Undecided},
		{"undecided by the run, within a wider claim", pair(0.92, 1.05, open, false), 0.1, Reproduced},
		{"just within", pair(1/1.0999, 1.0999, open, false), 0.1, Reproduced},
		{"at the border", pair(0.95, 1.1, open, false), 0.1, Undecided},
		{"different beyond the margin", pair(1.04, 1.06, different, true), 0.03, Refuted},
		{"different, at the border", pair(1.03, 1.06, different, true), 0.03, Undecided},
		{"different below", pair(0.9, 0.95, different, false), 0.03, Refuted},
		{"nothing known", pair(0.8, 1.2, open, false), 0.03, Undecided},
		{"taken back", noted, 0.03, Undecided},
		{"both at the generator's ceiling", bound, 0.03, Undecided},
		{"no figure", Comparison{Verdict: open}, 0.03, Undecided},
	} {
		if v, why := ofTie(c.c, c.margin, 0.03); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

func TestTrend(t *testing.T) {
	up, down, even, unknown := pair(1.1, 1.2, different, true), pair(0.8, 0.9, different, false), pair(0.99, 1.01, tie, false), pair(0.9, 1.1, open, false)
	for _, c := range []struct {
		name      string
		steps     []Comparison
		ends      Comparison
		direction string
		want      Verdict
	}{
		{"rises", []Comparison{up, up}, up, Rises, Reproduced},
		{"rises in the end", []Comparison{even, unknown}, up, Rises, Reproduced},
		{"one step falls", []Comparison{up, down}, up, Rises, Refuted},
		{"falls instead", []Comparison{down}, down, Rises, Refuted},
		{"falls", []Comparison{down}, down, Falls, Reproduced},
		{"the ends tie", []Comparison{unknown}, even, Rises, Refuted},
		{"the ends are open", []Comparison{up}, unknown, Rises, Undecided},
		{"stays", []Comparison{even, even}, even, Stays, Reproduced},
		{"one step moves", []Comparison{even, up}, even, Stays, Refuted},
		{"one step is open", []Comparison{even, unknown}, even, Stays, Undecided},
		{"it drifts away", []Comparison{even, even}, up, Stays, Refuted},
	} {
		if v, why := ofTrend(c.steps, c.ends, c.direction, 0.03, 0.03); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

func TestDrop(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name    string
		c       Comparison
		value   float64
		atLeast *float64
		atMost  *float64
		want    Verdict
	}{
		{"by 60 %", pair(0.38, 0.42, different, false), 60, nil, nil, Reproduced}, // 48 to 75 %
		{"by 48 % at least", pair(0.45, 0.52, different, false), 60, nil, nil, Reproduced},
		{"over the border", pair(0.45, 0.53, different, false), 60, nil, nil, DirectionOnly},
		{"far less", pair(0.8, 0.9, different, false), 60, nil, nil, DirectionOnly},
		{"more than 60", pair(0.3, 0.4, different, false), 0, f(60), nil, Reproduced},
		{"more than 60, open", pair(0.3, 0.41, different, false), 0, f(60), nil, DirectionOnly},
		{"none", pair(0.99, 1.01, tie, false), 60, nil, nil, Refuted},
		{"it rises", pair(1.1, 1.3, different, true), 60, nil, nil, Refuted},
		{"open", pair(0.9, 1.1, open, false), 60, nil, nil, Undecided},
		{"at most 5, none", pair(0.99, 1.01, tie, false), 0, nil, f(5), Reproduced},
		{"at most 5, ten", pair(0.89, 0.91, different, false), 0, nil, f(5), Refuted},
		{"at most 5, open", pair(0.94, 1.01, open, false), 0, nil, f(5), Undecided},
	} {
		if v, why := ofDrop(c.c, c.value, DefaultWithin, c.atLeast, c.atMost); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

func TestExcess(t *testing.T) {
	small, large, wide := pair(0.79, 0.81, different, false), pair(0.49, 0.51, different, false), pair(0.3, 0.9, different, false)
	for _, c := range []struct {
		name string
		x, y Comparison
		want Verdict
	}{
		{"larger", large, small, Reproduced},
		{"smaller", small, large, Refuted},
		{"alike", small, pair(0.795, 0.805, different, false), Refuted},
		{"open", wide, small, Undecided},
		{"unknown", Comparison{Verdict: open, Note: "not planned"}, small, Undecided},
	} {
		if v, why := ofExcess(quotient(c.x, c.y, 0.03)); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

func TestBound(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	e := func(lo, hi float64) analysis.Estimate {
		return analysis.Estimate{Value: (lo + hi) / 2, Lo: lo, Hi: hi, N: 8}
	}
	for _, c := range []struct {
		name            string
		e               analysis.Estimate
		atLeast, atMost *float64
		want            Verdict
	}{
		{"at most", e(90, 100), nil, f(100), Reproduced},
		{"above", e(101, 110), nil, f(100), Refuted},
		{"across", e(99, 101), nil, f(100), Undecided},
		{"at least", e(100, 110), f(100), nil, Reproduced},
		{"below", e(80, 99), f(100), nil, Refuted},
		{"between", e(95, 99), f(95), f(99), Reproduced},
		{"too few epochs", e(math.Inf(-1), math.Inf(1)), nil, f(100), Undecided},
		{"exact", e(27, 27), f(27), f(27), Reproduced},
	} {
		if v, why := ofBound(c.e, c.atLeast, c.atMost); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}
