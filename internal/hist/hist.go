// Package hist keeps latencies in HdrHistograms: 3 significant digits from 1 µs to 60 s, in ns.
// Histograms can be merged; percentiles are read from the merged histogram, never averaged.
package hist

import (
	"errors"
	"fmt"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The range, in ns. A shorter latency is recorded as less than a microsecond, a longer one is only
// counted.
const (
	Lowest  = 1_000
	Highest = 60_000_000_000
	digits  = 3
)

// Histogram counts latencies. It is not safe for concurrent use. One takes about 170 kB.
type Histogram struct {
	h    *hdr.Histogram
	over int64
	max  int64
}

// New returns an empty Histogram.
func New() *Histogram { return &Histogram{h: hdr.New(Lowest, Highest, digits)} }

// NewCoarse returns an empty Histogram with 2 significant digits, which takes about 20 kB. It can
// be merged only with histograms of the same kind.
func NewCoarse() *Histogram { return &Histogram{h: hdr.New(Lowest, Highest, 2)} }

// Record adds one latency. It does not allocate. A clock that ran backwards counts as 0.
func (h *Histogram) Record(ns int64) {
	if ns > Highest {
		h.over++
		return
	}
	ns = max(ns, 0)
	h.max = max(h.max, ns)
	_ = h.h.RecordValue(ns) // fails only beyond the range
}

// RecordN adds n equal latencies.
func (h *Histogram) RecordN(ns, n int64) {
	if n > 0 {
		h.Record(ns)
		_ = h.h.RecordValues(min(max(ns, 0), Highest), n-1)
	}
}

// Count returns the number of latencies within the range.
func (h *Histogram) Count() int64 { return h.h.TotalCount() }

// Over returns the number of latencies beyond Highest, which quantiles and encodings leave out.
func (h *Histogram) Over() int64 { return h.over }

// Max returns the longest latency within the range: exact if recorded here, to 3 digits if decoded;
// 0 if there is none.
func (h *Histogram) Max() int64 { return h.max }

// Min returns the shortest latency, with 3 significant digits; 0 if there is none.
func (h *Histogram) Min() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.h.Min()
}

// Within returns the share of the latencies within the range that lie from lo to hi, in ns, as far
// as 3 significant digits tell; 0 if there are none.
func (h *Histogram) Within(lo, hi float64) float64 {
	n := int64(0)
	for _, bar := range h.h.Distribution() {
		if float64(bar.From) <= hi && float64(bar.To) >= lo {
			n += bar.Count
		}
	}
	return float64(n) / float64(max(h.Count(), 1))
}

// Quantile returns the latency in ns that a share q (0 to 1) of all latencies does not exceed, with
// 3 significant digits; 0 if there are none.
func (h *Histogram) Quantile(q float64) int64 {
	return min(h.h.ValueAtPercentile(q*100), h.max)
}

// AtMost returns, for each of these ascending bounds in ns, how many latencies do not exceed it, to 3
// significant digits.
func (h *Histogram) AtMost(bounds []int64) []int64 {
	counts := make([]int64, len(bounds))
	for _, bar := range h.h.Distribution() {
		for i := len(bounds) - 1; i >= 0 && bar.From <= bounds[i]; i-- {
			counts[i] += bar.Count
		}
	}
	return counts
}

// Mean returns the mean of all within the range, in ns, to 3 significant digits; 0 if there is
// none.
func (h *Histogram) Mean() float64 { return h.h.Mean() }

// StdDev returns the standard deviation of the values, in ns; 0 if there is none.
func (h *Histogram) StdDev() float64 { return h.h.StdDev() }

// Merge adds all of o.
func (h *Histogram) Merge(o *Histogram) {
	h.over += o.over + h.h.Merge(o.h)
	h.max = max(h.max, o.max)
}

// Reset empties h and keeps its memory.
func (h *Histogram) Reset() {
	h.h.Reset()
	h.over, h.max = 0, 0
}

// Encode returns the HdrHistogram V2 compressed encoding in base64, which every HdrHistogram
// implementation reads, with the given number of significant digits (1 to 3).
func (h *Histogram) Encode(significant int) (string, error) {
	coarse := h.h
	if significant < digits {
		coarse = hdr.New(Lowest, Highest, significant)
		coarse.Merge(h.h)
	}
	b, err := coarse.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode histogram: %w", err)
	}
	return string(b), nil
}

// Decode reads the output of Encode, or any other HdrHistogram V2 compressed base64. Counts outside
// the range are added to Over.
func Decode(s string) (*Histogram, error) {
	d, err := hdr.Decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	h := New()
	h.over = h.h.Merge(d)
	h.max = h.h.Max()
	return h, nil
}

// MarshalText writes h without loss: its encoding with all of its digits, the number of latencies beyond
// the range and the longest.
func (h *Histogram) MarshalText() ([]byte, error) {
	b, err := h.h.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return fmt.Appendf(b, " %d %d", h.over, h.max), nil
}

// UnmarshalText reads the output of MarshalText.
func (h *Histogram) UnmarshalText(b []byte) error {
	var code string
	var read Histogram
	if _, err := fmt.Sscan(string(b), &code, &read.over, &read.max); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	var err error
	if read.h, err = hdr.Decode([]byte(code)); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	if d := read.h.SignificantFigures(); read.h.LowestTrackableValue() != Lowest ||
		read.h.HighestTrackableValue() != Highest || d < 2 || d > digits || read.over < 0 || read.max < 0 {
		return errors.New("decode histogram: it has another range or precision")
	}
	*h = read
	return nil
}
