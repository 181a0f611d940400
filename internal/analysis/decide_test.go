package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno/internal/stats"
)

// Simultaneous intervals exclude 1 exactly where Holm's procedure rejects, are never narrower than
// those of one pair, and hold the truth of all pairs together in 95 % of the families.
func TestSimultaneousIntervals(t *testing.T) {
	const families, epochs, alpha = 2000, 12, .05
	truth := []float64{0, 0, .01, .03, .06, .1}
	rng := rand.New(rand.NewPCG(4, 2))
	apart := map[Verdict]int{}
	missed := 0
	for range families {
		d := make([][]float64, len(truth))
		for i := range d {
			for range epochs {
				d[i] = append(d[i], truth[i]+.03*rng.NormFloat64())
			}
		}
		look := stats.Interim{N: epochs, Alpha: alpha}
		alone := DecideAt(nil, d, nil, nil, look, .03)
		look.Simultaneous = true
		together := DecideAt(nil, d, nil, nil, look, .03)
		all := true
		for i, j := range together {
			excludes := j.Ratio.Lo >= 1 || j.Ratio.Hi <= 1
			if rejected := j.Adjusted <= alpha; excludes != rejected {
				t.Fatalf("%+v: interval and Holm disagree", j)
			}
			a := alone[i].Ratio
			if j.Ratio.Lo > max(a.Lo, 1) || j.Ratio.Hi < min(a.Hi, 1) {
				t.Fatalf("%+v is narrower than %+v", j.Ratio, a)
			}
			apart[j.Verdict]++
			all = all && j.Ratio.Lo <= math.Exp(truth[i]) && math.Exp(truth[i]) <= j.Ratio.Hi
		}
		if !all {
			missed++
		}
	}
	if share := float64(missed) / families; share > alpha+.012 {
		t.Errorf("in %.1f %% of the families an interval misses its truth", 100*share)
	}
	if apart[Different] == 0 || apart[Inconclusive] == 0 {
		t.Errorf("%v: the test tests nothing", apart)
	}
}

// By the strict rules a difference that later lies within the margin becomes negligible, dependence
// between epochs widens an interval, and equivalence is corrected for the pairs.
func TestStrictRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	draw := func(n int, mean, sd float64) (d []float64) {
		for range n {
			d = append(d, mean+sd*rng.NormFloat64())
		}
		return d
	}
	look := func(n int, strict bool) stats.Interim { return stats.Interim{N: n, Alpha: .05, Strict: strict} }
	small := []float64{.03, .012, .028, .014, .031, .01, .029, .015} // each unlike the one before
	for _, strict := range []bool{false, true} {
		first := DecideAt(nil, [][]float64{small}, nil, nil, look(8, strict), .02)
		second := DecideAt(first, [][]float64{append(small[:8:8], draw(40, .012, .002)...)}, nil, nil, look(48, strict), .02)
		want := Different
		if strict {
			want = Negligible
		}
		if first[0].Verdict != Different || second[0].Verdict != want || !second[0].Up {
			t.Errorf("strict %v: %v, then %v", strict, first[0].Verdict, second[0].Verdict)
		}
	}
	// Runs of four alike: the autocorrelation is about .7.
	var runs []float64
	for _, v := range draw(6, .03, .03) {
		runs = append(runs, v, v+.001, v-.001, v+.002)
	}
	plain := DecideAt(nil, [][]float64{runs}, nil, nil, look(24, false), .03)[0].Ratio
	wide := DecideAt(nil, [][]float64{runs}, nil, nil, look(24, true), .03)[0].Ratio
	if got := math.Log(wide.Hi/wide.Lo) / math.Log(plain.Hi/plain.Lo); got < 1.5 {
		t.Errorf("the interval of dependent epochs is %.2f times as wide", got)
	}
	// Ten pairs of which each alone would be called equivalent in about half of the families.
	called := map[bool]int{}
	for range 300 {
		d := make([][]float64, 10)
		for i := range d {
			d[i] = draw(12, .02, .012)
		}
		for _, strict := range []bool{false, true} {
			for _, j := range DecideAt(nil, d, nil, nil, look(12, strict), .03) {
				if j.Verdict == Equivalent || j.Verdict == Negligible {
					called[strict]++
				}
			}
		}
	}
	if called[true] >= called[false] {
		t.Errorf("%v pairs were called alike", called)
	}
}

// In a ranking all pairs are decided at the price of the neighbours, an interval excludes 1 exactly
// where the pair is different, and a series that ends leaves the nearer ones open.
func TestDecideInARanking(t *testing.T) {
	const epochs = 9
	speeds := []float64{0, .1, .2, .3, .4, .5, .6}
	d := func(speeds []float64, sd float64) (d [][]float64) {
		rng := rand.New(rand.NewPCG(1, 9))
		d = make([][]float64, len(stats.Couples(len(speeds))))
		for range epochs {
			x := make([]float64, len(speeds))
			for i := range x {
				x[i] = speeds[i] + sd*rng.NormFloat64()
			}
			for i, c := range stats.Couples(len(speeds)) {
				d[i] = append(d[i], x[c[0]]-x[c[1]])
			}
		}
		return d
	}
	count := func(js []Decision) map[Verdict]int {
		n := map[Verdict]int{}
		for _, j := range js {
			n[j.Verdict]++
			differs := j.Verdict == Different || j.Verdict == Negligible
			if differs && j.Ratio.Lo < 1 && j.Ratio.Hi > 1 || !differs && (j.Ratio.Lo > 1 || j.Ratio.Hi < 1) {
				t.Errorf("interval and verdict disagree: %+v", j)
			}
		}
		return n
	}
	look := stats.Interim{N: epochs, Alpha: .045, Simultaneous: true, Ranked: true, Strict: true}
	clear, right := d(speeds, .001), speeds
	if n := count(DecideAt(nil, clear, nil, nil, look, .03)); n[Different] != 0 {
		t.Errorf("21 pairs, each by itself: %v in 9 epochs", n)
	}
	for _, ranking := range [][]float64{right, {6, 5, 4, 3, 2, 1, 0}, {3, 1, 6, 0, 2, 5, 4}, make([]float64, 7)} {
		if n := count(DecideAt(nil, clear, nil, ranking, look, .03)); n[Different] != 21 {
			t.Errorf("ranking %v: %v", ranking, n)
		}
	}
	// 0 to 4 are alike: the others are told apart, and from them.
	five := d([]float64{0, 0, 0, 0, 0, .5, .6}, .004)
	n := count(DecideAt(nil, five, nil, []float64{.01, .02, .03, 0, .05, .5, .6}, look, .03))
	if n[Different] != 11 || n[Equivalent] == 0 {
		t.Errorf("five alike and two not: %v", n)
	}
	// Where neighbours are not told apart, the pairs behind their gap are not either, nor those that
	// are nearer to each other than one that is not in the series of all.
	for i, c := range stats.Couples(7) {
		if c == [2]int{5, 6} || c == [2]int{0, 6} {
			for e := range clear[i] {
				clear[i][e] = .1 * float64(e%2)
			}
		}
	}
	wide := append(slices.Clone(speeds[:6]), 1)
	if n := count(DecideAt(nil, clear, nil, wide, look, .03)); n[Different] != 15 {
		t.Errorf("a gap that is not one: %v", n)
	}
}
