package bench

import (
	"testing"
	"testing/synctest"
	"time"

	"dyno/internal/record"
)

// hoarder holds one more byte at each reading.
type hoarder struct {
	Server
	held int64
}

func (h *hoarder) Read(What) (r Reading, err error) {
	h.held++
	n := h.held
	r.Usage.PrivateBytes = &n
	return r, nil
}

// Memory is read at a load's start, at its end, and every two seconds in between.
func TestGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		grown := growth(&hoarder{})
		time.Sleep(5 * time.Second)
		seen := grown()
		want := []int64{0, 2e9, 4e9, 5e9}
		if len(seen) != len(want) {
			t.Fatalf("%+v", seen)
		}
		for i, at := range want {
			if seen[i] != (record.MemoryAt{AtNS: at, PrivateBytes: int64(i + 1)}) {
				t.Errorf("%d: %+v, want at %d", i, seen[i], at)
			}
		}
	})
}
