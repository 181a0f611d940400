package record

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The range, in ns. A shorter latency is recorded as less than a microsecond, a longer one is only
// counted.
const (
	LowestTime = 1_000
	Highest    = 60_000_000_000
	digits     = 3
)

// Histogram counts latencies. It is not safe for concurrent use. It takes about 250 kB.
//
// Note: a load records each request, so Record counts in its own array: this takes fewer
// instructions and touches fewer CPU cache lines than hdr's RecordValue. The counts move into h
// when it is needed.
type Histogram struct {
	over  int64
	max   int64
	fresh []uint32 // counts that h lacks; see bins
	bins  bins
	dirty bool // fresh holds counts
	h     *hdr.Histogram
}

// NewHistogram returns an empty Histogram.
func NewHistogram() *Histogram { return newHistogram(digits) }

// NewCoarseHistogram returns an empty Histogram with 2 significant digits, which takes about 35 kB.
func NewCoarseHistogram() *Histogram { return newHistogram(2) }

func newHistogram(significant int) *Histogram {
	b := binsOf[significant]
	return &Histogram{h: hdr.New(LowestTime, Highest, significant), bins: b, fresh: make([]uint32, b.bin(Highest)+1)}
}

// bins numbers the equivalent latencies in an HdrHistogram: 2 to the power of bins for each power
// of two, and twice as many for all shorter latencies.
type bins uint8

// binsOf lists the bins by the number of significant digits d: at least 2·10^d bins have the lowest
// unit.
var binsOf = [...]bins{0, 4, 7, 10, 14, 17}

// unit is the power of two, in ns, below which latencies do not differ.
const unit = 9 // the largest that Lowest holds

// bin returns the bin for a latency in ns, at least 0.
func (b bins) bin(ns int64) int {
	shift := max(bits.Len64(uint64(ns))-int(b)-1, unit)
	return (shift-unit)<<b + int(ns>>shift)
}

// from returns the shortest latency in bin i, in ns.
func (b bins) from(i int) int64 {
	shift := max(i>>b-1, 0)
	return int64(i-shift<<b) << (shift + unit)
}

// Record adds one latency. It does not allocate. A clock that ran backwards counts as 0.
func (h *Histogram) Record(ns int64) {
	if ns > Highest {
		h.over++
		return
	}
	ns = max(ns, 0)
	h.max = max(h.max, ns)
	n := &h.fresh[h.bins.bin(ns)]
	if *n++; *n == math.MaxUint32 {
		h.settle()
	}
	h.dirty = true
}

// settle moves the counts in fresh into h.h.
func (h *Histogram) settle() {
	h.dirty = false
	for i, n := range h.fresh {
		if n > 0 {
			_ = h.h.RecordValues(h.bins.from(i), int64(n)) // fails only beyond the range
		}
	}
	clear(h.fresh)
}

// all returns all latencies within the range.
func (h *Histogram) all() *hdr.Histogram {
	if h.dirty {
		h.settle()
	}
	return h.h
}

// RecordN adds n equal latencies.
func (h *Histogram) RecordN(ns, n int64) {
	if n > 0 {
		h.Record(ns)
		_ = h.h.RecordValues(min(max(ns, 0), Highest), n-1)
	}
}

// Count returns the number of latencies within the range.
func (h *Histogram) Count() int64 { return h.all().TotalCount() }

// Over returns the number of latencies beyond Highest, which quantiles and encodings leave out.
func (h *Histogram) Over() int64 { return h.over }

// Max returns the longest latency within the range: exact if recorded here, to 3 digits if decoded;
// 0 if there is none.
func (h *Histogram) Max() int64 { return h.max }

// Min returns the shortest latency, to the histogram's digits; 0 if there is none.
func (h *Histogram) Min() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.all().Min()
}

// Quantile returns the latency in ns that a share q (0 to 1) of the latencies within the range does
// not exceed, to the histogram's digits; 0 if there are none.
func (h *Histogram) Quantile(q float64) int64 {
	return min(h.all().ValueAtPercentile(q*100), h.max)
}

// AtMost returns, for each of these ascending bounds in ns, the number of latencies that do not
// exceed it, to the histogram's digits.
func (h *Histogram) AtMost(bounds []int64) []int64 {
	counts := make([]int64, len(bounds))
	for _, bar := range h.all().Distribution() {
		for i := len(bounds) - 1; i >= 0 && bar.From <= bounds[i]; i-- {
			counts[i] += bar.Count
		}
	}
	return counts
}

// Mean returns the mean of the latencies within the range, in ns, to the histogram's digits; 0 if
// there is none.
func (h *Histogram) Mean() float64 { return h.all().Mean() }

// Capped returns the sum of all latencies within the range, each counted as at most limit, in ns,
// to the histogram's digits.
func (h *Histogram) Capped(limit int64) (sum float64) {
	all := h.all()
	for _, bar := range all.Distribution() {
		if bar.Count > 0 {
			sum += float64(bar.Count) * float64(min((bar.From+bar.To)/2, limit))
		}
	}
	return sum
}

// StdDev returns the latencies' standard deviation, in ns; 0 if there is none.
func (h *Histogram) StdDev() float64 { return h.all().StdDev() }

// Merge adds all latencies in o.
func (h *Histogram) Merge(o *Histogram) {
	h.over += o.over + h.all().Merge(o.all())
	h.max = max(h.max, o.max)
}

// Reset empties h and keeps its memory.
func (h *Histogram) Reset() {
	h.h.Reset()
	clear(h.fresh)
	h.over, h.max, h.dirty = 0, 0, false
}

// Encode returns the HdrHistogram V2 compressed encoding in base64, which every HdrHistogram
// implementation reads, with the given number of significant digits (1 to 3), at most the
// histogram's own.
func (h *Histogram) Encode(significant int) (string, error) {
	coarse := h.all()
	if significant < digits {
		coarse = hdr.New(LowestTime, Highest, significant)
		coarse.Merge(h.all())
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
	h := NewHistogram()
	_, err := h.Add(s)
	return h, err
}

// Add merges an encoding as Decode reads it, without a further Histogram. It returns the number of
// latencies in it, including those beyond the range.
func (h *Histogram) Add(s string) (n int64, err error) {
	read, err := hdr.Decode([]byte(s))
	if err != nil {
		return 0, fmt.Errorf("decode histogram: %w", err)
	}
	for _, bar := range read.Distribution() {
		if bar.Count == 0 {
			continue
		}
		n += bar.Count
		if h.h.RecordValues(bar.From, bar.Count) != nil {
			h.over += bar.Count
		} else if bar.To > h.max {
			h.max = max(h.max, h.bins.from(h.bins.bin(bar.From)+1)-1)
		}
	}
	return n, nil
}

// MarshalText writes h without loss: the encoding with all its digits, the number of latencies
// beyond the range and the longest latency.
func (h *Histogram) MarshalText() ([]byte, error) {
	b, err := h.all().Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode histogram: %w", err)
	}
	return fmt.Appendf(b, " %d %d", h.over, h.max), nil
}

// UnmarshalText reads the output of MarshalText.
func (h *Histogram) UnmarshalText(b []byte) error {
	var code string
	var over, longest int64
	if _, err := fmt.Sscan(string(b), &code, &over, &longest); err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	read, err := hdr.Decode([]byte(code))
	if err != nil {
		return fmt.Errorf("decode histogram: %w", err)
	}
	d := read.SignificantFigures()
	if read.LowestTrackableValue() != LowestTime || read.HighestTrackableValue() != Highest || d < 2 || d > digits ||
		over < 0 || longest < 0 {
		return errors.New("decode histogram: it has another range or precision")
	}
	*h = *newHistogram(int(d))
	h.h, h.over, h.max = read, over, longest
	return nil
}
