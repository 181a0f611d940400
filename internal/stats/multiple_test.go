package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHolm(t *testing.T) {
	for _, c := range []struct {
		name    string
		p, want []float64
	}{
		// en.wikipedia.org/wiki/Holm–Bonferroni_method: at .05 it rejects the first and the last.
		{"worked example", []float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{"never above 1", []float64{.9, .6, .7}, []float64{1, 1, 1}},
		{"monotone", []float64{.02, .021, .5}, []float64{.06, .06, .5}},
		{"ties", []float64{.01, .01, .01}, []float64{.03, .03, .03}},
		{"one", []float64{.04}, []float64{.04}},
		{"none", nil, nil},
		{"a failed test stays in the family", []float64{nan, .01, .02}, []float64{nan, .03, .04}},
		{"all failed", []float64{nan, nan}, []float64{nan, nan}},
	} {
		before := slices.Clone(c.p)
		same := func(a, b float64) bool { return near(a, b, 1e-15) }
		if got := Holm(c.p); !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: Holm(%v) = %v, want %v", c.name, c.p, got, c.want)
		}
		if !slices.EqualFunc(before, c.p, same) {
			t.Errorf("%s: Holm changed its argument", c.name)
		}
	}
}

// holmSteps is the procedure as Holm states it: reject the smallest while
// p_(i) <= alpha/(m-i+1), stop at the first that fails.
func holmSteps(p []float64, alpha float64) []bool {
	rejected := make([]bool, len(p))
	for left := len(p); left > 0; left-- {
		least := -1
		for i := range p {
			if !rejected[i] && (least < 0 || p[i] < p[least]) {
				least = i
			}
		}
		if p[least]*float64(left) > alpha {
			break
		}
		rejected[least] = true
	}
	return rejected
}

func TestHolmIsTheStepProcedure(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for range 2000 {
		p := make([]float64, 1+r.IntN(10))
		for i := range p {
			p[i] = r.Float64() * r.Float64() * .2
			if i > 0 && r.IntN(4) == 0 {
				p[i] = p[r.IntN(i)]
			}
		}
		adjusted, steps := Holm(p), holmSteps(p, .05)
		for i := range p {
			if (adjusted[i] <= .05) != steps[i] {
				t.Fatalf("Holm(%v) = %v, the steps reject %v", p, adjusted, steps)
			}
		}
	}
}

func TestHolmInSeries(t *testing.T) {
	for _, c := range []struct {
		name   string
		p      []float64
		series [][]int
		out    []float64
	}{
		{name: "one series: no correction", p: []float64{.01, .02, .03}, series: [][]int{{0, 1, 2}},
			out: []float64{.01, .02, .03}},
		{name: "a series ends where it does not reject", p: []float64{.5, .001}, series: [][]int{{0, 1}},
			out: []float64{.5, .5}},
		{name: "one that is through passes its share on", p: []float64{.001, .01, .02}, series: [][]int{{0, 1}, {2}},
			out: []float64{.002, .02, .02}},
		{name: "the others are not held up", p: []float64{.9, .001, .01}, series: [][]int{{0, 1}, {2}},
			out: []float64{.9, .9, .02}},
		{name: "a failed test ends its series", p: []float64{nan, .001, .01}, series: [][]int{{0, 1}, {2}},
			out: []float64{nan, 1, .02}},
		{name: "a test in two series", p: []float64{.02, .01, .3}, series: [][]int{{2, 0}, {1, 0}},
			out: []float64{.04, .02, .3}},
		{name: "in no series", p: []float64{.001, .001}, series: [][]int{{1}}, out: []float64{1, .001}},
	} {
		same := func(a, b float64) bool { return near(a, b, 1e-15) }
		if got := HolmInSeries(c.p, c.series); !slices.EqualFunc(got, c.out, same) {
			t.Errorf("%s: %v, want %v", c.name, got, c.out)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		p, alone := make([]float64, 1+r.IntN(10)), [][]int{}
		for i := range p {
			p[i], alone = r.Float64()*r.Float64()*.2, append(alone, []int{i})
		}
		if got, want := HolmInSeries(p, alone), Holm(p); !slices.Equal(got, want) {
			t.Fatalf("in series of one %v, Holm %v", got, want)
		}
	}
}

// In the order of any ranking the chance of a false rejection keeps to alpha, with groups of equals
// that the ranking tears apart. Without the corrected level it would not.
func TestRankingKeepsTheLevel(t *testing.T) {
	const k, alpha, families = 6, .1, 4000
	groups := []int{0, 1, 0, 2, 1, 0} // that are far apart
	r := rand.New(rand.NewPCG(5, 6))
	for _, ranking := range [][]float64{{9, 5, 8, 0, 4, 7}, {0, 6, 1, 9, 5, 2}, {5, 4, 3, 2, 1, 0}} {
		wrong, bare := 0, 0
		for range families {
			var p []float64
			var equal []bool
			for _, c := range Couples(k) {
				same := groups[c[0]] == groups[c[1]]
				if equal = append(equal, same); same {
					p = append(p, r.Float64()) // independent: the worst that Bonferroni knows
				} else {
					p = append(p, 0)
				}
			}
			err := func(adjusted []float64) bool {
				for i, v := range adjusted {
					if equal[i] && v <= alpha {
						return true
					}
				}
				return false
			}
			if err(HolmInSeries(p, FromGaps(ranking))) {
				wrong++
			}
			if err(p) {
				bare++
			}
		}
		if share := float64(wrong) / families; share > alpha+.012 || float64(bare)/families < 2*alpha {
			t.Errorf("ranking %v: wrong in %.3f of the families, without correction in %d of %d", ranking, share, bare, families)
		}
	}
}

func TestSeriesOfARanking(t *testing.T) {
	// The ranking is 2, 0, 3, 1 with gaps of 1, 5 and 2. Pairs: 0: 0–1, 1: 0–2, 2: 0–3, 3: 1–2, 4: 1–3, 5: 2–3.
	scores := []float64{9, 2, 10, 4}
	want := [][]int{{1}, {2, 3, 0, 5}, {4}, {3, 0, 5}}
	if got := FromGaps(scores); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("from gaps %v, want %v", got, want)
	}
	want = [][]int{{1}, {2, 5, 0, 3}, {4}}
	if got := IntoGroups(scores); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("into groups %v, want %v", got, want)
	}
	for k := range 6 {
		scores = scores[:0]
		for range k {
			scores = append(scores, rand.New(rand.NewPCG(1, uint64(k))).Float64())
		}
		series := FromGaps(scores)
		if len(series) != RankedTests(k) && k > 1 || k < 2 && series != nil {
			t.Errorf("%d: %d series", k, len(series))
		}
		var all []int
		for _, s := range IntoGroups(scores) {
			all = append(all, s...)
		}
		slices.Sort(all)
		for i, v := range all {
			if i != v || len(all) != len(Couples(k)) {
				t.Errorf("%d: pairs %v", k, all)
			}
		}
	}
	logs := []float64{1, 4, nan, 2}
	got := Scores(4, func(i, j int) float64 { return logs[i] - logs[j] })
	if !(got[1] > got[3] && got[3] > got[0] && got[2] == 0) {
		t.Errorf("scores %v of %v", got, logs)
	}
}
