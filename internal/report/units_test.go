package report

import (
	"math"
	"testing"

	"dyno/internal/document"
)

func TestSig3(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 93412: "93,400", 1234567: "1,230,000", 999.6: "1,000", 999.4: "999", 100: "100", 12.345: "12.3",
		9.996: "10.0", 1: "1.00",
		0.55: "0.550", 0.01234: "0.0123", 0.0009996: "0.00100", -1234: "−1,230", math.Inf(1): "∞", math.Inf(-1): "−∞",
	} {
		if got := document.Sig3(v); got != want {
			t.Errorf("Sig3(%v) = %q, want %q", v, got, want)
		}
	}
	if got := document.Sig3(math.NaN()); got != document.Missing {
		t.Errorf("Sig3(NaN) = %q", got)
	}
}

func TestScaled(t *testing.T) {
	for ns, want := range map[float64]string{0: "0 ns", 1: "1.00 ns", 999.4: "999 ns", 999.6: "1.00 µs",
		12345: "12.3 µs", 1.284e6: "1.28 ms", 3e9: "3.00 s",
		3.6e12: "3,600 s", math.Inf(1): "∞ ns"} {
		if got := document.Duration(ns); got != want {
			t.Errorf("Duration(%v) = %q, want %q", ns, got, want)
		}
	}
	for b, want := range map[float64]string{5: "5.00 B", 1023: "1,020 B", 1024: "1.00 KiB", 14.9e6: "14.2 MiB",
		8326737920: "7.75 GiB"} {
		if got := Bytes(b); got != want {
			t.Errorf("Bytes(%v) = %q, want %q", b, got, want)
		}
	}
	if got := Rate(93412); got != "93,400/s" {
		t.Errorf("Rate = %q", got)
	}
}

func TestPlanned(t *testing.T) {
	for ns, want := range map[int64]string{0: "0 s", 4e8: "400 ms", 3e7: "30 ms", 15e8: "1.5 s", 90e9: "90 s",
		36e10: "6 min", 361e9: "361 s"} {
		if got := document.Given(ns); got != want {
			t.Errorf("document.Given(%d) = %q, want %q", ns, got, want)
		}
	}
}

func TestRatio(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		v, lo, hi float64
		want      string
	}{
		{1.4213, 1.3799, 1.4701, "1.42 (1.38–1.47)"},
		{0.5521, 0.5408, 0.5633, "0.552 (0.541–0.563)"},
		{0.996, 0.988, 1.0043, "0.996 (0.988–1.004)"},
		{1.02, 1.0021, 1.04, "1.020 (1.002–1.040)"}, // not 1.00: the interval leaves 1 out
		{1.00, 0.999996, 1.2, "1.0000 (1.0000–1.2000)"},
		{1, 1, 1, "1.00 (1.00–1.00)"},
		{12.34, 11.9, 12.8, "12.3 (11.9–12.8)"},
		{1.42, 0, inf, "1.42 (0–∞)"},
		{math.NaN(), 0, inf, "– (0–∞)"},
	} {
		if got := Ratio(c.v, c.lo, c.hi); got != c.want {
			t.Errorf("Ratio(%v, %v, %v) = %q, want %q", c.v, c.lo, c.hi, got, c.want)
		}
	}
}

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		v, lo, hi float64
		want      string
	}{
		{100, 98, 101, "±2 %"}, {100, 97.7, 101, "±2.3 %"}, {100, 86, 101, "±14 %"}, {100, 100, 100, "±0 %"},
		{1e6, 1e6 - 1, 1e6, "±0.1 %"},
		{100, math.Inf(-1), math.Inf(1), "±∞"}, {0, 0, 0, "±0 %"}, {0, -1, 1, "±∞"},
	} {
		if got := widestSide(c.v, c.lo, c.hi); got != c.want {
			t.Errorf("widestSide(%v, %v, %v) = %q, want %q", c.v, c.lo, c.hi, got, c.want)
		}
	}
}

func TestP(t *testing.T) {
	for p, want := range map[float64]string{0.00049: "0.0005", 0.00005: "< 0.0001", 0.0073: "0.007", 0.0122: "0.012",
		0.31: "0.31", 1: "1"} {
		if got := pText(p); got != want {
			t.Errorf("pText(%v) = %q, want %q", p, got, want)
		}
	}
}

func TestScaleOf(t *testing.T) {
	if s := ScaleOf("ns", 900e3, 1.2e6, math.NaN(), 0, math.Inf(1)); s.Name != "µs" {
		t.Errorf("a column whose least value is 900 µs is in %s", s.Name)
	}
	if s := ScaleOf("ns"); s.Name != "ns" {
		t.Errorf("an empty column is in %s", s.Name)
	}
	if s := ScaleOf("furlong", 3); s.Name != "furlong" || s.Per != 1 {
		t.Errorf("an unknown unit is %v", s)
	}
}
