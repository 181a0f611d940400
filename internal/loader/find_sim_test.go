package loader

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/scenario"
)

// world simulates a server with known capacity on a machine with other work: an Engine and its Session.
type world struct {
	rng     *rand.Rand
	began   time.Time
	perSec  float64 // the server's capacity
	base    float64 // mean response time without a queue, ns
	bursts  bool    // other programs halve the server for 5 to 25 s, about once a minute
	first   float64 // seconds until the first burst; below 0: in progress
	sends   float64 // the generator's capacity per second; 0: unlimited
	crowds  bool    // a burst also slows the generator, in one of three probes
	between []float64
}

func (w *world) Open(context.Context, load.Job) (load.Session, error) { return w, nil }
func (w *world) Close() error                                         { return nil }

// busy reports whether a burst is in progress at a time in seconds.
func (w *world) busy(at float64) bool {
	if !w.bursts {
		return false
	}
	for len(w.between) == 0 || w.between[len(w.between)-1] < at {
		last := w.first
		if n := len(w.between); n > 0 {
			last = w.between[n-1] + 20 + 60*w.rng.ExpFloat64()
		}
		w.between = append(w.between, last, last+5+20*w.rng.Float64())
	}
	for i := 0; i < len(w.between); i += 2 {
		if w.between[i] <= at && at < w.between[i+1] {
			return true
		}
	}
	return false
}

// Run simulates a window in steps of 100 ms: a queue, and varying response times.
func (w *world) Run(_ context.Context, win load.Window) (record.Load, error) {
	from := time.Since(w.began).Seconds()
	time.Sleep(win.For)
	d := win.Observe.Into
	d.Service = record.NewHistogram()
	const step = 0.1
	steps := int(math.Round(win.For.Seconds() / step))
	rate, open := 0., win.Schedule != nil
	if open {
		rate = win.Schedule.Stages[0].From
		d.Response, d.Lag = record.NewHistogram(), record.NewHistogram()
	}
	queue, early, late, done, crowded := 0., 0., 0., 0., false
	drift := math.Exp(0.02 * w.rng.NormFloat64())
	for i := range steps {
		bears := w.perSec * drift
		if w.busy(from + float64(i)*step) {
			bears /= 2
			crowded = w.crowds
		}
		if !open {
			n := bears * step
			done += n
			d.Service.RecordN(int64(4e9/bears), int64(n))
			continue
		}
		arrivals := rate*step + math.Sqrt(rate*step)*w.rng.NormFloat64()
		mean := w.base / max(1-rate/bears, 0.02)
		for range 10 { // of these requests
			wait := queue / bears * 1e9
			took := wait + mean*w.rng.ExpFloat64()
			d.Response.RecordN(int64(took), int64(arrivals/10))
			d.Service.RecordN(int64(took), int64(arrivals/10))
			queue = max(queue+(arrivals-bears*step)/10, 0)
		}
		waiting := (queue + rate*mean/1e9) * step * 1e9
		if i < steps/2 {
			early += waiting
		} else {
			late += waiting
		}
	}
	n := int64(done)
	if open {
		n = d.Response.Count()
	}
	l := record.Load{Planned: n, Started: n, Succeeded: n, Connections: 4, Established: 4, Workers: 1,
		WindowNS: int64(win.For), WallNS: int64(win.For), RateAnswers: float64(n), RateNS: int64(win.For),
		ServiceMeanNS: int64(d.Service.Mean()), ServiceSDNS: int64(d.Service.StdDev()), LoopCPUNS: int64(win.For) / 10}
	if open {
		l.Pace = &record.Pace{HalfNS: int64(win.For / 2), EarlyNS: int64(early), LateNS: int64(late)}
		limited := w.sends > 0 && rate > w.sends || crowded && w.rng.IntN(3) == 0
		lag := int64(10e3)
		if limited {
			lag = 30e6
			d.Response.Reset()
			d.Response.RecordN(lag, n)
			l.LoopCPUNS = int64(win.For)
		}
		d.Lag.RecordN(lag, n)
	}
	return l, nil
}

// keeps returns the rate at which half of the long probes on a quiet server meet the objective.
func (w world) keeps(limit float64) float64 {
	pass := func(rate float64) bool {
		kept := 0
		for range 41 {
			q := world{rng: w.rng, perSec: w.perSec, base: w.base}
			f := &finder{plan: &Plan{job: load.Job{Scenario: &scenario.Scenario{}}}, session: &q, found: &report.Found{}}
			f.slo = plan.SLO{Quantile: .99, LimitNS: int64(limit), ErrorShare: .001}
			if p, _ := f.probe(context.Background(), 20, rate, 5*time.Second); p.Kept {
				kept++
			}
		}
		return kept > 20
	}
	lo, hi := 0.3*w.perSec, 1.1*w.perSec
	for range 8 {
		if mid := (lo + hi) / 2; pass(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// confirmed returns the confirmed rate.
func confirmed(f *report.Found) float64 {
	rate, _, _ := f.Confirmed()
	return rate
}

// TestFindHolds: for servers with known capacity, quiet or with bursts, the interval contains the truth in 19
// of 20 searches, or the answer says "at least" or "not confirmed", or confirms a
// lower rate, which the truth is not below. A truth within 2 % of a bound counts,
// because it is simulated itself. DYNO_SEARCHES sets the number of searches of each kind.
func TestFindHolds(t *testing.T) {
	seeds := 20
	if text := os.Getenv("DYNO_SEARCHES"); text != "" {
		var err error
		if seeds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		name   string
		base   float64 // ns: 50 µs makes a cliff, 0.5 ms a slope
		change func(*world)
		sure   float64 // smallest share of searches that must give an interval
	}{
		{"quiet, a cliff", 50e3, func(*world) {}, .6},
		{"quiet, a slope", 500e3, func(*world) {}, .6},
		{"bursts, a cliff", 50e3, func(w *world) { w.bursts, w.first = true, 40*w.rng.Float64() }, 0},
		{"bursts, a slope", 500e3, func(w *world) { w.bursts, w.first = true, 40*w.rng.Float64() }, 0},
		{"a burst at first", 50e3, func(w *world) { w.bursts, w.first = true, -1 }, 0},
		{"bursts that crowd the generator", 50e3, func(w *world) {
			w.bursts, w.crowds, w.first = true, true, 40*w.rng.Float64()
		}, 0},
		{"a generator of 0.7 of the server", 50e3, func(w *world) { w.sends = 0.7 * w.perSec }, 0},
	} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			wrong, sure, atLeast, stepped := 0, 0, 0, 0
			var truth float64
			synctest.Test(t, func(t *testing.T) {
				w := world{rng: rand.New(rand.NewPCG(1, 1)), perSec: 3000, base: c.base}
				truth = w.keeps(10e6)
			})
			for seed := range uint64(seeds) {
				synctest.Test(t, func(t *testing.T) {
					w := &world{rng: rand.New(rand.NewPCG(seed, 7)), began: time.Now(), perSec: 3000, base: c.base}
					c.change(w)
					p := &Plan{Request: Request{Find: objectives("p99<10ms"), Seed: seed}, engine: w,
						job: load.Job{Workers: 1, Scenario: &scenario.Scenario{}}}
					f, err := p.Search(t.Context(), nil)
					if err != nil {
						t.Fatal(err)
					}
					switch {
					case !f.OK():
					case f.Rate*.9 > confirmed(f):
						if stepped++; confirmed(f) > 1.02*truth {
							wrong++
							t.Logf("seed %d: confirmed %.0f, truth %.0f", seed, confirmed(f), truth)
						}
					case math.IsInf(f.Hi, 1):
						if atLeast++; f.Lo > 1.02*truth {
							wrong++
							t.Logf("seed %d: at least %.0f, truth %.0f", seed, f.Lo, truth)
						}
					default:
						if sure++; f.Lo > 1.02*truth || f.Hi < 0.98*truth {
							wrong++
							t.Logf("seed %d: %.0f (%.0f–%.0f), truth %.0f", seed, f.Rate, f.Lo, f.Hi, truth)
						}
					}
				})
			}
			t.Logf("of %d searches %d gave an interval, %d \"at least\", %d a lower rate, %d are wrong; truth %.0f", seeds,
				sure, atLeast, stepped, wrong, truth)
			if 20*wrong > seeds || float64(sure) < c.sure*float64(seeds) {
				t.Errorf("%d of %d are wrong, %d gave an interval", wrong, seeds, sure)
			}
		})
	}
}
