package bench

import (
	"testing"

	"dyno/internal/result"
)

// The generator spins if it slows nobody down, and sleeps if the programs beside it would suffer.
func TestSpins(t *testing.T) {
	two := result.Host{Pinned: true, ServerCPUs: []int{0}, GeneratorCPUs: []int{1}}
	core, quota := two, two
	generators := []result.Host{{Name: "gen1", GeneratorCPUs: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}}
	core.SharedCore, quota.QuotaCPUs = true, 1.5
	for name, c := range map[string]struct {
		host         result.Host
		plan         result.Plan
		closed, open bool
	}{
		"a core of its own": {two, result.Plan{}, true, true},
		"threads of a core": {core, result.Plan{}, false, true},
		"one CPU":           {result.Host{ServerCPUs: []int{0}, GeneratorCPUs: []int{0}}, result.Plan{}, false, false},
		"a quota":           {quota, result.Plan{}, false, false},
		"a backend":         {two, result.Plan{Backend: "records"}, false, false},
		"a backend elsewhere": {result.Host{Generators: generators,
			Backend: &result.Host{Name: "be1"}}, result.Plan{Backend: "records"}, true, true},
		"a backend with a generator": {result.Host{Generators: generators,
			Backend: &result.Host{Name: "gen1"}}, result.Plan{Backend: "records"}, false, false},
		"a driver": {two, result.Plan{External: []string{"wrk"}}, false, true},
	} {
		b := &Bench{run: &result.Run{Plan: c.plan, Host: c.host}}
		l := result.Level{Connections: 125}
		closed := b.spins(l)
		l.RatePerSec = 1000
		if open := b.spins(l); closed != c.closed || open != c.open {
			t.Errorf("%s: closed %t, open %t", name, closed, open)
		}
	}
}
