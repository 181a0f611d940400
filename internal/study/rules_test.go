package study

import (
	"math"
	"strings"
	"testing"

	"dyno/internal/judge"
)

// pair makes a comparison by its interval.
func pair(lo, hi float64) Comparison {
	return Comparison{Ratio: judge.Estimate{Value: math.Sqrt(lo * hi), Lo: lo, Hi: hi, N: 12}}
}

// noted is a comparison that the run says means nothing.
func noted(lo, hi float64, note string) Comparison {
	c := pair(lo, hi)
	c.Note = note
	return c
}

func TestRatio(t *testing.T) {
	tested := pair(0.965, 1.02)
	tested.Verdict = judge.Equivalent // by the run's own test
	bound := pair(1.9, math.Inf(1))
	bound.Bound = true
	for _, c := range []struct {
		name  string
		c     Comparison
		value float64
		want  Verdict
		why   string
	}{
		{"as published", pair(1.9, 2.1), 2, Confirmed, "within 1.6–2.5"},
		{"across", pair(1.59, 1.8), 2, SameDirection, "partly outside 1.6–2.5"},
		{"outside", pair(1.2, 1.59), 2, SmallerLead, "outside 1.6–2.5"},
		{"beyond", pair(2.51, 3), 2, LargerLead, "outside 1.6–2.5"},
		{"reversed", pair(0.5, 0.6), 2, Contradicted, "reversed"},
		{"equal", pair(0.99, 1.01), 2, Contradicted, "equal within 3 %"},
		{"equal by the run's test", tested, 2, Contradicted, "equal within 3 %"},
		{"no lead, and another factor", pair(0.942, 1.05), 2.63, Contradicted,
			"no lead was found, and the interval is outside 2.1–3.29"},
		{"open", pair(0.9, 2.4), 2, Inconclusive, "not enough data"},
		{"below one, as published", pair(0.48, 0.52), 0.5, Confirmed, "within 0.4–0.625"},
		{"below one, smaller", pair(0.85, 0.9), 0.5, SmallerLead, "outside 0.4–0.625"},
		{"below one, larger", pair(0.2, 0.3), 0.5, LargerLead, "outside 0.4–0.625"},
		{"below one, reversed", pair(1.1, 1.2), 0.5, Contradicted, "reversed"},
		{"below one, no lead", pair(0.949, 1.015), 0.382, Contradicted, "outside 0.306–0.478"},
		{"below one, as published, near one", pair(0.9, 0.96), 0.9, Confirmed, "within 0.72–0.971"},
		{"below one, a lead that may be none", pair(0.96, 0.99), 0.9, SameDirection, "partly outside 0.72–0.971"},
		{"no epochs", Comparison{}, 2, Inconclusive, "no figure"},
		{"too few epochs", pair(0, math.Inf(1)), 2, Inconclusive, "too few"},
		{"still rising", noted(1.9, 2.1, "still rising 6 % (3–10) over the epoch"), 2, Inconclusive, "still rising"},
		{"at the generator's ceiling", bound, 2, SameDirection, "ceiling"},
	} {
		v, why := ofRatio(c.c, c.value, DefaultWithin, 0.03)
		if v != c.want || !strings.Contains(why, c.why) {
			t.Errorf("%s: %s, %q; want %s, …%s…", c.name, v, why, c.want, c.why)
		}
	}
}

// A wider interval around the same figure never says more.
func TestWiderNeverSaysMore(t *testing.T) {
	rank := map[Verdict]int{Confirmed: 3, SmallerLead: 3, LargerLead: 3, Contradicted: 3, SameDirection: 2,
		Inconclusive: 1}
	for _, value := range []float64{0.3, 0.9, 1.1, 2, 5} {
		for _, at := range []float64{0.25, 0.5, 0.95, 1.05, 1.9, 2.6, 6} {
			last := 3
			for _, half := range []float64{0.001, 0.01, 0.05, 0.1, 0.3, 1} {
				c := pair(at*math.Exp(-half), at*math.Exp(half))
				v, _ := ofRatio(c, value, DefaultWithin, 0.03)
				if rank[v] > last {
					t.Errorf("published %v, ours %v: wider by %v is %s", value, at, half, v)
				}
				last = min(last, rank[v])
			}
		}
	}
}

func TestOrder(t *testing.T) {
	cells := []Cell{{"a", ""}, {"b", ""}, {"c", ""}}
	pairs := []Pair{{cells[0], cells[1]}, {cells[1], cells[2]}}
	up, down, even, unknown := pair(1.1, 1.2), pair(0.8, 0.9), pair(0.99, 1.01), pair(0.9, 1.1)
	for _, c := range []struct {
		of   []Comparison
		more bool
		want Verdict
	}{
		{[]Comparison{up, up}, true, Confirmed},
		{[]Comparison{down, down}, true, Contradicted},
		{[]Comparison{down, down}, false, Confirmed}, // smaller is better
		{[]Comparison{up, even}, true, Contradicted},
		{[]Comparison{up, unknown}, true, Inconclusive},
		{[]Comparison{unknown, down}, true, Contradicted}, // one certain reversal is enough
		{[]Comparison{unknown, up}, true, Inconclusive},
		{[]Comparison{noted(1.1, 1.2, "still rising"), up}, true, Inconclusive},
		{[]Comparison{noted(0.8, 0.9, "still rising"), up}, true, Inconclusive},
	} {
		if v, why := ofOrder(pairs, c.of, c.more, 0.03); v != c.want {
			t.Errorf("%+v: %s (%s), want %s", c.of, v, why, c.want)
		}
	}
}

// Each link in a chain that is not shown is reported, with their number.
func TestLinks(t *testing.T) {
	var pairs []Pair
	for _, names := range []string{"ab", "bc", "cd", "de"} {
		pairs = append(pairs, Pair{Cell{names[:1], ""}, Cell{names[1:], ""}})
	}
	_, why := ofOrder(pairs, []Comparison{pair(1.4, 1.5), pair(0.6, 0.7), pair(0.98, 1.02), pair(0.9, 1.2)}, true, 0.03)
	want := "1 of 4 links hold; reversed: b and c; equal within 3 %: c and d; not enough data to tell: d and e"
	if why != want {
		t.Errorf("%q, want %q", why, want)
	}
	if _, why = ofOrder(pairs[:2], []Comparison{pair(0.6, 0.7), pair(0.6, 0.7)}, true,
		0.03); why != "0 of 2 links hold; reversed" {
		t.Errorf("%q", why)
	}
}

func TestEqual(t *testing.T) {
	bound := pair(0.999, math.Inf(1))
	bound.Bound = true
	tested := pair(0.965, 1.02)
	tested.Verdict = judge.Equivalent
	for _, c := range []struct {
		name   string
		c      Comparison
		margin float64
		want   Verdict
	}{
		{"the run's tie", pair(0.98, 1.02), 0.03, Confirmed},
		{"a difference within the margin", pair(1.01, 1.02), 0.03, Confirmed},
		{"the run's tie, a narrower claim", pair(0.98, 1.02), 0.01, Inconclusive},
		{"undecided by the run, within a wider claim", pair(0.92, 1.05), 0.1, Confirmed},
		{"just within", pair(1/1.0999, 1.0999), 0.1, Confirmed},
		{"at the border", pair(0.95, 1.1), 0.1, Inconclusive},
		{"different beyond the margin", pair(1.04, 1.06), 0.03, Contradicted},
		{"different, at the border", pair(1.03, 1.06), 0.03, Inconclusive},
		{"different below", pair(0.9, 0.95), 0.03, Contradicted},
		{"nothing known", pair(0.8, 1.2), 0.03, Inconclusive},
		{"taken back", noted(0.999, 1.001, "too busy"), 0.03, Inconclusive},
		{"the run's test", tested, 0.03, Confirmed},
		{"the run's test, a narrower claim", tested, 0.01, Inconclusive},
		{"at the generator's ceiling", bound, 0.03, Inconclusive},
		{"no figure", Comparison{}, 0.03, Inconclusive},
	} {
		if v, why := ofEqual(c.c, c.margin, 0.03); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

func TestTrend(t *testing.T) {
	up, down, even, unknown := pair(1.1, 1.2), pair(0.8, 0.9), pair(0.99, 1.01), pair(0.9, 1.1)
	for _, c := range []struct {
		name      string
		steps     []Comparison
		ends      Comparison
		direction string
		want      Verdict
	}{
		{"rises", []Comparison{up, up}, up, Rises, Confirmed},
		{"rises in the end", []Comparison{even, even}, up, Rises, Confirmed},
		{"one step may fall", []Comparison{even, unknown}, up, Rises, Inconclusive},
		{"one step is not known", []Comparison{up, {}}, up, Rises, Inconclusive},
		{"one step may fall by less than the margin", []Comparison{pair(0.98, 1.1), up}, up, Rises, Confirmed},
		{"one step falls by little", []Comparison{pair(0.9, 0.99), up}, up, Rises, Contradicted},
		{"one step falls", []Comparison{up, down}, up, Rises, Contradicted},
		{"falls instead", []Comparison{down}, down, Rises, Contradicted},
		{"falls", []Comparison{down}, down, Falls, Confirmed},
		{"the ends tie", []Comparison{unknown}, even, Rises, Contradicted},
		{"the ends are open", []Comparison{up}, unknown, Rises, Inconclusive},
		{"stays", []Comparison{even, even}, even, Stays, Confirmed},
		{"one step moves", []Comparison{even, up}, even, Stays, Contradicted},
		{"one step is open", []Comparison{even, unknown}, even, Stays, Inconclusive},
		{"it drifts away", []Comparison{even, even}, up, Stays, Contradicted},
		{"jumps", []Comparison{even, up}, up, Jumps, Confirmed},
		{"jumps too early", []Comparison{up, even}, up, Jumps, Contradicted},
		{"jumps before, too", []Comparison{pair(1.5, 1.6), up}, pair(1.7, 1.9), Jumps, Contradicted},
		{"rises evenly", []Comparison{pair(1.14, 1.16), pair(1.14, 1.16)}, pair(1.3, 1.35), Jumps, Contradicted},
		{"may jump before, too", []Comparison{pair(0.98, 1.15), up}, up, Jumps, Inconclusive},
		{"may jump", []Comparison{even, unknown}, up, Jumps, Inconclusive},
		{"falls, then jumps", []Comparison{down, up}, even, Jumps, Contradicted},
		{"moves still", []Comparison{up}, noted(1.1, 1.2, "still rising"), Rises, Inconclusive},
	} {
		if v, why := ofTrend(append(c.steps, c.ends), c.direction, 0.03, 0.03); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

func TestDrop(t *testing.T) {
	for _, c := range []struct {
		name string
		c    Comparison
		want Verdict
	}{
		{"as published", pair(0.38, 0.42), Confirmed}, // 48 to 75 %
		{"48 % at least", pair(0.45, 0.52), Confirmed},
		{"over the border", pair(0.45, 0.53), SameDirection},
		{"far less", pair(0.8, 0.9), SmallerLead},
		{"far more", pair(0.1, 0.2), LargerLead},
		{"none", pair(0.99, 1.01), Contradicted},
		{"it rises", pair(1.1, 1.3), Contradicted},
		{"open", pair(0.4, 1.1), Inconclusive},
	} {
		if v, why := ofDrop(c.c, 60, DefaultWithin, 0.03); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

// The largest among several drops, against a limit.
func TestWorst(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	few := pair(0, math.Inf(1))
	for _, c := range []struct {
		name            string
		of              []Comparison
		atLeast, atMost *float64
		want            Verdict
	}{
		{"more than 60", []Comparison{pair(0.3, 0.4)}, f(60), nil, Confirmed},
		{"more than 60, open", []Comparison{pair(0.3, 0.41)}, f(60), nil, Inconclusive},
		{"less than 60", []Comparison{pair(0.5, 0.6)}, f(60), nil, Contradicted},
		{"one of two", []Comparison{pair(0.8, 0.9), pair(0.2, 0.3)}, f(60), nil, Confirmed},
		{"none of two", []Comparison{pair(0.8, 0.9), pair(0.6, 0.7)}, f(60), nil, Contradicted},
		{"one, another unknown", []Comparison{few, pair(0.2, 0.3)}, f(60), nil, Confirmed},
		{"the unknown may be it", []Comparison{few, pair(0.6, 0.7)}, f(60), nil, Inconclusive},
		{"at most 5, none", []Comparison{pair(0.99, 1.01)}, nil, f(5), Confirmed},
		{"at most 5, ten", []Comparison{pair(0.89, 0.91)}, nil, f(5), Contradicted},
		{"at most 5, open", []Comparison{pair(0.94, 1.01)}, nil, f(5), Inconclusive},
	} {
		if v, why := ofWorst(c.of, c.atLeast, c.atMost); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

func TestExcess(t *testing.T) {
	small, large, wide := pair(0.79, 0.81), pair(0.49, 0.51), pair(0.3, 0.9)
	rise, more := pair(1.1, 1.15), pair(1.4, 1.5)
	for _, c := range []struct {
		name string
		x, y Comparison
		want Verdict
	}{
		{"larger", large, small, Confirmed},
		{"smaller", small, large, Contradicted},
		{"alike", small, pair(0.795, 0.805), Contradicted},
		{"open", wide, small, Inconclusive},
		{"unknown", noted(0.4, 0.5, "too busy"), small, Inconclusive},
		{"no figure", Comparison{}, small, Inconclusive},
		{"it rises, the other more", rise, more, Contradicted},
		{"it may rise, the other more", pair(0.9, 1.1), more, Inconclusive},
		{"it falls, the other rises", small, more, Confirmed},
	} {
		if v, why := ofExcess(c.x, c.y, 0.03); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}

// A growing lead exists at the end, a shrinking one at the beginning. A contestant that is always
// behind has neither.
func TestTrendOfALead(t *testing.T) {
	even, ahead, far := pair(0.99, 1.01), pair(1.19, 1.21), pair(1.99, 2.01)
	behind, farBehind := pair(0.79, 0.81), pair(0.49, 0.51)
	for _, c := range []struct {
		name      string
		of        []Comparison
		direction string
		want      Verdict
		why       string
	}{
		{"the lead grows", []Comparison{ahead, far}, Rises, Confirmed, ""},
		{"a lead comes up", []Comparison{even, far}, Rises, Confirmed, ""},
		{"he falls less behind", []Comparison{farBehind, behind}, Rises, Contradicted,
			"no lead in the last pair: reversed"},
		{"he draws level", []Comparison{behind, even}, Rises, Contradicted,
			"no lead in the last pair: equal within 3 %"},
		{"a lead may be there", []Comparison{behind, pair(0.98, 1.2)}, Rises, Inconclusive, "whether there is a lead"},
		{"the lead shrinks", []Comparison{far, ahead}, Falls, Confirmed, ""},
		{"the lead is lost", []Comparison{far, behind}, Falls, Confirmed, ""},
		{"he falls more behind", []Comparison{behind, farBehind}, Falls, Contradicted,
			"no lead in the first pair: reversed"},
		{"the lead grows instead", []Comparison{ahead, far}, Falls, Contradicted, "reversed"},
		{"the lead is not known", []Comparison{{}, ahead}, Falls, Inconclusive, "no figure"},
		{"equally far behind", []Comparison{behind, behind}, Stays, Confirmed, ""},
	} {
		e := pairs{}
		claim := Claim{Kind: Trend, Metric: "throughput", Direction: c.direction}
		for i, p := range c.of {
			a, b := string(rune('a'+i)), string(rune('m'+i))
			e[Pair{ParseCell(a), ParseCell(b)}] = p
			claim.Cells, claim.Over = append(claim.Cells, a), append(claim.Over, b)
		}
		if o := Judge([]Claim{claim}, e)[0]; o.Verdict != c.want || !strings.Contains(o.Reason, c.why) {
			t.Errorf("%s: %s (%s), want %s …%s…", c.name, o.Verdict, o.Reason, c.want, c.why)
		}
	}
}

// pairs is evidence for some pairs' ratios.
type pairs map[Pair]Comparison

func (pairs) Moves(Cell, string) string                              { return "" }
func (pairs) Missing(Cell, string) (Verdict, string)                 { return "", "" }
func (pairs) Level(Cell, string) judge.Estimate                      { return judge.Estimate{} }
func (pairs) Range(Cell, string) (float64, float64, bool)            { return 0, 0, false }
func (pairs) RatioRange(Cell, Cell, string) (float64, float64, bool) { return 0, 0, false }
func (p pairs) Compare(a, b Cell, _ string) Comparison               { return p[Pair{a, b}] }
func (pairs) Warnings(Cell, string) []Warning                        { return nil }
func (pairs) Margin() float64                                        { return 0.03 }

func TestBound(t *testing.T) {
	f := func(x float64) *float64 { return &x }
	e := func(lo, hi float64) judge.Estimate {
		return judge.Estimate{Value: (lo + hi) / 2, Lo: lo, Hi: hi, N: 8}
	}
	for _, c := range []struct {
		name            string
		e               judge.Estimate
		atLeast, atMost *float64
		want            Verdict
	}{
		{"at most", e(90, 100), nil, f(100), Confirmed},
		{"above", e(101, 110), nil, f(100), Contradicted},
		{"across", e(99, 101), nil, f(100), Inconclusive},
		{"at least", e(100, 110), f(100), nil, Confirmed},
		{"below", e(80, 99), f(100), nil, Contradicted},
		{"between", e(95, 99), f(95), f(99), Confirmed},
		{"too few epochs", e(math.Inf(-1), math.Inf(1)), nil, f(100), Inconclusive},
		{"exact", e(27, 27), f(27), f(27), Confirmed},
		{"at the generator's ceiling, at most", e(90, math.Inf(1)), nil, f(100), Inconclusive},
		{"at the generator's ceiling, at least", e(110, math.Inf(1)), f(100), nil, Confirmed},
		{"at the generator's ceiling, above", e(110, math.Inf(1)), nil, f(100), Contradicted},
	} {
		if v, why := ofBound(c.e, c.atLeast, c.atMost); v != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, v, why, c.want)
		}
	}
}
