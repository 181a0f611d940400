package machine

import (
	"runtime/debug"
	"testing"
)

// Two that overlap leave the collector as it was. It had stayed off, and an agent's memory grew without end.
func TestQuietOverlaps(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	setting := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	first, second := Quiet(), Quiet()
	first()
	first()
	if got := setting(); got != -1 {
		t.Errorf("%d %% while one is quiet", got)
	}
	second()
	if got := setting(); got != 100 {
		t.Errorf("%d %% after both", got)
	}
}
