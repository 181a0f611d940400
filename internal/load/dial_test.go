package load

import (
	"math"
	"testing"
	"time"
)

// A dial is given up once it takes several times as long as the quickest, but ever later while none
// comes through: else none would over a link that has become slower.
func TestDials(t *testing.T) {
	var d Dials
	if got := d.Patience(1e12); got != math.MaxInt64 {
		t.Errorf("before any: %d", got)
	}
	const ms = int64(time.Millisecond)
	d.Came(ms/10, 100*ms)
	d.Came(5*ms, 105*ms)
	for now, want := range map[int64]int64{105 * ms: 10 * ms, 120 * ms: 10 * ms, 205 * ms: 50 * ms} {
		if got := d.Patience(now); got != want {
			t.Errorf("at %d: %d; want %d", now, got, want)
		}
	}
	d = Dials{}
	d.Came(80*ms, 100*ms)
	if got := d.Patience(100 * ms); got != 320*ms {
		t.Errorf("over a slow link: %d", got)
	}
}
