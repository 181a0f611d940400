package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestInterims(t *testing.T) {
	all := []int{3, 5, 8, 12, 24}
	single := Candidates(true, 24)
	early := []Interim{{3, .005, true}, {5, .005, true}}
	with := func(late ...Interim) []Interim { return append(slices.Clone(early), late...) }
	late := func(n int, alpha float64) Interim { return Interim{N: n, Alpha: alpha} }
	for _, c := range []struct {
		candidates []int
		fits       int
		want       []Interim
	}{
		{all, 7, nil},
		{[]int{3, 5, 7}, 2, nil},
		{[]int{3, 5, 7}, 3, early[:1]},
		{[]int{3, 5, 7}, 4, []Interim{{3, .005, true}, {4, .005, true}}},
		{[]int{3, 5, 7}, 6, with(Interim{6, .005, true})},
		{[]int{3, 5, 7}, 9, with(late(7, .04))},
		{all, 8, with(late(8, .04))},
		{all, 11, with(late(11, .04))}, // too little is left after 8
		{all, 12, with(late(8, .02), late(12, .02))},
		{all, 17, with(late(8, .02), late(17, .02))},
		{all, 24, with(late(8, .04/3), late(12, .04/3), late(24, .04/3))},
		{all, 60, with(late(8, .04/3), late(12, .04/3), late(24, .04/3))},
		{[]int{48}, 11, []Interim{late(11, .04)}},
		{[]int{24, 8, 8}, 24, []Interim{late(8, .02), late(24, .02)}},
		{[]int{2}, 5, []Interim{{2, .005, true}}},
		{single, 7, nil},
		{single, 8, with(late(8, .04))},
		{single, 9, with(late(7, .016), late(8, .024), late(9, .016))},
		{single, 12, with(late(8, .016), late(10, .016), late(12, .01))},
		{single, 16, with(late(8, .016), late(10, .016), late(12, .01), late(16, .01))},
		{single, 60, with(late(8, .016), late(10, .01), late(12, .006), late(24, .01))},
		{Candidates(true, 48), 48, with(late(8, .016), late(10, .01), late(12, .006), late(24, .01), late(48, .01))},
		{nil, 24, nil},
	} {
		before := slices.Clone(c.candidates)
		got := Interims(c.candidates, c.fits, .05)
		same := func(a, b Interim) bool { return a.N == b.N && a.Early == b.Early && near(a.Alpha, b.Alpha, 1e-15) }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("Interims(%v, %d) = %v, want %v", c.candidates, c.fits, got, c.want)
		}
		if !slices.Equal(before, c.candidates) {
			t.Errorf("Interims changed its argument to %v", c.candidates)
		}
		spent := 0.
		for _, a := range got {
			spent += a.Alpha
		}
		if spent > .05+1e-15 && !slices.Contains(c.candidates, 10) { // see TestOnePair
			t.Errorf("Interims(%v, %d) spend %v", c.candidates, c.fits, spent)
		}
	}
}

// Seven epochs cannot show anything at a small alpha but by the early analysis.
func TestInterimsOfSmallAlpha(t *testing.T) {
	if all := Interims([]int{3, 5, 7}, 7, .01); !all[2].Early || all[2].N != 7 {
		t.Error(all)
	}
}

func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		single bool
		most   int
		want   []int
	}{
		{false, 48, []int{3, 5, 8, 12, 24, 48}}, {false, 8, []int{3, 5, 8}},
		{true, 24, []int{3, 5, 7, 8, 10, 12, 24}}, {true, 9, []int{3, 5, 7, 8, 9}},
	} {
		if got := Candidates(c.single, c.most); !slices.Equal(got, c.want) {
			t.Errorf("Candidates(%v, %d) = %v", c.single, c.most, got)
		}
	}
}

// The analyses of a single pair keep alpha together, although their levels sum to more: here of normal values of known
// spread.
func TestOnePair(t *testing.T) {
	normal := distuv.UnitNormal
	for _, fits := range []int{8, 9, 11, 12, 16, 19, 20, 24, 25, 48} {
		analyses, rng := Interims(Candidates(true, 48), fits, .05), rand.New(rand.NewPCG(7, uint64(fits)))
		const runs = 20_000
		wrong := 0
		for range runs {
			sum, n := 0., 0
			for _, l := range analyses {
				for ; n < l.N; n++ {
					sum += rng.NormFloat64()
				}
				if math.Abs(sum)/math.Sqrt(float64(n)) > -normal.Quantile(l.Alpha/2) {
					wrong++
					break
				}
			}
		}
		if share := float64(wrong) / runs; share > .05 || share < .03 {
			t.Errorf("of runs of %d epochs %.3f err", fits, share)
		}
	}
}

// A difference with the detectable size is found in about 80 % of families.
func TestDetectable(t *testing.T) {
	if got := Detectable(.02, 7, 1, .05); got != inf {
		t.Errorf("after 7 epochs %v", got)
	}
	for _, c := range []struct{ servers, n int }{{2, 8}, {2, 24}, {5, 12}} {
		rng := rand.New(rand.NewPCG(13, uint64(c.n)))
		couples := couples(c.servers)
		shift, found := Detectable(.01, c.n, len(couples), .04), 0
		const families = 400
		for range families {
			d := make([][]float64, len(couples))
			for range c.n {
				x := make([]float64, c.servers)
				for i := range x {
					x[i] = .01 / 1.4142 * rng.NormFloat64()
				}
				x[0] += shift
				for i, p := range couples {
					d[i] = append(d[i], x[p[0]]-x[p[1]])
				}
			}
			if Joint(d, .04, 1)[0].Different {
				found++
			}
		}
		if share := float64(found) / families; share < .7 || share > .97 {
			t.Errorf("%d servers, %d epochs: found in %.2f", c.servers, c.n, share)
		}
	}
}
