//go:build !gonet

package loop

import (
	"math/rand/v2"
	"testing"
)

// TestRecords: however a stream's records are cut into pieces, their beginnings are counted, and
// their ends known.
func TestRecords(t *testing.T) {
	var stream []byte
	begins, ends := map[int]bool{}, map[int]bool{0: true}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := random.IntN(600)
		if random.IntN(5) == 0 {
			n = 0
		}
		begins[len(stream)] = true
		stream = append(stream, 23, 3, 3, byte(n>>8), byte(n))
		for range n {
			stream = append(stream, byte(random.Uint32()))
		}
		ends[len(stream)] = true
	}
	for _, most := range []int{1, 4, 5, 6, 100, 2000, len(stream)} {
		var r records
		begun := 0
		for at := 0; at < len(stream); {
			k := min(1+random.IntN(most), len(stream)-at)
			for i := at; i < at+k; i++ {
				if begins[i] {
					begun++
				}
			}
			r.receive(stream[at : at+k])
			if at += k; r.begun != begun || r.whole() != ends[at] {
				t.Fatalf("pieces of %d: at %d %d records begun, want %d; whole %v", most, at, r.begun, begun, r.whole())
			}
		}
	}
}
