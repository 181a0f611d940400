package judge

import (
	"math"
	"testing"

	"dyno/internal/record"
)

// ratedLoad is one of a contestant's open loops, with these response times.
func ratedLoad(t *testing.T, name string, round int, times map[int64]int64) *record.Trial {
	h := record.NewHistogram()
	for ns, n := range times {
		h.RecordN(ns, n)
	}
	text, err := h.Encode(3)
	if err != nil {
		t.Fatal(err)
	}
	cpu := int64(1e9)
	return &record.Trial{Key: record.Key{Round: round}, Contestant: name,
		Level: &record.Level{Connections: 9, RatePerSec: 10_000, RateShare: .7}, Server: record.Usage{CPUNS: &cpu},
		Load: record.Load{Planned: h.Count(), Started: h.Count(), Succeeded: h.Count(), WindowNS: 2e9, WallNS: 2e9,
			Responses: text, ResponseP50NS: h.Quantile(.5), ResponseP99NS: h.Quantile(.99)},
		Causes: record.Causes{WallNS: 2e9, ServerCPUs: 1, GeneratorCPUs: 1}}
}

// Percentiles of the open loops after the epochs are of all requests together: the mean of two
// loads' own percentiles is another number.
func TestRatedPercentiles(t *testing.T) {
	run := &record.Run{Plan: record.Plan{Contestants: []string{"a", "b", "c", "d"}}}
	c := &Counted{NoRated: "why"}
	if l, why := ratedLevel(run, c); l != nil || why != "why" {
		t.Errorf("%+v, %q", l, why)
	}
	c.Rated = []*record.Trial{
		ratedLoad(t, "a", 4, map[int64]int64{1e6: 99_500, 50e6: 500}),
		ratedLoad(t, "a", 5, map[int64]int64{1e6: 98_000, 20e6: 2000}),
		ratedLoad(t, "b", 4, map[int64]int64{1e6: 900}),
		ratedLoad(t, "c", 4, map[int64]int64{1e6: 40_000, 2e6: 1000}),
		ratedLoad(t, "d", 5, map[int64]int64{1e6: 40_000}),
	}
	wrong := &c.Rated[3].Load // 1,000 of its requests had no right answer after 2 ms
	wrong.Succeeded, wrong.CensoredFromNS = 40_000, 2e6
	l, why := ratedLevel(run, c)
	if l == nil || why != "" || l.At.RatePerSec != 10_000 || len(l.Trials) != 5 {
		t.Fatalf("%+v, %q", l, why)
	}
	near := func(x, want float64) bool { return math.Abs(x/want-1) < .002 }
	p99, p999 := l.Analysis.Cell("a", "response_p99"), l.Analysis.Cell("a", "response_p999")
	if !near(p99.Level.Value, 20e6) || !near(p99.Least, 1e6) || !near(p99.Most, 20e6) || p99.Level.N != 1 ||
		!near(p999.Level.Value, 50e6) {
		t.Errorf("%+v, %+v", p99, p999)
	}
	for name, want := range map[string]string{"b": "too few requests (900 of 1,000)",
		"c": "at least 2.00 ms: 1,000 requests had no right answer"} {
		if c := l.Analysis.Cell(name, "response_p99"); c.Absent != want {
			t.Errorf("%s: %q; want %q", name, c.Absent, want)
		}
	}
	if c := l.Analysis.Cell("d", "response_p999"); c.Absent != "too few requests (40,000 of 100,000)" {
		t.Errorf("%+v", c)
	}
}

// A server that stalls in the second half of one of two open loops falls behind there. It is not
// overloaded, and its tail is shown.
func TestStallIsNoOverload(t *testing.T) {
	stalled, fine := ratedLoad(t, "a", 4, map[int64]int64{1e6: 9_000, 90e6: 1000}), ratedLoad(t, "a", 5,
		map[int64]int64{1e6: 10_000})
	for late, x := range map[int64]*record.Trial{301: stalled, 2: fine} {
		x.Load.Pace = &record.Pace{HalfNS: 1e9, EarlyNS: 1e9, LateNS: late * 1e9}
	}
	run := &record.Run{Plan: record.Plan{Contestants: []string{"a"}}}
	l, _ := ratedLevel(run, &Counted{Rated: []*record.Trial{stalled, fine}})
	if c := l.Analysis.Cell("a", "response_p99"); c.Absent != "" || math.Abs(c.Level.Value/90e6-1) > .002 {
		t.Errorf("%+v", c)
	}
	for second, want := range map[*record.Trial]State{fine: Pass, stalled: Fail} {
		if got, text := growing(ByID(Backlog), []*record.Trial{stalled, second}); got != want {
			t.Errorf("%v, %q; want %v", got, text, want)
		}
	}
}

// A generator that is late by less than a tenth of the tail does not make the tail; one that has no
// connection free is not late.
func TestLagOfTails(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Load)
		want   State
	}{
		"a tenth of the median":       {func(l *record.Load) { l.LagP99NS = 200e3 }, Pass},
		"a quarter of the tail":       {func(l *record.Load) { l.LagP99NS = 5e6 }, Warn},
		"nearly the tail":             {func(l *record.Load) { l.LagP99NS = 19e6 }, Fail},
		"a server without connection": {func(l *record.Load) { l.LagP99NS, l.StarvedNS = 19e6, 1e8 }, Pass},
	} {
		x := ratedLoad(t, "a", 4, map[int64]int64{1e6: 9_800, 20e6: 200})
		c.change(&x.Load)
		if got, text := lagShare(ByID(Lag), []*record.Trial{x, x}); got != c.want {
			t.Errorf("%s: %v, %q; want %v", name, got, text, c.want)
		}
	}
}

// A server that leaves no connection free in the open loops after the decision does not make the generator the limit.
func TestStallIsNoLimitOfTheGenerator(t *testing.T) {
	x := ratedLoad(t, "a", 4, map[int64]int64{1e6: 10_000})
	x.Load.StarvedNS, x.Load.Workers = 1e8, 1
	if got, text := starvation(ByID(Starvation), []*record.Trial{x}); got != Warn {
		t.Errorf("%v, %q; want %v", got, text, Warn)
	}
	x.Load.Responses = ""
	if got, text := starvation(ByID(Starvation), []*record.Trial{x}); got != Fail {
		t.Errorf("without a tail: %v, %q; want %v", got, text, Fail)
	}
}
