package plan

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// TestSearchFindsTheCapacity plays a search against servers whose p99 at rate r is base/(1-r/full),
// times log-normal noise, with a discarded round now and then.
func TestSearchFindsTheCapacity(t *testing.T) {
	p := standardPlan("a", "b")
	p.Protocol, p.Profile, p.SLO, p.Epochs, p.BudgetNS = Search, Standard,
		&result.SLO{Quantile: .99, LimitNS: 1e7, ErrorShare: 1e-3}, 1, int64(time.Hour)
	arranged(&p)
	p.Epochs = 2
	rng := rand.New(rand.NewPCG(5, 5))
	full := map[string]float64{"a": 50_000, "b": 30_000, "ref": 40_000, "ref'": 40_000}
	run := result.Run{Plan: p}
	clock := int64(0)
	n := 0
	for stop := Stop(""); stop == ""; n++ {
		var o Order
		if o, stop = Next(&run, nil); stop != "" {
			if stop != Done {
				t.Fatalf("it ended by %q", stop)
			}
			break
		}
		l := result.Load{WindowNS: o.TrialNS, Connections: 125, Established: 125}
		top := full[o.Contestant]
		if rate := o.Level.RatePerSec; rate == 0 {
			l.Started = int64(top * float64(o.TrialNS) / 1e9)
			l.Succeeded = l.Started
		} else {
			l.Planned = int64(rate * float64(o.TrialNS) / 1e9)
			l.Started, l.Succeeded = l.Planned, l.Planned
			if rate >= top {
				l.Started, l.Succeeded = l.Planned/2, l.Planned/2
			}
			l.ResponseP99NS = int64(2e6 / max(1-rate/top, 1e-3) * math.Exp(0.1*rng.NormFloat64()))
		}
		c := result.Causes{WallNS: o.TrialNS, ServerCPUs: 1, GeneratorCPUs: 1}
		if rng.IntN(40) == 0 {
			c.StealNS = o.TrialNS
		}
		level := o.Level
		run.Trials = append(run.Trials, result.Trial{Key: o.Key, Contestant: o.Contestant, Level: &level, Load: l,
			Causes: c, StartedUnixNS: clock, EndedUnixNS: clock + o.TrialNS})
		clock += o.TrialNS
		if n > 2000 {
			t.Fatal("the search does not end")
		}
	}
	for _, epoch := range Epochs(&run) {
		for _, name := range p.Contestants {
			probes, confirmed, _ := Probes(&run, epoch, name)
			rate, lo, hi := stats.Capacity(probes)
			want := 0.8 * full[name] // where 2 ms / (1 - r/full) is 10 ms
			if math.Abs(rate/want-1) > 0.06 || lo > rate || hi < rate || len(probes) < 20 || len(confirmed) < 2 {
				t.Errorf("%s: %.0f (%.0f–%.0f) by %d probes, confirmed %v; want %.0f", name, rate, lo, hi, len(probes),
					confirmed, want)
			}
		}
	}
	if len(Epochs(&run)) != 2 {
		t.Errorf("%d valid epochs", len(Epochs(&run)))
	}
}

func TestPassed(t *testing.T) {
	slo := &result.SLO{Quantile: .99, LimitNS: 1e7, ErrorShare: 1e-3}
	good := result.Load{Planned: 10_000, Started: 10_000, Succeeded: 10_000, ResponseP50NS: 1e6, ResponseP99NS: 9e6}
	for _, c := range []struct {
		name   string
		change func(*result.Load)
		want   bool
	}{
		{"good", func(*result.Load) {}, true},
		{"slow", func(l *result.Load) { l.ResponseP99NS = 1e7 }, false},
		{"ten errors", func(l *result.Load) { l.Succeeded -= 10 }, true},
		{"eleven errors", func(l *result.Load) { l.Succeeded -= 11 }, false},
		{"rate missed", func(l *result.Load) { l.Started, l.Succeeded = 9_000, 9_000 }, false},
		{"only a lower bound", func(l *result.Load) { l.CensoredFromNS = 8e6 }, false},
		{"broken early, at most below the limit", func(l *result.Load) {
			l.CensoredFromNS, l.ResponseP99MostNS = 1, 9.8e6
		}, true},
		{"broken early, at most above it", func(l *result.Load) { l.CensoredFromNS, l.ResponseP99MostNS = 1, 1.1e7 },
			false},
		{"censored beyond", func(l *result.Load) { l.CensoredFromNS = 2e7 }, true},
		{"growing backlog", func(l *result.Load) { l.Pace = &result.Pace{HalfNS: 1e9, EarlyNS: 10e9, LateNS: 70e9} },
			false},
		{"backlog that comes and goes", func(l *result.Load) {
			l.Pace = &result.Pace{HalfNS: 1e9, EarlyNS: 40e9, LateNS: 70e9}
		}, true},
		{"too few for a p99", func(l *result.Load) { l.Planned, l.Started, l.Succeeded = 900, 900, 900 }, false},
		{"nothing sent", func(l *result.Load) { *l = result.Load{} }, false},
	} {
		l := good
		c.change(&l)
		if got := passed(slo, &l); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if slo.Quantile = .5; !passed(slo, &result.Load{Planned: 20, Started: 20, Succeeded: 20, ResponseP50NS: 1,
		ResponseP99NS: 1e9}) {
		t.Error("an objective of the median looks at p99")
	}
}
