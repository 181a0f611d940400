package judge

import (
	"testing"
	"time"

	"dyno/internal/record"
)

// goodLoad returns a closed loop with which nothing is wrong.
func goodLoad() *OneLoad {
	o := &OneLoad{For: 10 * time.Second, Wall: 10 * time.Second,
		Load: record.Load{Planned: 1000, Started: 1000, Succeeded: 1000,
			WindowNS: 10e9, WallNS: 10e9, RateNS: 9e9, RateFromNS: 1e9, RateAnswers: 900, Connections: 8,
			Established: 8, Workers: 1,
			LoopCPUNS: 1e9, ServiceP50NS: 1e6}}
	o.Detail = record.Detail{Service: record.NewHistogram(), Connect: record.NewHistogram(),
		Status: map[int]int64{200: 1000}}
	for range 1000 {
		o.Detail.Service.Record(1e6)
	}
	for range 8 {
		o.Detail.Connect.Record(1e5)
	}
	return o
}

// Each check of a single load is provoked, and none speaks of a good one.
func TestChecksOfOneLoadAreProvoked(t *testing.T) {
	spoil := map[string]func(*OneLoad){
		GeneratorShare: func(o *OneLoad) { o.Load.LoopCPUNS = 9.5e9 },
		Achieved: func(o *OneLoad) {
			o.Open, o.Load.Started, o.Load.Succeeded, o.Load.NeverStarted = true,
				900, 900, 100
		},
		Starvation:  func(o *OneLoad) { o.Open, o.Load.StarvedNS = true, 1e9 },
		Errors:      func(o *OneLoad) { o.Load.Succeeded, o.Load.Errors = 999, map[string]int64{"reset": 1} },
		Complete:    func(o *OneLoad) { o.Interrupted = true },
		Edges:       func(o *OneLoad) { o.Load.RateFromNS, o.Load.ServiceP50NS = 0, 5e9 },
		Pauses:      func(o *OneLoad) { o.Suspended = time.Second },
		Standstill:  func(o *OneLoad) { o.Load.SilentNS = 1e9 },
		Unreachable: func(o *OneLoad) { o.Load.UnreachableNS = 1e9 },
		Connected:   func(o *OneLoad) { o.Load.Established = 7 },
		Ledger:      func(o *OneLoad) { o.Load.Started++ },
		Streams:     func(o *OneLoad) { o.Load.StreamsAllowed = 10 },
		Churn: func(o *OneLoad) {
			for range 30 {
				o.Detail.Connect.Record(1e5)
			}
		},
		Longest:    func(o *OneLoad) { o.Load.SilentNS, o.Load.Connections = 1e9, 7 },
		Redirected: func(o *OneLoad) { o.AnyStatus, o.Detail.Status = true, map[int]int64{302: 1000} },
	}
	if all := goodLoad().Findings(); all != nil {
		t.Errorf("a good load: %+v", all)
	}
	for i := range table {
		c := &table[i]
		if c.One.text == nil {
			continue
		}
		o := goodLoad()
		spoil[c.ID](o)
		if TextOf(o.Findings(), c.ID) == "" {
			t.Errorf("%s: %+v", c.ID, o.Findings())
		}
	}
}
