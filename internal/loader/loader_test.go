package loader

import (
	"testing"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

func TestFailed(t *testing.T) {
	good := record.Load{Planned: 1000, Started: 1000, Succeeded: 1000, WindowNS: 1e9, Connections: 5, Established: 5,
		Workers: 1, LoopCPUNS: 5e8}
	for name, c := range map[string]struct {
		change func(*report.Summary)
		slo    string
		strict bool
		want   bool
	}{
		"good":      {func(*report.Summary) {}, "", true, false},
		"one error": {func(s *report.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, "", false, true},
		"one is allowed": {func(s *report.Summary) { s.Load.Succeeded, s.Load.Failed = 999, 1 }, "errors<1%", false,
			false},
		"never started": {func(s *report.Summary) { s.Load.Planned, s.Load.NeverStarted = 1001, 1 }, "", false,
			true},
		"connections":        {func(s *report.Summary) { s.Load.Established = 4 }, "errors<100%", false, true},
		"ended early":        {func(s *report.Summary) { s.Load.UnreachableNS = 1 }, "errors<100%", false, true},
		"interrupted":        {func(s *report.Summary) { s.Interrupted = true }, "errors<100%", false, true},
		"the books":          {func(s *report.Summary) { s.Load.Succeeded = 1 }, "errors<100%", false, true},
		"at its limit":       {func(s *report.Summary) { s.Load.LoopCPUNS = 95e7 }, "", false, false},
		"at it and strict":   {func(s *report.Summary) { s.Load.LoopCPUNS = 95e7 }, "", true, true},
		"stopped":            {stopped(100, false), "", false, false},
		"stopped and strict": {stopped(100, false), "", true, true},
		"few and strict":     {stopped(7, false), "", true, false},
		"objective":          {stopped(100, true), "", false, true},
		"objective of few":   {stopped(7, true), "", false, false},
		"stopped, of errors": {stopped(100, false), "errors<1%", false, false},
	} {
		s := &report.Summary{OneLoad: judge.OneLoad{Load: good}}
		c.change(s)
		if c.slo != "" {
			s.Objectives, _ = judge.ParseObjectives(c.slo)
		}
		p := Request{Strict: c.strict, SLO: s.Objectives}
		if got := p.Failed(s); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// stopped makes a load with a generator that stood still for a while, with an objective that it met or none.
func stopped(connections int, objective bool) func(*report.Summary) {
	return func(s *report.Summary) {
		s.Load.SilentNS, s.Load.ServiceP50NS = 4e8, 1e6
		s.Load.Connections, s.Load.Established = connections, connections
		if objective {
			s.Detail.Service = record.NewHistogram()
			s.Detail.Service.RecordN(1e6, 100_000)
			s.Objectives, _ = judge.ParseObjectives("p99<5ms")
		}
	}
}
