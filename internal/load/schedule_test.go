package load

import (
	"math"
	"slices"
	"testing"
	"time"
)

// all returns when worker i's arrivals of n are due, up to a maximum number.
func all(s *Schedule, i, n int, limit int64, most int) (dues []int64) {
	for a := s.Arrivals(i, n, limit); len(dues) < most; {
		due, ok := a.Next()
		if !ok {
			break
		}
		dues = append(dues, due)
	}
	return dues
}

func endless(rate float64) *Schedule { return &Schedule{Stages: []Stage{{From: rate, To: rate}}} }

// shapes end, and contain awkward cases: ramps from and to 0, a pause, lengths that binary
// fractions cannot represent.
var shapes = map[string]*Schedule{
	"constant":  {Stages: []Stage{{1100 * time.Millisecond, 100, 100}}},
	"ramp up":   {Stages: []Stage{{2 * time.Second, 0, 500}}},
	"ramp down": {Stages: []Stage{{2 * time.Second, 500, 0}}},
	"up, on, down": {Stages: []Stage{{time.Second, 0, 300}, {700 * time.Millisecond, 300, 300},
		{500 * time.Millisecond, 300, 20}}},
	"with a pause": {Stages: []Stage{{333 * time.Millisecond, 1000, 1000}, {time.Second, 0, 0},
		{333 * time.Millisecond, 1000, 1000}}},
	"pause first": {Stages: []Stage{{time.Second, 0, 0}, {time.Second, 10, 10}}},
	"less than one": {Stages: []Stage{{time.Second, 0.25, 0.25}, {time.Second, 0.25, 0.25},
		{10 * time.Second, 0.25, 0.25}}},
	"a staircase": {Stages: []Stage{{100 * time.Millisecond, 70, 70}, {100 * time.Millisecond, 140, 140},
		{100 * time.Millisecond, 210, 210}}},
}

func TestEvenSpacingIsExact(t *testing.T) {
	for _, rate := range []int64{1, 3, 333, 1000, 4000, 77_777, 1_000_000} {
		for i, due := range all(endless(float64(rate)), 0, 1, 0, 200_000) {
			if want := (2*int64(i)*1e9 + rate) / (2 * rate); due != want {
				t.Fatalf("%d/s: arrival %d at %d; want %d", rate, i, due, want)
			}
		}
	}
}

// TestCountsAreTheIntegral: arrival i, from 0, comes when the rate's integral reaches i, so that
// ceil(integral) come in all.
func TestCountsAreTheIntegral(t *testing.T) {
	for name, s := range shapes {
		dues := all(s, 0, 1, 0, math.MaxInt)
		if want := math.Ceil(s.Expected(s.Length()) - 1e-9); float64(len(dues)) != want {
			t.Errorf("%s: %d arrivals; want %v", name, len(dues), want)
		}
		if !slices.IsSorted(dues) || dues[0] < 0 || dues[len(dues)-1] >= int64(s.Length()) {
			t.Errorf("%s: from %d to %d of %d, in order: %v", name, dues[0], dues[len(dues)-1], s.Length(),
				slices.IsSorted(dues))
		}
		for i, due := range dues {
			before, after := s.Expected(time.Duration(due-1)), s.Expected(time.Duration(due+1))
			if float64(i) < before-1e-6 || float64(i) > after+1e-6 {
				t.Errorf("%s: arrival %d at %d, where the integral is %v to %v", name, i, due, before, after)
				break
			}
		}
	}
}

// TestStagesEndSharply: an arrival at a stage's end does not belong to it, at any length and rate.
func TestStagesEndSharply(t *testing.T) {
	for _, rate := range []int64{1, 7, 10, 33, 100, 500, 1000, 3333} {
		for ms := int64(1); ms < 2000; ms += 7 {
			r := float64(rate)
			s := &Schedule{Stages: []Stage{{time.Duration(ms) * time.Millisecond, r, r}}}
			dues := all(s, 0, 1, 0, math.MaxInt)
			if want := (ms*rate + 999) / 1000; int64(len(dues)) != want || dues[len(dues)-1] >= ms*1e6 {
				t.Errorf("%d/s for %d ms: %d arrivals; want %d", rate, ms, len(dues), want)
			}
		}
	}
}

func TestSharesInterleave(t *testing.T) {
	for name, s := range shapes {
		want := all(s, 0, 1, 0, math.MaxInt)
		for _, n := range []int{2, 3, 7, 64, 1000} {
			var got []int64
			for i := range n {
				share := all(s, i, n, 0, math.MaxInt)
				for k, due := range share {
					if i+k*n < len(want) && due != want[i+k*n] {
						t.Fatalf("%s: worker %d of %d: arrival %d at %d; want %d", name, i, n, k, due, want[i+k*n])
					}
				}
				got = append(got, share...)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s: %d workers have %d arrivals; one has %d", name, n, len(got), len(want))
			}
		}
	}
}

func TestLimitIsSplit(t *testing.T) {
	for _, poisson := range []bool{false, true} {
		s := &Schedule{Stages: []Stage{{From: 1000, To: 1000}}, Poisson: poisson, Seed: 2}
		for _, limit := range []int64{1, 2, 7, 100, 1001} {
			for _, n := range []int{1, 2, 3, 8} {
				var sum, least, most int64 = 0, math.MaxInt64, 0
				var dues []int64
				for i := range n {
					a := s.Arrivals(i, n, limit)
					share := a.Left()
					for k := range share {
						due, ok := a.Next()
						if dues = append(dues, due); !ok || a.Left() != share-k-1 {
							t.Errorf("arrival %d of %d: %v, %d left", k, share, ok, a.Left())
						}
					}
					if _, ok := a.Next(); ok {
						t.Errorf("worker %d of %d goes on after its %d of %d", i, n, share, limit)
					}
					sum, least, most = sum+share, min(least, share), max(most, share)
				}
				if sum != limit || !poisson && most-least > 1 {
					t.Errorf("%d over %d workers: %d in all, %d to %d each", limit, n, sum, least, most)
				}
				if slices.Sort(dues); !slices.Equal(dues, all(s, 0, 1, 0, int(limit))) {
					t.Errorf("%d over %d workers are not the first %d of the schedule", limit, n, limit)
				}
			}
		}
	}
	if a := shapes["constant"].Arrivals(0, 1, 0); a.Left() != 0 {
		t.Errorf("%d left of no limit", a.Left())
	}
}

// TestLeftOfVeryManyIsQuick: and right to a thousandth.
func TestLeftOfVeryManyIsQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector")
	}
	const limit, n = 1e15, 4
	s := &Schedule{Stages: endless(1000).Stages, Poisson: true, Seed: 2}
	for i := range n {
		a := s.Arrivals(i, n, limit)
		if left := a.Left(); math.Abs(float64(left)/(limit/n)-1) > 1e-3 {
			t.Errorf("worker %d of %d has %d of %g", i, n, left, limit)
		}
	}
}

func TestLastStageIsEndless(t *testing.T) {
	s := &Schedule{Stages: []Stage{{time.Second, 0, 100}, {0, 100, 100}}}
	dues := all(s, 0, 1, 0, 100_000)
	if s.Length() != 0 || len(dues) != 100_000 || dues[50] != 1e9 || dues[99_999] != 1e9+99_949*1e7 {
		t.Errorf("%d arrivals, [50] at %d, the last at %d", len(dues), dues[50], dues[len(dues)-1])
	}
	if e := s.Expected(11 * time.Second); e != 1050 {
		t.Errorf("%v within 11 s", e)
	}
}

func TestPauseIsSilent(t *testing.T) {
	for _, poisson := range []bool{false, true} {
		s := &Schedule{Stages: shapes["with a pause"].Stages, Poisson: poisson, Seed: 4}
		dues := all(s, 0, 1, 0, math.MaxInt)
		for _, due := range dues {
			if due >= 333e6 && due < 1333e6 {
				t.Errorf("poisson %v: one is due at %d, in the pause", poisson, due)
			}
		}
		if last := dues[len(dues)-1]; last < 1600e6 {
			t.Errorf("poisson %v: the last is due at %d", poisson, last)
		}
	}
}

func TestNothingIsDue(t *testing.T) {
	for name, s := range map[string]*Schedule{
		"no stage": {}, "endless silence": endless(0), "silence": {Stages: []Stage{{time.Hour, 0, 0}}},
		"then endless silence": {Stages: []Stage{{time.Hour, 0, 0}, {0, 0, 0}}},
	} {
		for _, poisson := range []bool{false, true} {
			s.Poisson = poisson
			if dues := all(s, 0, 1, 0, 10); len(dues) > 0 {
				t.Errorf("%s, poisson %v: %v", name, poisson, dues)
			}
		}
		if e := s.Expected(time.Hour); e != 0 {
			t.Errorf("%s: %v expected", name, e)
		}
	}
	// Once in 3,000 years: the first is due at once, the second at a time that no int64 holds.
	if dues := all(endless(1e-11), 0, 1, 0, 10); len(dues) != 1 {
		t.Errorf("once in an age: %v", dues)
	}
}

func TestExpected(t *testing.T) {
	s := shapes["up, on, down"]
	for at, want := range map[time.Duration]float64{
		0: 0, 500 * time.Millisecond: 37.5, time.Second: 150, 1100 * time.Millisecond: 180,
		1700 * time.Millisecond: 360,
		1950 * time.Millisecond: 417.5, 2200 * time.Millisecond: 440, time.Hour: 440,
	} {
		if got := s.Expected(at); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v expected until %v; want %v", got, at, want)
		}
	}
	if s.Length() != 2200*time.Millisecond {
		t.Errorf("length %v", s.Length())
	}
}

// TestPoisson: counts per second have the rate as mean and as variance: the index of dispersion is
// 1 with a standard error of sqrt(2/(n-1)) (Fisher, Statistical Methods for Research Workers,
// 1925). A share exp(-1) of the gaps is longer than the mean.
func TestPoisson(t *testing.T) {
	const rate, seconds = 200.0, 1000
	for _, workers := range []int{1, 2, 7} {
		s := &Schedule{Stages: []Stage{{seconds * time.Second, rate, rate}}, Poisson: true, Seed: 1}
		var dues []int64
		for i := range workers {
			dues = append(dues, all(s, i, workers, 0, math.MaxInt)...)
		}
		slices.Sort(dues)
		if mean := float64(len(dues)) / seconds; math.Abs(mean-rate) > 4*math.Sqrt(rate/seconds) {
			t.Errorf("%d workers: %v per second", workers, mean)
		}
		counts := make([]float64, seconds)
		for _, due := range dues {
			counts[due/1e9]++
		}
		mean, squares := float64(len(dues))/seconds, 0.0
		for _, c := range counts {
			squares += (c - mean) * (c - mean)
		}
		if index := squares / (seconds - 1) / mean; math.Abs(index-1) > 4*math.Sqrt(2.0/(seconds-1)) {
			t.Errorf("%d workers: index of dispersion %v", workers, index)
		}
		long := 0.0
		for i := 1; i < len(dues); i++ {
			if float64(dues[i]-dues[i-1]) > 1e9/rate {
				long++
			}
		}
		if share := long / float64(len(dues)-1); math.Abs(share-math.Exp(-1)) > 0.01 {
			t.Errorf("%d workers: %v of the gaps are longer than the mean", workers, share)
		}
	}
}

// TestPoissonFollowsTheRamp: a quarter of a ramp from 0 comes in its first half.
func TestPoissonFollowsTheRamp(t *testing.T) {
	s := &Schedule{Stages: []Stage{{100 * time.Second, 0, 2000}}, Poisson: true, Seed: 5}
	dues := all(s, 0, 1, 0, math.MaxInt)
	first, _ := slices.BinarySearch(dues, 50e9)
	if !slices.IsSorted(dues) || math.Abs(float64(len(dues))-100_000) > 4*math.Sqrt(100_000) ||
		math.Abs(float64(first)-25_000) > 4*math.Sqrt(25_000) {
		t.Errorf("%d arrivals, %d in the first half", len(dues), first)
	}
}

func TestArrivalsAreDrawnFromTheSeed(t *testing.T) {
	draw := func(seed uint64, i, n int) []int64 {
		return all(&Schedule{Stages: endless(100).Stages, Poisson: true, Seed: seed}, i, n, 0, 100)
	}
	if !slices.Equal(draw(7, 0, 2), draw(7, 0, 2)) {
		t.Error("the same seed draws something else")
	}
	if slices.Equal(draw(7, 0, 2), draw(8, 0, 2)) || slices.Equal(draw(7, 0, 2), draw(7, 1, 2)) {
		t.Error("another seed or another worker draws the same")
	}
	// A copy continues from where it was made: epoll reads ahead with one.
	a := (&Schedule{Stages: endless(100).Stages, Poisson: true, Seed: 7}).Arrivals(0, 1, 0)
	a.Next()
	b := a
	for range 10 {
		x, _ := a.Next()
		if y, _ := b.Next(); x != y {
			t.Fatalf("%d, and of the copy %d", x, y)
		}
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	for _, poisson := range []bool{false, true} {
		a := (&Schedule{Stages: endless(1000).Stages, Poisson: poisson}).Arrivals(0, 1, 0)
		if n := testing.AllocsPerRun(1000, func() { a.Next() }); n != 0 {
			t.Errorf("poisson %v: %v allocations", poisson, n)
		}
	}
}

// Expected returns the number of requests due until at, or its mean if arrivals are random: the
// rate's integral.
func (s *Schedule) Expected(at time.Duration) float64 {
	sum := 0.0
	for _, st := range s.Stages {
		if st.For <= 0 || at < st.For {
			return sum + st.integral(at.Seconds())
		}
		sum += st.integral(st.For.Seconds())
		at -= st.For
	}
	return sum
}
