package stats

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// normals returns the pairs between k servers in n epochs, with starts that differ by 2 % and these
// true logs.
func normals(rng *rand.Rand, n int, logs ...float64) [][]float64 {
	rows := make([][]float64, n)
	for e := range rows {
		for _, log := range logs {
			rows[e] = append(rows[e], log+.02*rng.NormFloat64())
		}
	}
	return pairsOf(rows)
}

// pairsOf returns the differences between all columns.
func pairsOf(rows [][]float64) (d [][]float64) {
	for _, pair := range couples(len(rows[0])) {
		x := make([]float64, len(rows))
		for e, row := range rows {
			x[e] = row[pair[0]] - row[pair[1]]
		}
		d = append(d, x)
	}
	return d
}

// plainly is Joint by its formulas, one flip after the other: it returns the adjusted p-values, and
// the two-sided and one-sided critical values.
func plainly(d [][]float64, alpha, factor float64) (p []float64, crit, side float64) {
	js, c := locate(d)
	n, m := len(d[0]), len(d)
	ts := func(x [][]float64, loc []float64, factor float64) (t []float64) {
		var vs []float64
		for _, x := range x {
			vs = append(vs, variance(x))
		}
		for i, v := range vs {
			t = append(t, loc[i]/(factor*math.Sqrt((v/4+Median(vs)*3/4)/float64(n))))
		}
		return t
	}
	logs, unit := make([]float64, m), make([][]float64, n)
	for i, j := range js {
		logs[i] = j.Log
	}
	for e := range unit {
		unit[e] = make([]float64, n)
		unit[e][e] = 1 // the sum of row e is the sign of epoch e
	}
	seen := ts(c, logs, factor)
	reached, signs, all := make([]int, m), make([]float64, n), flipsOf(unit)
	var most, sided []float64
	for f := 1; f < all.n; f++ {
		all.sum(f, signs)
		flipped, means := make([][]float64, m), make([]float64, m)
		for i := range c {
			for e, v := range c[i] {
				flipped[i] = append(flipped[i], v*signs[e])
			}
			means[i] = sum(flipped[i]) / float64(n)
		}
		t := ts(flipped, means, 1)
		up, down := 0., 0.
		for i := range seen {
			up, down = max(up, t[i]*math.Copysign(1, seen[i])), max(down, -t[i]*math.Copysign(1, seen[i]))
			for o := range t {
				if math.Abs(seen[o]) <= math.Abs(seen[i]) && math.Abs(t[o]) >= math.Abs(seen[i])-1e-9 {
					reached[i]++
					break
				}
			}
		}
		most, sided = append(most, max(up, down)), append(sided, up, down)
	}
	p = make([]float64, m)
	for i := range p {
		for o := range p {
			if math.Abs(seen[o]) >= math.Abs(seen[i]) {
				p[i] = max(p[i], float64(1+reached[o])/float64(all.n))
			}
		}
	}
	above := func(reference []float64, flips int) float64 { // the values as they were seen are one flip above it
		slices.Sort(reference)
		if over := int(alpha*float64(flips)) - 1; over >= 0 {
			return reference[len(reference)-1-over]
		}
		return math.Inf(1)
	}
	return p, above(most, all.n), above(sided, 2*all.n)
}

func TestJointIsAsItsFormulasRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	logs := []float64{0, 0, .02, .03, 0, .01, .7, 0, .04}
	for _, size := range [][3]int{{2, 4, 5}, {5, 4, 20}, {8, 4, 20}, {9, 4, 20}, {11, 4, 20}, {8, 9, 5},
		{10, 8, 5}, {11, 2, 20}, {12, 3, 5},
		{13, 4, 3}, {16, 7, 2}, {20, 2, 3}} {
		n := size[0]
		for range size[2] {
			d := normals(rng, n, logs[:size[1]]...)
			want, crit, side := plainly(d, .04, 1.2)
			for i, j := range Joint(d, .04, 1.2) {
				if math.Abs(j.P-want[i]) > 1e-12 {
					t.Fatalf("%d epochs, pair %d of %d: P = %v, want %v", n, i, len(d), j.P, want[i])
				}
				if j.Different != (want[i] <= .04) {
					t.Errorf("%d epochs, pair %d: P = %v, different: %v", n, i, j.P, j.Different)
				}
				if !near(j.Crit, crit, 1e-9) || !near(j.Side, side, 1e-9) {
					t.Fatalf("%d epochs, %d pairs: critical values %v and %v, want %v and %v", n, len(d), j.Crit, j.Side, crit, side)
				}
			}
		}
	}
}

// medianOf agrees with Median, also for ties.
func TestMedianOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{1, 2, 3, 6, 28, 45, 190} {
		x, scratch := make([]float64, size), make([]float64, size)
		for round := range 500 {
			scale := math.Pow(10, float64(round%7)*rng.Float64()-3)
			for i := range x {
				if x[i] = scale * rng.NormFloat64(); round%3 == 0 {
					x[i] = math.Round(5 * rng.Float64()) // ties
				} else if round%3 == 1 {
					x[i] = 1 + rng.Float64()
				}
			}
			if got, want := medianOf(x, scratch), Median(x); got != want {
				t.Fatalf("median of %v: %v, want %v", x, got, want)
			}
		}
	}
}

// For more than 12 epochs the sums are also those of flips, and the same at each call.
func TestFlippedSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 8, 9, 12, 13, 20, 64, 70} {
		unit := make([][]float64, n)
		for e := range unit {
			unit[e] = make([]float64, n)
			unit[e][e] = 1 // the sum of row e is the sign of epoch e
		}
		x := make([]float64, n)
		for e := range x {
			x[e] = rng.NormFloat64()
		}
		all, of := flipsOf(unit), flipsOf([][]float64{x})
		flips, signs, got := all.n, make([]float64, n), make([]float64, 1)
		if want := min(1<<min(n-1, 20), flipsDrawn+1); flips != want {
			t.Fatalf("%d epochs: %d flips, want %d", n, flips, want)
		}
		seen := map[string]bool{}
		for f := range flips {
			want, key := 0., ""
			all.sum(f, signs)
			of.sum(f, got)
			for e, v := range x {
				sign := signs[e]
				if sign != 1 && sign != -1 || f == 0 && sign != 1 {
					t.Fatalf("%d epochs, flip %d: sign %v", n, f, sign)
				}
				want, key = want+sign*v, key+string('b'+rune(sign))
			}
			if seen[key] = true; math.Abs(got[0]-want) > 1e-9 {
				t.Fatalf("%d epochs, flip %d: sum %v, want %v", n, f, got[0], want)
			}
		}
		if n <= flipsAll && len(seen) != flips {
			t.Errorf("%d epochs: %d of %d flips are different", n, len(seen), flips)
		}
	}
}

// The sums for many pairs in many epochs take less memory, and are still those of flips.
func TestFlipsOfManyPairs(t *testing.T) {
	c := make([][]float64, 45_000)
	for i := range c {
		c[i] = make([]float64, 20)
		c[i][i%20] = 1
	}
	x, signs, all, flipped := flipsOf(c), make([]float64, len(c)), 0, 0
	for _, sums := range x.sums {
		all += len(sums)
	}
	if all > flipSums {
		t.Errorf("%d sums", all)
	}
	x.sum(x.n-1, signs)
	for i, s := range signs {
		if s != signs[i%20] || s != 1 && s != -1 {
			t.Fatalf("pair %d: sign %v", i, s)
		} else if s == -1 {
			flipped++
		}
	}
	if flipped == 0 || flipped == len(c) {
		t.Errorf("%d of %d are flipped", flipped, len(c))
	}
}

// An interval excludes 0, or ends there, exactly where a pair is different.
func TestJointIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	cut := 0
	for range 100 {
		d := normals(rng, 8+rng.IntN(8), 0, 0, .03, .04, .05)
		for i, j := range Joint(d, .04, 1) {
			lo, hi := j.Interval()
			if !(lo <= j.Log && j.Log <= hi) || (lo >= 0 || hi <= 0) != j.Different {
				t.Fatalf("pair %d: %+v, interval %v to %v", i, j, lo, hi)
			}
			if lo == 0 || hi == 0 {
				cut++
			}
			if j.Different != (j.P <= .04) || math.Abs(j.Log)/j.SE > j.Crit && !j.Different {
				t.Fatalf("pair %d: %+v", i, j)
			}
		}
	}
	if cut == 0 {
		t.Error("nowhere did step-down alone decide")
	}
}

func TestJudgedOfNothing(t *testing.T) {
	judges := map[string]func(d [][]float64) []Judged{
		"joint": func(d [][]float64) []Judged { return Joint(d, .04, 1) },
		"early": func(d [][]float64) []Judged { return Early(d, .005, .056) },
	}
	for name, judge := range judges {
		if js := judge(nil); len(js) != 0 {
			t.Errorf("%s: no pair: %v", name, js)
		}
		for _, d := range [][][]float64{{nil, nil}, {{.7}, {0}}, {{.1, .1}, {0, 0}}, {{0, 0, 0}, {0, 0, 0}}} {
			for _, j := range judge(d) {
				lo, hi := j.Interval()
				if j.Different || j.P < .05 || len(d[0]) < 2 && (j.Equivalent(1) || !math.IsInf(lo, -1) || !math.IsInf(hi, 1)) {
					t.Errorf("%s of %v: %+v, %v to %v", name, d, j, lo, hi)
				}
			}
		}
	}
	constant := func(v float64) []float64 { return slices.Repeat([]float64{v}, 8) }
	js := Joint([][]float64{constant(0), constant(.05), constant(-1e-15)}, .04, 1)
	if js[0].Different || !js[1].Different || js[2].Different || !js[0].Equivalent(.03) || js[1].Equivalent(.03) {
		t.Errorf("of values without any spread: %+v", js)
	}
}

// The judge depends on neither the order of the pairs nor which side is first, and changes nothing.
func TestJointOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{10, 20} {
		d := normals(rng, n, 0, .01, .05)
		swapped := [][]float64{d[2], d[0], nil}
		for _, v := range d[1] {
			swapped[2] = append(swapped[2], -v)
		}
		a, b := Joint(d, .04, 1), Joint(swapped, .04, 1)
		if b[2].Log = -b[2].Log; a[2].P != b[0].P || a[0].P != b[1].P || math.Abs(a[1].Log-b[2].Log) > 1e-12 ||
			a[1].P != b[2].P || math.Abs(a[0].Crit-b[0].Crit) > 1e-9 {
			t.Errorf("%+v\n%+v", a, b)
		}
		if again := Joint(d, .04, 1); !reflect.DeepEqual(a, again) {
			t.Error("the same values give another result")
		}
	}
}

func TestEarly(t *testing.T) {
	// v = (4·.0036 + 2·.01) / 6, SE = √(v/3), t = .5/SE on 6 df
	js := Early([][]float64{{.4, .5, .6}, {0, .1, -.1}}, .005, .06)
	v := (4*.0036 + 2*.01) / 6
	if j := js[0]; math.Abs(j.SE-math.Sqrt(v/3)) > 1e-12 || j.DF != 6 || math.Abs(j.Log-.5) > 1e-12 ||
		math.Abs(j.Crit-4.9807)/4.9807 > .02 || !j.Different || js[1].Different || js[1].P != 1 {
		t.Errorf("%+v", js)
	}
}

func BenchmarkJoint(b *testing.B) {
	for name, size := range map[string][2]int{"k=2,n=12": {2, 12}, "k=8,n=12": {8, 12}, "k=20,n=12": {20, 12},
		"k=20,n=60": {20, 60}, "k=8,n=16": {8, 16}, "k=3,n=16": {3, 16}, "k=20,n=16": {20, 16}} {
		d := normals(rand.New(rand.NewPCG(1, 1)), size[1], make([]float64, size[0])...)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Joint(d, .04, 1)
			}
		})
	}
}

// A pair that lacks epochs is judged by those that it has, beside others that have all.
func TestJointOfMissingEpochs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	d := make([][]float64, 3)
	for range 11 {
		x, y := .02*rng.NormFloat64(), .02*rng.NormFloat64()
		d[0], d[1], d[2] = append(d[0], .03+x), append(d[1], y), append(d[2], x-y)
	}
	d[0][2], d[0][9] = nan, nan
	js := Joint(d, .04, 1)
	if js[0].DF != 8 || js[1].DF != 10 || math.IsNaN(js[0].SE) || math.IsNaN(js[0].P) || js[0].SE <= 0 {
		t.Errorf("%+v", js)
	}
	alone := Joint([][]float64{known(d[0])}, .04, 1)[0]
	if one := Joint(d[:1], .04, 1)[0]; one.Log != alone.Log || one.SE != alone.SE || one.DF != alone.DF {
		t.Errorf("%+v; without the gaps %+v", one, alone)
	}
}

// couples returns all pairs from k things.
func couples(k int) (pairs [][2]int) {
	for i := range k {
		for j := i + 1; j < k; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// Values that are not finite, which Joint does not expect, do not make it run forever.
func TestJointOfInfinities(t *testing.T) {
	inf := math.Inf(-1)
	Joint([][]float64{{inf, inf, inf, inf, inf, inf, inf, inf}, {1, 2, 3, 4, 5, 6, 7, 8}}, .05, 1)
}
