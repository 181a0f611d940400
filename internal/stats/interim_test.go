package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The fewest epochs for all pairs of k contestants, at .01 an analysis.
func TestMinEpochs(t *testing.T) {
	for k, want := range map[int]int{2: 8, 4: 11, 10: 14, 20: 16, 40: 18, 60: 19} {
		if got := MinEpochs(k*(k-1)/2, .01); got != want {
			t.Errorf("k = %d: MinEpochs = %d, want %d", k, got, want)
		}
	}
	for _, c := range []struct {
		m     int
		alpha float64
		want  int
	}{{1, 1. / 128, 8}, {1, .05, 6}, {4, .0625, 7}, {15, .05, 10}, {0, .05, 0}, {3, 0, math.MaxInt},
		{3, nan, math.MaxInt}} {
		if got := MinEpochs(c.m, c.alpha); got != c.want {
			t.Errorf("MinEpochs(%d, %v) = %d, want %d", c.m, c.alpha, got, c.want)
		}
	}
}

// MinEpochs against what SignedRank and Holm really do with one clear winner.
func TestMinEpochsIsWhereHolmCanReject(t *testing.T) {
	for _, m := range []int{1, 2, 6, 15, 45, 190, 1770} {
		for _, alpha := range []float64{.05, .025, .0125, .01, .0625} {
			p := slices.Repeat([]float64{1}, m)
			n := MinEpochs(m, alpha)
			p[0] = SignedRank(slices.Repeat([]float64{.1}, n))
			if Holm(p)[0] > alpha {
				t.Errorf("m = %d, alpha %v: %d epochs cannot reject", m, alpha, n)
			}
			p[0] = SignedRank(slices.Repeat([]float64{.1}, n-1))
			if Holm(p)[0] <= alpha {
				t.Errorf("m = %d, alpha %v: %d epochs reject already", m, alpha, n-1)
			}
		}
	}
}

func TestLooks(t *testing.T) {
	quick := []int{8, 12, 16, 24}
	full := []int{12, 16, 24, 32, 48}
	for _, c := range []struct {
		candidates []int
		fits, m    int
		want       []Interim
	}{
		{quick, 12, 15, []Interim{{N: 12, Alpha: .05}}},
		{quick, 12, 1, []Interim{{N: 8, Alpha: .025}, {N: 12, Alpha: .025}}},
		{quick, 24, 1, []Interim{{N: 8, Alpha: .0125}, {N: 12, Alpha: .0125}, {N: 16, Alpha: .0125}, {N: 24, Alpha: .0125}}},
		{quick, 24, 15, []Interim{{N: 12, Alpha: .05 / 3}, {N: 16, Alpha: .05 / 3}, {N: 24, Alpha: .05 / 3}}},
		{quick, 23, 15, []Interim{{N: 12, Alpha: .025}, {N: 16, Alpha: .025}}},
		{quick, 8, 15, nil},                               // 8 epochs fit, 10 are needed
		{quick, 7, 1, nil},                                // nothing fits
		{quick, 8, 6, []Interim{{N: 8, Alpha: .05}}},      // just: 2·6/.05 = 240 <= 256
		{quick, 16, 1770, nil},                            // 60 contestants need 17 even with one analysis
		{quick, 24, 1770, []Interim{{N: 24, Alpha: .05}}}, // both earlier ones dropped, alpha given back
		{full, 48, 6, []Interim{{N: 12, Alpha: .01}, {N: 16, Alpha: .01}, {N: 24, Alpha: .01}, {N: 32, Alpha: .01}, {N: 48, Alpha: .01}}},
		{full, 48, 45, []Interim{{N: 16, Alpha: .0125}, {N: 24, Alpha: .0125}, {N: 32, Alpha: .0125}, {N: 48, Alpha: .0125}}}, // 12 < 14
		{[]int{24, 8, 8, 0, -3}, 24, 1, []Interim{{N: 8, Alpha: .025}, {N: 24, Alpha: .025}}},
		{nil, 24, 1, nil},
	} {
		before := slices.Clone(c.candidates)
		got := Interims(c.candidates, c.fits, c.m, .05)
		if !slices.EqualFunc(got, c.want, func(a, b Interim) bool {
			return a.N == b.N && near(a.Alpha, b.Alpha, 1e-15)
		}) {
			t.Errorf("Looks(%v, %d, %d) = %v, want %v", c.candidates, c.fits, c.m, got, c.want)
		}
		if !slices.Equal(before, c.candidates) {
			t.Errorf("Looks changed its argument to %v", c.candidates)
		}
	}
}

func TestMDE(t *testing.T) {
	// t_.995 = 3.105807, t_.8 = 0.875530 with 11 degrees of freedom, √(π/3/12) = 0.295409
	if got, want := MDE(.02, 12, 1, .01), (3.105807+0.875530)*.02*0.295409; !near(got, want, 1e-7) {
		t.Errorf("MDE = %v, want %v", got, want)
	}
	if got := MDE(.02, 12, 15, .05); got <= MDE(.02, 12, 1, .05) || got <= MDE(.02, 16, 15, .05) {
		t.Errorf("MDE = %v is not more than with fewer pairs, or with more epochs", got)
	}
	for _, n := range []int{0, 7} {
		if got := MDE(.02, n, 1, .01); got != inf {
			t.Errorf("MDE after %d epochs = %v, but none can be detected", n, got)
		}
	}
}

// The power at the MDE: near the promised 80 %, and short of it near MinEpochs,
// where the smallest p-value that there is hardly passes.
func TestMDEPower(t *testing.T) {
	const reps = 3000
	for _, c := range []struct {
		n, m         int
		alpha, power float64
	}{{48, 1, .01, .79}, {24, 6, .01, .78}, {12, 15, .05, .70}, {8, 1, .01, .63}} {
		r := rand.New(rand.NewPCG(13, uint64(c.n)))
		shift := MDE(1, c.n, c.m, c.alpha)
		d := make([]float64, c.n)
		found := 0
		for range reps {
			for i := range d {
				d[i] = shift + r.NormFloat64()
			}
			if float64(c.m)*SignedRank(d) <= c.alpha {
				found++
			}
		}
		if got := float64(found) / reps; !near(got, c.power, .035) {
			t.Errorf("n = %d, m = %d, alpha %v: power %.3f at the MDE, want %.2f", c.n, c.m, c.alpha, got, c.power)
		}
	}
}

// epochs draws one log figure per contestant and epoch: a drift that all share,
// and noise of 2 % with 6 % outliers ("VM, CPU/request" of validation/README.md). noisy, if not
// 0, is the factor on the noise of contestant 0; first is its true advantage.
func epochs(r *rand.Rand, k, n int, noisy, first float64) [][]float64 {
	y := make([][]float64, n)
	for e := range y {
		y[e] = make([]float64, k)
		drift := .2 * r.NormFloat64()
		for i := range y[e] {
			v := .02 * r.NormFloat64()
			if r.Float64() < .06 {
				v *= 8
			}
			if i == 0 && noisy != 0 {
				v *= noisy
			}
			y[e][i] = drift + v
		}
		y[e][0] += first
	}
	return y
}

// verdicts makes the interim analyses of y: at each, until something
// is found, the pairs that Holm rejects. A pair (i, j) is positive if i is above.
func verdicts(y [][]float64, looks []Interim) (found map[[2]int]bool) {
	found = map[[2]int]bool{}
	k := len(y[0])
	for _, look := range looks {
		var ps []float64
		var pairs [][2]int
		var above []bool
		d := make([]float64, look.N)
		for i := range k {
			for j := i + 1; j < k; j++ {
				for e := range d {
					d[e] = y[e][i] - y[e][j]
				}
				ps, pairs, above = append(ps, SignedRank(d)), append(pairs, [2]int{i, j}), append(above, Median(d) > 0)
			}
		}
		for q, p := range Holm(ps) {
			if _, done := found[pairs[q]]; p <= look.Alpha && !done {
				found[pairs[q]] = above[q]
			}
		}
	}
	return found
}

// Identical contestants, every look taken: the chance of any winner at all. By
// 60,000 repetitions of the second row it is 3.2 %.
//
// Note: 300 repetitions, with an upper bound of 6.5 % asked for, would refuse a
// procedure of 3.2 % in one seed out of four; hence more, even when short (-race).
func TestFamilyWiseError(t *testing.T) {
	for _, c := range []struct {
		k, fits    int
		candidates []int
		noisy      float64
		reps       int
	}{
		{2, 24, []int{8, 12, 16, 24}, 0, 6000},
		{2, 48, []int{12, 16, 24, 32, 48}, 3, 6000},
		{4, 24, []int{8, 12, 16, 24}, 0, 3000},
		{6, 12, []int{8, 12, 16, 24}, 0, 3000},
		{4, 48, []int{12, 16, 24, 32, 48}, 3, 3000},
	} {
		t.Run(fmt.Sprintf("k=%d fits=%d noisy=%v", c.k, c.fits, c.noisy), func(t *testing.T) {
			looks := Interims(c.candidates, c.fits, c.k*(c.k-1)/2, .05)
			r := rand.New(rand.NewPCG(14, uint64(c.k*c.fits)))
			reps, bound := c.reps, .06
			if testing.Short() {
				reps, bound = c.reps/4, .065
			}
			wrong := 0
			for range reps {
				if len(verdicts(epochs(r, c.k, looks[len(looks)-1].N, c.noisy, 0), looks)) > 0 {
					wrong++
				}
			}
			rate := float64(wrong) / float64(reps)
			_, hi := ClopperPearson(wrong, reps, .95)
			t.Logf("false winner in %d of %d (%.1f %%, at most %.1f %%)", wrong, reps, 100*rate, 100*hi)
			if rate > .05 || hi > bound {
				t.Errorf("false winner in %d of %d, upper bound %.3f", wrong, reps, hi)
			}
		})
	}
}

// One contestant truly 8 % ahead: found against all others, never with the
// wrong sign, and no winner among those that are equal beyond alpha.
func TestTrueDifferenceIsFound(t *testing.T) {
	const k, reps = 4, 150
	looks := Interims([]int{12, 16, 24, 32}, 32, 6, .05)
	r := rand.New(rand.NewPCG(15, 15))
	missed, wrong := 0, 0
	for range reps {
		found := verdicts(epochs(r, k, 32, 0, math.Log(1.08)), looks)
		for j := 1; j < k; j++ {
			above, ok := found[[2]int{0, j}]
			if !ok {
				missed++
			} else if !above {
				t.Errorf("contestant 0, 8 %% ahead, is called slower than %d", j)
			}
			delete(found, [2]int{0, j})
		}
		if len(found) > 0 {
			wrong++
		}
	}
	if missed > reps*3/20 {
		t.Errorf("missed %d of %d true differences", missed, 3*reps)
	}
	if _, hi := ClopperPearson(wrong, reps, .9); hi > .09 {
		t.Errorf("a winner among equals in %d of %d", wrong, reps)
	}
}
