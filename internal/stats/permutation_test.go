package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// All 20 ways to choose three of six: only the one seen and its mirror image have the largest F, so
// p tends to 2/20.
func TestGroupEffectAgainstEnumeration(t *testing.T) {
	y := []float64{1, 2, 3, 10, 11, 12}
	effect, p, _ := GroupEffect(y, []int{0, 0, 0, 1, 1, 1}, make([]int, 6), 20_000, 1)
	if effect != 9 || !near(p, .1, .007) {
		t.Errorf("effect %v, p %v; want 9 and 0.1", effect, p)
	}
	// Within strata of one group each nothing can be exchanged.
	if _, p, _ := GroupEffect(y, []int{0, 0, 0, 1, 1, 1}, []int{0, 0, 0, 1, 1, 1}, 100, 1); p != 1 {
		t.Errorf("p = %v where there is one permutation", p)
	}
}

func TestGroupEffectEdges(t *testing.T) {
	if e, p, _ := GroupEffect(nil, nil, nil, 10, 1); e != 0 || p != 1 {
		t.Errorf("nothing: %v, %v", e, p)
	}
	if e, p, _ := GroupEffect([]float64{1, 2}, []int{3, 3}, []int{0, 0}, 10, 1); e != 0 || p != 1 {
		t.Errorf("one group: %v, %v", e, p)
	}
	if e, p, _ := GroupEffect([]float64{1, nan}, []int{0, 1}, []int{0, 0}, 10, 1); e == e || p == p {
		t.Errorf("NaN: %v, %v", e, p)
	}
}

// The test keeps its level where the strata differ in spread and are not shared alike by the
// groups, and it depends on nothing but its arguments.
func TestGroupEffectLevel(t *testing.T) {
	const reps = 800
	r := rand.New(rand.NewPCG(22, 1))
	rejected, found := 0, 0
	for rep := range reps {
		var y []float64
		var group, stratum []int
		for i := range 60 {
			s := i % 3
			g := r.IntN(3)
			if g == s { // no contestant follows itself
				g = (g + 1) % 3
			}
			y = append(y, []float64{1, 1, 5}[s]*r.NormFloat64())
			group, stratum = append(group, g), append(stratum, s)
		}
		before := slices.Clone(group)
		_, p, _ := GroupEffect(y, group, stratum, 199, uint64(rep))
		if _, again, _ := GroupEffect(y, group, stratum, 199, uint64(rep)); again != p || !slices.Equal(before, group) {
			t.Fatal("not a function of its arguments")
		}
		if p <= .05 {
			rejected++
		}
		for i := range y {
			if group[i] == 1 {
				y[i] += 4
			}
		}
		if _, p, _ := GroupEffect(y, group, stratum, 199, uint64(rep)); p <= .05 {
			found++
		}
	}
	if got := float64(rejected) / reps; !near(got, .05, .025) {
		t.Errorf("no effect, and yet p <= .05 in %v", got)
	}
	if got := float64(found) / reps; got < .9 {
		t.Errorf("an effect is found in %v only", got)
	}
}
