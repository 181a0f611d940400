package bench

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// warmups are logs of rates without noise, by description.
var warmups = []struct {
	name  string
	rates func(i int) float64
	class string
	from  int
}{
	{"flat", func(i int) float64 { return 100 }, record.Flat, 0},
	{"a cold first window", func(i int) float64 { return step(i, 1, 20, 100) }, record.Warmed, 1},
	{"one tier", func(i int) float64 { return step(i, 12, 30, 100) }, record.Warmed, 12},
	{"two tiers", func(i int) float64 { return step(i, 8, 20, step(i, 17, 55, 120)) }, record.Warmed, 17},
	{"slower for good", func(i int) float64 { return step(i, 10, 200, 100) }, record.Slowdown, 10},
	{"faster than it stays", func(i int) float64 { return step(i, 5, 30, step(i, 15, 200, 100)) }, record.Slowdown, 15},
	{"a stall in between", func(i int) float64 { return step(i, 9, 100, step(i, 11, 10, 100)) }, record.Flat, 0},
	{"ever slower", func(i int) float64 { return 1000 * math.Pow(.8, float64(i)) }, record.NotSteady, 0},
	{"to and fro", func(i int) float64 { return 100 * (1 + 2*float64(i/5%2)) }, record.NotSteady, 0},
	{"a jump at the end", func(i int) float64 { return step(i, 26, 100, 300) }, record.NotSteady, 0},
}

func step(i, at int, before, after float64) float64 {
	if i < at {
		return before
	}
	return after
}

const length = 30 // of the series of warmups

// classified is the class of a series as an epoch that is not calibrated gives it, which looks again
// after up to five windows more.
func classified(x []float64, noise float64) (class string, from int) {
	for n := len(x) - 5; n <= len(x); n++ {
		if l := levels(x[:n], plan.FirstWindows, noise); l.settled {
			return classOf([]leveled{l})
		}
	}
	return record.NotSteady, 0
}

func TestClassesWithoutNoise(t *testing.T) {
	for _, w := range warmups {
		var x []float64
		for i := range length + 5 {
			x = append(x, math.Log(w.rates(i)))
		}
		if class, from := classified(x, 0); class != w.class || from != w.from {
			t.Errorf("%s: %s from window %d; want %s from %d", w.name, class, from, w.class, w.from)
		}
	}
}

// On the machine of doc/method.md a window's rate has a spread of 15 %, and now and then one is
// half of what it should be.
func TestClassesInNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 100))
	const reps = 300
	for _, w := range warmups {
		right, near := 0, 0
		for range reps {
			var x []float64
			for i := range length + 5 {
				v := math.Log(w.rates(i)) + .15*rng.NormFloat64()
				if rng.IntN(20) == 0 {
					v -= math.Ln2
				}
				x = append(x, v)
			}
			class, from := classified(x, .15)
			if class == w.class {
				right++
				if from >= w.from-1 && from <= w.from+1 {
					near++
				}
			}
		}
		t.Logf("%s: %d of %d are %s, %d of them found within a window", w.name, right, reps, w.class, near)
		if right < reps*80/100 || near < right*85/100 {
			t.Errorf("%s: %d of %d are %s, %d of them found within a window", w.name, right, reps, w.class, near)
		}
	}
}

// simulated runs two native contestants: what warms says is the rate of the n-th window of a,
// against its usual one.
func simulated(t *testing.T, warms func(n int) float64) *record.Run {
	b, _, d, _ := set(t)
	d.warms = func(name string, n int) float64 {
		if name == "a" {
			return warms(n)
		}
		return 1
	}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestPilotCalibratesTheWarmup(t *testing.T) {
	run := simulated(t, func(n int) float64 { return step(n, 8, .3, 1) })
	for _, l := range run.Launches {
		took, pilot := time.Duration(l.WarmupNS), l.Epoch == 0
		least, most := plan.WarmLeast, 2*plan.WarmLeast
		switch {
		case l.Contestant == "a" && pilot:
			least, most = 1800*time.Millisecond, 4*time.Second // 8 windows until it is warm, and 10 more
		case l.Contestant == "a":
			least, most = time.Second, 2500*time.Millisecond // 1.25 times 0.8 s, and four windows after that time
		case pilot:
			least, most = time.Second, 2*time.Second
		}
		if took < least || took > most {
			t.Errorf("%s in epoch %d: %v; want %v to %v", l.Contestant, l.Epoch, took, least, most)
		}
		if l.Contestant == "a" && (l.Warmup != record.Warmed || l.SteadyNS == nil || *l.SteadyNS < 7e8 ||
			*l.SteadyNS > 10e8) {
			t.Errorf("a in epoch %d: %s, %v", l.Epoch, l.Warmup, l.SteadyNS)
		}
		if int64(len(l.Windows)) != l.WarmupNS/1e8 || l.Windows[len(l.Windows)-1].EndNS != l.WarmupNS {
			t.Errorf("%s: %d windows in %v", l.Contestant, len(l.Windows), took)
		}
	}
}

func TestNoSteadyStateIsNotWaitedForTwice(t *testing.T) {
	run := simulated(t, func(n int) float64 { return math.Pow(.95, float64(n)) })
	for _, l := range run.Launches {
		if l.Contestant != "a" {
			continue
		}
		want := plan.WarmMost
		if l.Epoch > 0 {
			want = plan.WarmLeast + plan.WarmQuiet
		}
		if l.Warmup != record.NotSteady || l.SteadyNS != nil || time.Duration(l.WarmupNS) != want {
			t.Errorf("epoch %d: %s after %v, %v; want none after %v", l.Epoch, l.Warmup, time.Duration(l.WarmupNS),
				l.SteadyNS, want)
		}
	}
}

func TestSlowdown(t *testing.T) {
	run := simulated(t, func(n int) float64 { return step(n, 5, 2, 1) })
	slow := 0
	for _, l := range run.Launches {
		if l.Contestant == "a" && l.Warmup == record.Slowdown {
			slow++
		}
	}
	if slow < 8 {
		t.Errorf("%d starts of 9 are a slowdown", slow)
	}
}
