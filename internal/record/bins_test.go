package record

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// TestRecordAsHDR: Record's own counts equal those that hdr would have recorded.
func TestRecordAsHDR(t *testing.T) {
	for significant, h := range map[int]*Histogram{2: NewCoarseHistogram(), 3: NewHistogram()} {
		want := hdr.New(LowestTime, Highest, significant)
		values := []int64{0, 1, 511, 512, 1023, 1024, Highest - 1, Highest}
		for shift := range 36 {
			values = append(values, 1<<shift-1, 1<<shift, 1<<shift+1)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 100_000 {
			values = append(values, rng.Int64N(1<<(1+rng.IntN(35))))
		}
		for _, v := range values {
			h.Record(v)
			if err := want.RecordValue(min(v, Highest)); err != nil {
				t.Fatal(err)
			}
			if got := h.bins.from(h.bins.bin(v)); got > v || h.bins.bin(got) != h.bins.bin(v) {
				t.Fatalf("%d digits: %d is counted from %d", significant, v, got)
			}
		}
		if diff := cmp.Diff(want.Export(), h.all().Export()); diff != "" {
			t.Errorf("%d digits: %s", significant, diff)
		}
	}
}

// TestRecordBeyond32Bits: a bin that would run over is emptied before.
func TestRecordBeyond32Bits(t *testing.T) {
	h := NewHistogram()
	h.Record(5000)
	h.fresh[h.bins.bin(5000)] = math.MaxUint32 - 1
	for range 3 {
		h.Record(5000)
	}
	if h.Count() != math.MaxUint32+2 || h.fresh[h.bins.bin(5000)] != 0 || h.dirty {
		t.Errorf("%d recorded", h.Count())
	}
}
