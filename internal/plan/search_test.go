package plan

import (
	"math"
	"testing"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

func missedBy(slo *SLO, l *record.Load) Miss {
	least, most := l.Response(slo.Quantile > 0.5)
	return Missed(slo, l, Response{NS: most, Least: least})
}

// TestMissed: a load keeps an objective, or says why not.
func TestMissed(t *testing.T) {
	slo := &SLO{Quantile: .99, LimitNS: 1e7, ErrorShare: 1e-3}
	good := record.Load{Planned: 10_000, Started: 10_000, Succeeded: 10_000, ResponseP50NS: 1e6, ResponseP99NS: 9e6}
	for _, c := range []struct {
		name   string
		change func(*record.Load)
		want   Miss
	}{
		{"good", func(*record.Load) {}, ""},
		{"slow", func(l *record.Load) { l.ResponseP99NS = 1e7 }, Slow},
		{"ten errors", func(l *record.Load) { l.Succeeded -= 10 }, ""},
		{"eleven errors", func(l *record.Load) { l.Succeeded -= 11 }, Errors},
		{"rate missed", func(l *record.Load) { l.Started, l.Succeeded = 9_000, 9_000 }, Unsent},
		{"eleven not sent", func(l *record.Load) { l.Started, l.Succeeded = 9_989, 9_989 }, Unsent},
		{"six errors, five not sent", func(l *record.Load) { l.Started, l.Succeeded = 9_995, 9_989 }, Unsent},
		{"connections", func(l *record.Load) { l.Connections, l.Established = 4, 3 }, Lacking},
		{"only a lower bound", func(l *record.Load) { l.CensoredFromNS = 8e6 }, Unbounded},
		{"broken early, at most below the limit", func(l *record.Load) {
			l.CensoredFromNS, l.ResponseP99MostNS = 1, 9.8e6
		}, ""},
		{"broken early, at most above it", func(l *record.Load) { l.CensoredFromNS, l.ResponseP99MostNS = 1, 1.1e7 },
			Slow},
		{"censored beyond", func(l *record.Load) { l.CensoredFromNS = 2e7 }, ""},
		{"growing backlog", func(l *record.Load) { l.Pace = &record.Pace{HalfNS: 1e9, EarlyNS: 10e9, LateNS: 70e9} },
			Growing},
		{"backlog that comes and goes", func(l *record.Load) {
			l.Pace = &record.Pace{HalfNS: 1e9, EarlyNS: 40e9, LateNS: 70e9}
		}, ""},
		{"too few for a p99", func(l *record.Load) { l.Planned, l.Started, l.Succeeded = 900, 900, 900 }, TooFew},
		{"too few, and wrong", func(l *record.Load) { l.Planned, l.Started, l.Succeeded = 900, 900, 800 }, Errors},
		{"nothing sent", func(l *record.Load) { *l = record.Load{} }, TooFew},
	} {
		l := good
		c.change(&l)
		if got := missedBy(slo, &l); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if slo.ErrorShare = .2; missedBy(slo, &record.Load{Planned: 10_000, Started: 9_000, Succeeded: 9_000}) != Unsent {
		t.Error("a rate that was not sent")
	}
	if slo.Quantile = .5; missedBy(slo, &record.Load{Planned: 20, Started: 20, Succeeded: 20, ResponseP50NS: 1,
		ResponseP99NS: 1e9}) != "" {
		t.Error("an objective of the median rechecks at p99")
	}
}

// TestProbe: a probe is long enough for its percentile and for the server's responses, and there is
// none whose percentile cannot be known.
func TestProbe(t *testing.T) {
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	kept := []Seen{{Probe: stats.Probe{Rate: 500, Pass: true}, Round: 1}}
	for _, c := range []struct {
		name     string
		quantile float64
		limit    time.Duration
		closed   Closed
		round    int
		probes   []Seen
		scale    float64
		length   time.Duration // 0: there is none
	}{
		{"fast", .99, ms(10), Closed{50_000, ms(2)}, 1, nil, 1, firstProbe},
		{"in less time", .5, ms(10), Closed{50_000, ms(2)}, 1, nil, .1, firstProbe / 10},
		{"slow", .5, time.Second, Closed{400, ms(300)}, 1, nil, 1, ms(6000)},
		{"slow, in less time", .5, time.Second, Closed{400, ms(300)}, 1, nil, .1, ms(6000)},
		{"slow in the closed loop alone", .99, ms(10), Closed{20_000, ms(300)}, 1, nil, 1, firstProbe},
		{"very slow", .5, time.Minute, Closed{100, 10 * time.Second}, 1, nil, 1, longestProbe},
		{"too few for p99.9", .999, time.Second, Closed{43, ms(20)}, 1, nil, 1, 0},
		{"just enough for p99.9 at the highest", .999, time.Second, Closed{2084, ms(20)}, 1, nil, 1, ms(59_990)},
		{"no response", .5, ms(10), Closed{}, 1, nil, 1, 0},
		{"nothing counted", .5, ms(10), Closed{1000, ms(1)}, SearchRounds - 1, nil, 1, 0},
		{"confirmation", .5, ms(10), Closed{1000, ms(1)}, SearchRounds - 1, kept, 1, confirmProbe},
	} {
		slo := &SLO{Quantile: c.quantile, LimitNS: int64(c.limit)}
		rate, length, ok := Probe(slo, c.round, c.closed, c.probes, c.scale)
		if length = length.Round(time.Millisecond); ok != (c.length > 0) || ok && (length != c.length || rate <= 0) {
			t.Errorf("%s: %v at %v, %v; want %v", c.name, length, rate, ok, c.length)
		}
		low, high := Bounds(slo, c.closed)
		if ok && (rate < 0.8*low || rate > high || !judge.Bears(int64(rate*length.Seconds()), c.quantile)) {
			t.Errorf("%s: %v/s for %v, of %v to %v", c.name, rate, length, low, high)
		}
	}
}

// TestFew: of too few requests for a percentile the counts decide where they can.
func TestFew(t *testing.T) {
	slo := &SLO{Quantile: .99, LimitNS: 1e7, ErrorShare: 1e-2}
	for _, c := range []struct {
		planned, fast int64
		r             Response
		want          Miss
	}{
		{150, 100, Response{NS: 4e7, Least: 4e7}, Slow},
		{500, 500, Response{NS: 1e6, Least: 1e6}, ""},
		{500, 498, Response{NS: 1e6, Least: 1e6}, TooFew}, // of which one in eight loads at 1 % has as few
		{150, 150, Response{NS: 1e6, Least: 1e6}, TooFew},
		{500, 0, Response{NS: 1e6, Least: 1e6}, TooFew},
		{20_000, 0, Response{NS: 1e6, Least: 1e6}, ""},
	} {
		c.r.Fast = c.fast
		l := &record.Load{Planned: c.planned, Started: c.planned, Succeeded: c.planned}
		if got := Missed(slo, l, c.r); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestUpward: after long probes that stayed below half of the limit, the misses before them do not count,
// and a probe that only the generator missed never does.
func TestUpward(t *testing.T) {
	slo := &SLO{Quantile: .99, LimitNS: 1e7, ErrorShare: 1e-3}
	closed := Closed{24_000, time.Millisecond}
	var seen []Seen
	for round := 1; round < SearchRounds; round++ {
		rate, _, ok := Probe(slo, round, closed, seen, 1)
		if !ok {
			t.Fatal("no probe", round)
		}
		top := 20_000.
		if round < recheckFrom-earlies && round > 2 { // a burst of another program
			top = 10_000
		}
		seen = append(seen, Seen{stats.Probe{Rate: rate, Pass: rate < top}, round, 1_300_000, false})
	}
	if rate, lo, hi := Highest(slo, seen); lo > 20_000 || hi < 20_000 || rate < 15_000 {
		t.Errorf("found %.0f (%.0f–%.0f)", rate, lo, hi)
	}
	for i := range seen {
		seen[i].Limited = !seen[i].Pass
	}
	if _, lo, hi := Highest(slo, seen); !math.IsInf(hi, 1) || lo < 10_000 {
		t.Errorf("found %.0f–%.0f though no probe missed by the server", lo, hi)
	}
}
