package machine

import (
	"testing"
	"time"
)

// If the machine pauses, the tree that was to stop is not blamed.
func TestFreezeAfterPause(t *testing.T) {
	now := time.Now()
	w := stopwatch{left: freezeTimeout, last: now}
	for range 10 {
		if now = now.Add(3 * time.Second); w.over(now) {
			t.Fatal("a pause of the machine was taken for a tree that does not stop")
		}
	}
	readings := 0
	for ; !w.over(now) && readings < 1e6; readings++ {
		now = now.Add(freezePause)
	}
	if spent := time.Duration(readings) * freezePause; spent < freezeTimeout*8/10 || spent > freezeTimeout {
		t.Errorf("%v of readings until the time is over", spent)
	}
}
