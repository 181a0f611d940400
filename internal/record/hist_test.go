package record

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestQuantilesHoldThreeDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := NewHistogram()
	values := make([]int64, 20_001)
	for i := range values {
		values[i] = 10_000 + rng.Int64N(1<<(10+rng.IntN(24)))
		h.Record(values[i])
	}
	slices.Sort(values)
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 1} {
		want := values[min(int(q*float64(len(values))), len(values)-1)]
		if got := h.Quantile(q); got < want*995/1000-1000 || got > want*1005/1000+1000 {
			t.Errorf("quantile %v = %d, want about %d", q, got, want)
		}
	}
	if h.Max() != values[len(values)-1] {
		t.Errorf("max = %d, want %d", h.Max(), values[len(values)-1])
	}
}

func TestOutOfRangeIsCounted(t *testing.T) {
	h := NewHistogram()
	for _, v := range []int64{-5, 0, 999, Highest, Highest + 1, 1 << 62} {
		h.Record(v)
	}
	if h.Count() != 4 || h.Over() != 2 || h.Max() != Highest {
		t.Errorf("count %d over %d max %d, want 4 2 %d", h.Count(), h.Over(), h.Max(), int64(Highest))
	}
	if q := NewHistogram().Quantile(0.5); q != 0 {
		t.Errorf("median of nothing = %d", q)
	}
}

func TestMergeAndEncodeKeepEveryCount(t *testing.T) {
	a, b := NewHistogram(), NewHistogram()
	for i := range int64(1000) {
		a.Record(i * 1000)
		b.Record(i * 1_000_000)
	}
	b.Record(Highest * 2)
	a.Merge(b)
	if a.Count() != 2000 || a.Over() != 1 || a.Max() != 999_000_000 {
		t.Fatalf("merged: count %d over %d max %d", a.Count(), a.Over(), a.Max())
	}
	text, err := a.Encode(3)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if c.Count() != 2000 {
		t.Errorf("decoded count %d", c.Count())
	}
	for _, q := range []float64{0, 0.1, 0.5, 0.9, 0.999} {
		if x, y := a.Quantile(q), c.Quantile(q); x != y {
			t.Errorf("quantile %v: %d before, %d after", q, x, y)
		}
	}
	if text, err = a.Encode(2); err != nil {
		t.Fatal(err)
	}
	if c, err = Decode(text); err != nil || c.Count() != 2000 {
		t.Fatalf("2 digits: count %d, %v", c.Count(), err)
	}
	if x, y := a.Quantile(.9), c.Quantile(.9); y < x*99/100 || y > x*101/100 {
		t.Errorf("2 digits: %d became %d", x, y)
	}
	if _, err := Decode("bm90IGEgaGlzdG9ncmFt"); err == nil {
		t.Error("garbage decoded")
	}
	a.Reset()
	if a.Count() != 0 || a.Over() != 0 || a.Max() != 0 || a.Quantile(0.5) != 0 {
		t.Error("reset left something")
	}
}

func TestMeanAndStdDev(t *testing.T) {
	h := NewHistogram()
	if h.Mean() != 0 || h.StdDev() != 0 {
		t.Error("nothing has a mean")
	}
	for range 900 {
		h.Record(2_000_000)
	}
	for range 100 { // mean 11.8 ms; standard deviation 98 ms * sqrt(0.9 * 0.1) = 29.4 ms
		h.Record(100_000_000)
	}
	if m, s := h.Mean(), h.StdDev(); m < 11.78e6 || m > 11.82e6 || s < 29.35e6 || s > 29.45e6 {
		t.Errorf("mean %v, standard deviation %v", m, s)
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	h := NewHistogram()
	if n := testing.AllocsPerRun(1000, func() { h.Record(123_456); h.Record(1 << 60) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	h := NewHistogram()
	for i := range b.N {
		h.Record(int64(i&0xfffff) + 100_000)
	}
}

func TestMin(t *testing.T) {
	h := NewHistogram()
	if h.Min() != 0 {
		t.Errorf("of none: %d", h.Min())
	}
	for _, ms := range []int64{1, 2, 3, 10} {
		h.Record(ms * 1e6)
	}
	if v := h.Min(); v < 999_000 || v > 1_001_000 {
		t.Errorf("the shortest is %d ns", v)
	}
}
