package bench

import (
	"testing"

	"dyno/internal/result"
)

// The generator waits awake where it slows nobody down, and sleeps where what stands beside it does.
func TestSpins(t *testing.T) {
	for name, c := range map[string]struct {
		host         result.Host
		plan         result.Plan
		closed, open bool
	}{
		"a core of its own": {result.Host{Pinned: true}, result.Plan{}, true, true},
		"threads of a core": {result.Host{Pinned: true, SharedCore: true}, result.Plan{}, false, true},
		"one CPU":           {result.Host{}, result.Plan{}, false, false},
		"a companion":       {result.Host{Pinned: true}, result.Plan{Companion: "records"}, false, false},
		"a driver":          {result.Host{Pinned: true}, result.Plan{Driver: "wrk"}, false, true},
	} {
		b := &Bench{run: &result.Run{Plan: c.plan, Host: c.host}}
		if closed, open := b.spins(result.Level{}), b.spins(result.Level{RatePerSec: 1000}); closed != c.closed || open != c.open {
			t.Errorf("%s: closed %t, open %t", name, closed, open)
		}
	}
}
