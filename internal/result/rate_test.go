package result

import (
	"math"
	"testing"
)

// TestPerSecOfRecordings: of the steady part where it was recorded; else of the window, less a
// service time where its edges are known.
func TestPerSecOfRecordings(t *testing.T) {
	const d = 100_000_000
	old := Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d + 1_000_000} // 1,000 connections for 20 d
	late := Level{DelayNS: d, Connections: 1000, Pipeline: 1}
	change := func(at Level, f func(*Level)) Level { f(&at); return at }
	for _, c := range []struct {
		name string
		plan Plan
		at   Level
		load Load
		want float64
		edge Edge
	}{
		{"without a delay", Plan{}, Level{Connections: 1000}, old, 20_000 / 2.1, Inside},
		{"waiting", Plan{}, late, old, 20_000 / 1.999, Estimated},
		{"pipelined", Plan{}, change(late, func(l *Level) { l.Pipeline = 4 }), old, 20_000 / 2.1, Low},
		{"open", Plan{}, change(late, func(l *Level) { l.RateShare = .5 }), old, 20_000 / 2.1, Low},
		{"busy", Plan{}, change(late, func(l *Level) { l.DelayNS = d / 2 }), old, 20_000 / 2.1, Low},
		{"shorter than its delay", Plan{}, change(late, func(l *Level) { l.DelayNS = 2 * d }), old, 20_000 / 2.1, Low},
		{"of a number", Plan{Requests: 20_000}, late, old, 20_000 / 2.1, Inside},
		{"with its steady part", Plan{}, late, Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d,
			RateAnswers: 18_000, RateNS: 18 * d, RateFromNS: 2 * d}, 10_000, Inside},
		{"a short one", Plan{}, late, Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d, RateAnswers: 4000,
			RateNS: 4 * d, RateFromNS: 2 * d}, 10_000, Unsteady},
		{"none", Plan{}, late, Load{Succeeded: 20_000, WindowNS: 21 * d, ServiceP50NS: d, RateAnswers: 20_000,
			RateNS: 25 * d}, 8_000, Unsteady},
	} {
		run := Run{Plan: c.plan}
		run.Add(Record{Trial: &Trial{Level: &c.at, Load: c.load}})
		l := &run.Trials[0].Load
		if got, ok := l.PerSec(); !ok || math.Abs(got/c.want-1) > 1e-12 || l.Edge() != c.edge {
			t.Errorf("%s: %v/s, %v; want %v, %v", c.name, got, l.Edge(), c.want, c.edge)
		}
	}
	if v, ok := (&Load{WindowNS: 5}).PerSec(); ok || v != 0 {
		t.Errorf("%v/s of no answer", v)
	}
}
