package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"dyno/internal/record"
)

// openLoops makes every trial an open loop that kept its schedule, then spoils each.
func openLoops(spoil func(*record.Load)) func(*Evidence) {
	return func(e *Evidence) {
		e.Run.Plan.Levels[0].RatePerSec = 25_000
		trials(func(t *record.Trial) {
			l := &t.Load
			l.Planned, l.ResponseP50NS, l.ResponseP99NS, l.LagP99NS, l.Workers = l.Succeeded, 1e6, 2e6, 3e4, 1
			const half = 2e8
			l.Pace = &record.Pace{HalfNS: half, EarlyNS: 25 * half, LateNS: 25 * half}
			spoil(l)
		})(e)
	}
}

func TestOpenLoopThatKeepsItsSchedulePasses(t *testing.T) {
	e := sound()
	openLoops(func(*record.Load) {})(e)
	said := 0
	for _, f := range Make(e) {
		if f.State != Pass {
			t.Errorf("%+v", f)
		}
		if f.ID >= "V07" && f.ID <= "V11" {
			said++
		}
	}
	if said != 4 {
		t.Errorf("%d of V07 to V11 speak of an open loop", said)
	}
	for _, f := range Make(sound()) {
		if f.ID >= "V07" && f.ID <= "V11" || f.ID == TailSample {
			t.Errorf("%+v of a closed loop", f)
		}
	}
}

// TestGrows plays loads of a server with a connection for each request, whose queue never grows, and
// of one that is loaded beyond its capacity.
func TestGrows(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const loads, window = 200, 2e9
	exponential := func(mean float64) func(float64) float64 {
		return func(float64) float64 { return mean * rng.ExpFloat64() }
	}
	queue := func(share float64) func(float64) float64 { // which grows by this share of the arrivals
		return func(due float64) float64 { return 1e6 + due*share/(1-share) }
	}
	for _, c := range []struct {
		name    string
		perSec  float64
		service func(due float64) float64
		grows   float64 // of all loads, at least
		most    float64 // and at most
	}{
		{"fast", 10_000, exponential(1e6), 0, 0.01},
		{"slow", 500, func(float64) float64 { return window / ServiceTimes }, 0, 0.08},
		{"slow and varying", 500, exponential(window / ServiceTimes / math.Sqrt2), 0, 0.08},
		{"slow and few", 50, exponential(window / ServiceTimes / math.Sqrt2), 0, 0.08},
		{"a little overloaded", 10_000, queue(0.02), 1, 1},
		{"overloaded", 500, queue(0.1), 1, 1},
		{"overloaded to twice the capacity", 500, queue(0.5), 1, 1},
		{"overloaded to five times", 500, queue(0.8), 1, 1},
	} {
		n := 0
		for range loads {
			if Grows(played(rng, c.perSec, window, c.service)) {
				n++
			}
		}
		if share := float64(n) / loads; share < c.grows || share > c.most {
			t.Errorf("%s: %g of %d loads grow", c.name, share, loads)
		}
	}
	if Grows(&record.Load{Planned: 100}) {
		t.Error("a load without halves grows")
	}
}

// TestSteadyGrowth: a slow server at a low rate keeps it, though its loads begin without requests and
// their arrivals vary; overloaded, it does not.
func TestSteadyGrowth(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const runs, loads, window = 50, 4, 2e9
	slow := func(float64) float64 { return rng.ExpFloat64() * window / ServiceTimes / math.Sqrt2 }
	behind := func(due float64) float64 { return window/ServiceTimes + due }
	for name, c := range map[string]struct {
		service     func(float64) float64
		least, most int // runs that did not keep the rate
	}{"keeps it": {slow, 0, 5}, "overloaded": {behind, runs, runs}} {
		failed := 0
		for range runs {
			var own []*record.Trial
			for range loads {
				own = append(own, &record.Trial{Load: *played(rng, 50, window, c.service)})
				l := &own[len(own)-1].Load
				l.Succeeded = l.Planned
			}
			if state, _ := growing(ByID(Backlog), own); state == Fail {
				failed++
			}
		}
		if failed < c.least || failed > c.most {
			t.Errorf("%s: %d of %d runs failed V09", name, failed, runs)
		}
	}
}

// played returns a load of Poisson arrivals whose responses take what service says of their due time.
func played(rng *rand.Rand, perSec, window float64, service func(due float64) float64) *record.Load {
	var early, late, sum, squares float64
	l := &record.Load{}
	for due := rng.ExpFloat64() / perSec * 1e9; due < window; due += rng.ExpFloat64() / perSec * 1e9 {
		took := service(due)
		until := min(due+took, window)
		early += max(min(until, window/2)-due, 0)
		late += max(until-max(due, window/2), 0)
		sum, squares = sum+took, squares+took*took
		l.Planned++
	}
	mean := sum / float64(l.Planned)
	l.ServiceMeanNS, l.ServiceSDNS = int64(mean), int64(math.Sqrt(max(squares/float64(l.Planned)-mean*mean, 0)))
	l.Pace = &record.Pace{HalfNS: int64(window / 2), EarlyNS: int64(early), LateNS: int64(late)}
	return l
}
