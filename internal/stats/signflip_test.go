package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Of one question it is the signed-rank test.
func TestSignFlipsOfOneIsSignedRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 3 + rng.IntN(10)
		d := make([]float64, n)
		for i := range d {
			d[i] = rng.NormFloat64() + .4
		}
		if got, want := SignFlips([][]float64{d}, 1)[0], SignedRank(d); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v: %v, want %v", d, got, want)
		}
	}
	if p := SignFlips([][]float64{{0, 0, 0}, nil}, 1); p[0] != 1 || p[1] != 1 {
		t.Errorf("nothing was seen, and p = %v", p)
	}
}

// Seven questions find one that is plain after eight epochs, where Holm cannot; a missing epoch is
// no value.
func TestSignFlipsOfAFamily(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	d := make([][]float64, 7)
	var ps []float64
	for i := range d {
		for e := range 8 {
			x := rng.NormFloat64()
			if i == 0 {
				x = 1 + float64(e)/10
			}
			d[i] = append(d[i], x)
		}
		ps = append(ps, SignedRank(d[i]))
	}
	if p := Holm(ps)[0]; p <= .05 {
		t.Fatalf("Holm finds it: %v", p)
	}
	p := SignFlips(d, 1)
	if p[0] > .05 || p[1] < p[0] {
		t.Errorf("%v", p)
	}
	d[0][3] = math.NaN()
	if q := SignFlips(d, 1); !(q[0] >= p[0]) {
		t.Errorf("%v with an epoch less, %v before", q[0], p[0])
	}
}

// The chance of any false rejection is at most alpha, also where the questions hang together and
// where flips are drawn.
func TestSignFlipsError(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{8, 16} {
		const runs = 400
		wrong := 0
		for rep := range runs {
			d := make([][]float64, 5)
			for e := range n {
				common := rng.NormFloat64()
				for i := range d {
					if e == 0 {
						d[i] = make([]float64, n)
					}
					d[i][e] = common + rng.NormFloat64()
				}
			}
			for _, p := range SignFlips(d, uint64(rep)) {
				if p <= .05 {
					wrong++
					break
				}
			}
		}
		if lo, _ := ClopperPearson(wrong, runs, .99); lo > .05 {
			t.Errorf("%d epochs: %d of %d runs", n, wrong, runs)
		}
	}
}

func BenchmarkSignFlips(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := make([][]float64, 21)
	for i := range d {
		for range 12 {
			d[i] = append(d[i], rng.NormFloat64())
		}
	}
	for b.Loop() {
		SignFlips(d, 1)
	}
}
