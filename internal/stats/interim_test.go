package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestInterims(t *testing.T) {
	all := []int{3, 5, 8, 12, 24}
	early := []Interim{{3, .005}, {5, .005}}
	with := func(late ...Interim) []Interim { return append(slices.Clone(early), late...) }
	for _, c := range []struct {
		candidates []int
		fits       int
		want       []Interim
	}{
		{all, 7, nil},
		{[]int{3, 5, 7}, 2, nil},
		{[]int{3, 5, 7}, 3, early[:1]},
		{[]int{3, 5, 7}, 4, []Interim{{3, .005}, {4, .005}}},
		{[]int{3, 5, 7}, 9, with(Interim{7, .005})},
		{all, 8, with(Interim{8, .04})},
		{all, 11, with(Interim{11, .04})}, // too little is left after 8
		{all, 12, with(Interim{8, .02}, Interim{12, .02})},
		{all, 17, with(Interim{8, .02}, Interim{17, .02})},
		{all, 24, with(Interim{8, .04 / 3}, Interim{12, .04 / 3}, Interim{24, .04 / 3})},
		{all, 60, with(Interim{8, .04 / 3}, Interim{12, .04 / 3}, Interim{24, .04 / 3})},
		{[]int{48}, 11, []Interim{{11, .04}}},
		{[]int{24, 8, 8}, 24, []Interim{{8, .02}, {24, .02}}},
		{[]int{2}, 5, []Interim{{2, .005}}},
		{nil, 24, nil},
	} {
		before := slices.Clone(c.candidates)
		got := Interims(c.candidates, c.fits, .05)
		if !slices.EqualFunc(got, c.want, func(a, b Interim) bool { return a.N == b.N && near(a.Alpha, b.Alpha, 1e-15) }) {
			t.Errorf("Interims(%v, %d) = %v, want %v", c.candidates, c.fits, got, c.want)
		}
		if !slices.Equal(before, c.candidates) {
			t.Errorf("Interims changed its argument to %v", c.candidates)
		}
		spent := 0.
		for _, a := range got {
			spent += a.Alpha
		}
		if spent > .05+1e-15 {
			t.Errorf("Interims(%v, %d) spend %v", c.candidates, c.fits, spent)
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
