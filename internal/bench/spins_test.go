package bench

import (
	"testing"

	"dyno/internal/record"
)

// The generator spins if it slows nobody down, and sleeps if the programs beside it would suffer.
func TestSpins(t *testing.T) {
	two := record.Host{Pinned: true, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}}
	core, quota, calls := two, two, record.Plan{Services: []record.Service{{Name: "records"}}}
	core.SharedCore, quota.QuotaCPUs = true, 1.5
	for name, c := range map[string]struct {
		host         record.Host
		plan         record.Plan
		closed, open bool
	}{
		"a core of its own": {two, record.Plan{}, true, true},
		"threads of a core": {core, record.Plan{}, false, true},
		"one CPU":           {record.Host{ServerCPUs: []int{0}, GeneratorCPUs: []int{0}}, record.Plan{}, false, false},
		"a quota":           {quota, record.Plan{}, false, false},
		"a service":         {two, calls, false, false},
	} {
		b := &Bench{run: &record.Run{Plan: c.plan, Host: c.host}}
		l := record.Level{Connections: 125}
		closed := b.spins(l)
		l.RatePerSec = 1000
		if open := b.spins(l); closed != c.closed || open != c.open {
			t.Errorf("%s: closed %t, open %t", name, closed, open)
		}
	}
}
