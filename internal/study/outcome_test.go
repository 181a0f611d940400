package study

import (
	"math"
	"testing"

	"dyno/internal/judge"
)

// The outcome for a published lead, by where the interval lies: against 1, the band and the margin
// of 3 %.
func TestOutcome(t *testing.T) {
	twice, slight, none := bandAround(2, 1.25), bandAround(1.1, 1.25), (*band)(nil) // 1.6–2.5, 1.03–1.375
	for _, c := range []struct {
		name   string
		lo, hi float64
		of     *band
		want   Verdict
	}{
		{"inside the band", 1.9, 2.1, twice, Confirmed},
		{"inside, at the lower border", 1.6, 1.8, twice, Confirmed},
		{"inside, at the upper border", 2.3, 2.5, twice, Confirmed},
		{"across the lower border", 1.59, 1.8, twice, SameDirection},
		{"across the upper border", 2.3, 2.51, twice, SameDirection},
		{"across both", 1.01, 9, twice, SameDirection},
		{"below the band", 1.2, 1.59, twice, SmallerLead},
		{"just above 1", 1.001, 1.2, twice, SmallerLead},
		{"above the band", 2.51, 3, twice, LargerLead},
		{"115 published, 1.43 here", 1.37, 1.49, bandAround(115, 1.25), SmallerLead},
		{"no winner, the band excluded", 0.942, 1.05, bandAround(2.63, 1.25), Contradicted},
		{"no winner, the band touched", 0.9, 1.6, twice, Inconclusive},
		{"no winner, across the band", 0.5, 9, twice, Inconclusive},
		{"reversed", 0.5, 0.6, twice, Contradicted},
		{"reversed by little", 0.9, 0.999, twice, Contradicted},
		{"equal within the margin", 0.99, 1.01, twice, Contradicted},
		{"sure, and within the margin", 1.005, 1.02, twice, Contradicted},
		{"up to 1 and no further", 0.9, 1, twice, Contradicted}, // the band excluded
		{"open above", 1.7, math.Inf(1), twice, SameDirection},
		{"open above, beyond the band", 2.6, math.Inf(1), twice, LargerLead},
		{"open below", 0, 1.5, twice, Contradicted},
		{"open", 0, math.Inf(1), twice, Inconclusive},
		{"a small factor: inside", 1.04, 1.3, slight, Confirmed},
		{"a small factor: a lead that may be none", 1.01, 1.3, slight, SameDirection},
		{"a small factor: across 1", 0.95, 1.3, slight, Inconclusive},
		{"a small factor: reversed", 0.9, 0.95, slight, Contradicted},
		{"a small factor: above", 1.4, 1.5, slight, LargerLead},
		{"25 % published, 0.5 % here", 1.001, 1.01, bandAround(1.25, 1.25), Contradicted},
		{"4 % published, within the margin here", 1.011, 1.02, bandAround(1.04, 1.03), Contradicted},
		{"4 % published, less here", 1.005, 1.02, bandAround(1.04, 1.03), Contradicted},
		{"no factor: shown", 1.04, 1.2, none, Confirmed},
		{"no factor: shown, across the margin", 1.01, 1.2, none, Confirmed},
		{"no factor: equal", 0.98, 1.02, none, Contradicted},
		{"no factor: sure, and within the margin", 1.005, 1.02, none, Contradicted},
		{"no factor: reversed", 0.8, 0.9, none, Contradicted},
		{"no factor: not shown", 0.9, 1.2, none, Inconclusive},
		{"no factor: not shown, far from a lead", 0.9, 1.01, none, Inconclusive},
	} {
		pair := pair(c.lo, c.hi)
		l := pair.advantage(true, 0.03)
		l.band = c.of
		if got := l.outcome(); got != c.want {
			t.Errorf("%s, %v–%v: %s, want %s", c.name, c.lo, c.hi, got, c.want)
		}
		mirrored := Comparison{Ratio: judge.Estimate{Value: 1, Lo: 1 / c.hi, Hi: 1 / c.lo, N: 12}}
		l = mirrored.advantage(false, 0.03)
		l.band = c.of
		if got := l.outcome(); got != c.want && c.hi != 1 {
			t.Errorf("%s, mirrored: %s, want %s", c.name, got, c.want)
		}
	}
}

// For any interval: the direction follows 1, a factor is confirmed only inside the band, and no
// outcome needs a band that includes 1.
func TestOutcomeOfAll(t *testing.T) {
	at := []float64{0, 0.3, 0.8, 0.95, 0.98, 0.999, 1, 1.001, 1.02, 1.05, 1.3, 1.59, 1.6, 2, 2.5, 2.51, 9, math.Inf(1)}
	for _, value := range []float64{1.04, 1.1, 1.3, 2, 115} {
		b := bandAround(value, DefaultWithin)
		if b.lo < 1+leastEffect {
			t.Fatalf("the band of %v is %+v", value, b)
		}
		for i, lo := range at {
			for _, hi := range at[i:] {
				c := pair(lo, hi)
				l := c.advantage(true, 0.03)
				l.band = b
				inside, wins := lo >= b.lo && hi <= b.hi && lo > 1, lo > 1
				v := l.outcome()
				if (v == Confirmed) != inside {
					t.Errorf("%v: %v–%v is %s", value, lo, hi, v)
				}
				if lead := v == SmallerLead || v == LargerLead || v == SameDirection; lead && !wins {
					t.Errorf("%v: %v–%v is %s without a winner", value, lo, hi, v)
				}
				if hi < 1 && v != Contradicted {
					t.Errorf("%v: %v–%v is %s, and reversed", value, lo, hi, v)
				}
				if lo <= 1 && hi >= 1 && hi >= b.lo && v != Inconclusive {
					t.Errorf("%v: %v–%v is %s: both are possible", value, lo, hi, v)
				}
			}
		}
	}
}

// A confirmed claim stays confirmed with more data, whatever the margin, and a contradicted one is
// never confirmed by them.
func TestMoreDataTakeNothingBack(t *testing.T) {
	at := []float64{0.8, 0.92, 0.98, 1, 1.01, 1.02, 1.035, 1.05, 1.06, 1.09, 1.2, 1.5, 2}
	judge := func(lo, hi, margin float64, b *band) Verdict {
		c := pair(lo, hi)
		l := c.advantage(true, margin)
		l.band = b
		return l.outcome()
	}
	for _, margin := range []float64{0.01, 0.03, 0.1} {
		for _, b := range []*band{
			bandAround(1.04, 1.03), bandAround(1.05, 1.04), bandAround(1.25, 1.25), bandAround(2, 1.25),
		} {
			for i, lo := range at {
				for j := i; j < len(at); j++ {
					wide := judge(lo, at[j], margin, b)
					for k := i; k <= j; k++ {
						for m := k; m <= j; m++ {
							narrow := judge(at[k], at[m], margin, b)
							if wide == Confirmed && narrow != Confirmed ||
								wide == Contradicted && narrow != Contradicted && narrow != SmallerLead {
								t.Errorf("margin %v, band %v: %v–%v is %s, and %v–%v within it %s",
									margin, *b, lo, at[j], wide, at[k], at[m], narrow)
							}
						}
					}
				}
			}
		}
	}
}
