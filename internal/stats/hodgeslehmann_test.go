package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// bruteHL takes the interval from its definition: c by enumeration of all 2^n
// subsets of the ranks 1..n, the Walsh averages by their order.
func bruteHL(d []float64, conf float64) (hl, lo, hi float64) {
	n := len(d)
	var w []float64
	for a := range d {
		for b := range d[:a+1] {
			w = append(w, (d[a]+d[b])/2)
		}
	}
	slices.Sort(w)
	m := len(w)
	count := make([]int, m+1)
	for pattern := range 1 << n {
		sum := 0
		for i := range n {
			sum += pattern >> i & 1 * (i + 1)
		}
		count[sum]++
	}
	lo, hi = -inf, inf
	below := 0
	for c := 0; c < (m+1)/2; c++ {
		if below += count[c]; float64(below)/float64(int(1)<<n) <= (1-conf)/2 {
			lo, hi = w[c+1-1], w[m-c-1] // w_(c+1), w_(M-c)
		}
	}
	return (w[(m-1)/2] + w[m/2]) / 2, lo, hi
}

func TestHodgesLehmannBrute(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for n := 1; n <= 12; n++ {
		for _, conf := range []float64{.5, .8, .9, .95, .99} {
			for _, grain := range []float64{0, .5} {
				d := make([]float64, n)
				for i := range d {
					d[i] = r.NormFloat64()
					if grain > 0 {
						d[i] = math.Round(d[i]/grain) * grain
					}
				}
				before := slices.Clone(d)
				hl, lo, hi := HodgesLehmann(d, conf)
				if h, l, u := bruteHL(d, conf); !near(hl, h, 1e-15) || lo != l || hi != u {
					t.Errorf("n = %d, conf %v: %v [%v, %v], brute force %v [%v, %v]", n, conf, hl, lo, hi, h, l, u)
				}
				if !slices.Equal(before, d) {
					t.Fatal("HodgesLehmann changed its argument")
				}
			}
		}
	}
}

func TestHodgesLehmannEdges(t *testing.T) {
	for _, c := range []struct {
		d          []float64
		conf       float64
		hl, lo, hi float64
	}{
		{nil, .95, nan, -inf, inf}, {[]float64{2}, .95, 2, -inf, inf}, {[]float64{1, nan, 3}, .5, nan, -inf, inf},
		{[]float64{1, 2, 3, 4, 5}, .95, 3, -inf, inf}, {[]float64{1, 2, 3, 4, 5, 6}, .95, 3.5, 1, 6},
		{[]float64{1, 2, 3, 4, 5, 6}, 1, 3.5, -inf, inf}, {[]float64{1, 2, 3}, nan, 2, -inf, inf},
		{[]float64{-inf, 0, inf}, .5, nan, -inf, inf},
	} {
		hl, lo, hi := HodgesLehmann(c.d, c.conf)
		if !near(hl, c.hl, 0) || lo != c.lo || hi != c.hi {
			t.Errorf("HodgesLehmann(%v, %v) = %v [%v, %v], want %v [%v, %v]", c.d, c.conf, hl, lo, hi, c.hl, c.lo, c.hi)
		}
	}
}

// Every order statistic of the Walsh averages is that of all of them sorted.
func TestWalsh(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 6))
	draw := map[string]func() float64{
		"normal": r.NormFloat64, "quantised": func() float64 { return math.Round(2*r.NormFloat64()) / 4 },
		"constant": func() float64 { return -.25 },
		"heavy":    func() float64 { return math.Exp(30*r.NormFloat64()) * float64(2*r.IntN(2)-1) },
		"zeros":    func() float64 { return math.Copysign(0, r.NormFloat64()) },
		"infinite": func() float64 { return max(r.NormFloat64(), inf*float64(r.IntN(2)*2-1)) },
		"largest":  func() float64 { return math.MaxFloat64 },
		"smallest": func() float64 { return math.SmallestNonzeroFloat64 * float64(r.IntN(3)-1) },
	}
	for name, one := range draw {
		for _, n := range []int{1, 2, 5, 12, 48, 60, 61} {
			d := make([]float64, n)
			for i := range d {
				d[i] = one()
			}
			slices.Sort(d)
			var all []float64
			for a := range d {
				for b := a; b < n; b++ {
					all = append(all, (d[a]+d[b])/2)
				}
			}
			slices.Sort(all)
			for i, want := range all {
				if got := walsh(d, i); got != want {
					t.Fatalf("%s: average %d of %d values is %v, want %v", name, i, n, got, want)
				}
			}
		}
	}
}

// The verdict and the interval beside it must never contradict each other.
func TestIntervalAgreesWithTest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	found := 0
	for _, n := range []int{6, 9, 12, 24, 48, exactN, exactN + 1, 75} {
		for _, alpha := range []float64{.05, .01, .0625} {
			for range 150 {
				d := make([]float64, n)
				for i := range d {
					d[i] = r.NormFloat64() + 2.3/math.Sqrt(float64(n))
				}
				p := SignedRank(d)
				_, lo, hi := HodgesLehmann(d, 1-alpha)
				if rejects := p <= alpha; rejects != (lo > 0 || hi < 0) {
					t.Errorf("n = %d, alpha %v: p = %v but [%v, %v]", n, alpha, p, lo, hi)
				} else if rejects {
					found++
				}
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d rejections: the test tests nothing", found)
	}
}

// symmetric are distributions about 0 that the interval must cover; core SD 1.
var symmetric = map[string]func(*rand.Rand) float64{
	"normal": (*rand.Rand).NormFloat64,
	"t3":     student3,
	"contaminated": func(r *rand.Rand) float64 { // 8 % outliers of 10 SD
		if r.Float64() < .08 {
			return 10 * r.NormFloat64()
		}
		return r.NormFloat64()
	},
}

func student3(r *rand.Rand) float64 {
	a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	return r.NormFloat64() / math.Sqrt((a*a+b*b+c*c)/3)
}

func TestHodgesLehmannCoverage(t *testing.T) {
	const n, reps = 12, 4000
	// P(W <= 13) = 87/4096 is the last under 2.5 %: 95.75 % by theory.
	const exact = 1 - 2*87./4096
	for name, draw := range symmetric {
		r := rand.New(rand.NewPCG(8, 8))
		held := 0
		d := make([]float64, n)
		for range reps {
			for i := range d {
				d[i] = .05 + draw(r)
			}
			if _, lo, hi := HodgesLehmann(d, .95); lo <= .05 && .05 <= hi {
				held++
			}
		}
		if got := float64(held) / reps; got < .94 || got > .97 || !near(got, exact, .0127) {
			t.Errorf("%s: covers %.4f, by theory %.4f", name, got, exact)
		}
	}
}

// Readings on a coarse clock have ties and zeros; the interval may then only
// become wider.
func TestHodgesLehmannCoverageQuantised(t *testing.T) {
	const reps = 4000
	r := rand.New(rand.NewPCG(9, 9))
	held := 0
	d := make([]float64, 12)
	for range reps {
		for i := range d {
			d[i] = math.Round(r.NormFloat64())
		}
		if _, lo, hi := HodgesLehmann(d, .95); lo <= 0 && 0 <= hi {
			held++
		}
	}
	if got := float64(held) / reps; got < .95 {
		t.Errorf("covers %.4f", got)
	}
}

func BenchmarkPair(b *testing.B) {
	for _, n := range []int{12, 24, 48, 60, 61} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(11, uint64(n)))
			d := make([]float64, n)
			for i := range d {
				d[i] = .02 * r.NormFloat64()
			}
			b.ReportAllocs()
			for b.Loop() {
				SignedRank(d)
				HodgesLehmann(d, .99)
			}
		})
	}
}
