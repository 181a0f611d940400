package importer

import (
	"math"
	"testing"
)

func TestRead(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		text, unit    string
		base          Unit
		value, lo, hi float64
		digits        int
	}{
		{"1.18", "ms", Seconds, 1.18e-3, 1.175e-3, 1.185e-3, 3},
		{"1.18ms", "", Seconds, 1.18e-3, 1.175e-3, 1.185e-3, 3},
		{"366.55us", "", Seconds, 366.55e-6, 366.545e-6, 366.555e-6, 5},
		{"128", "s", Seconds, 128, 127.5, 129, 3}, // a clock in whole seconds may be cut off
		{"4.34", "s", Seconds, 4.34, 4.335, 4.345, 3},
		{"1m25s", "", Seconds, 85, 84.5, 86, 2},
		{"00:05.51", "mm:ss", Seconds, 5.51, 5.505, 5.515, 3},
		{"1,234,567", "req/s", PerSec, 1234567, 1234566.5, 1234567.5, 7},
		{"30.28k", "req/s", PerSec, 30280, 30275, 30285, 4},
		{"~30000", "req/s", PerSec, 30000, 25000, 35000, 1},
		{"126", "MB approx", Bytes, 126 << 20, 125.5 * (1 << 20), 126.5 * (1 << 20), 3},
		{"5964K+", "", Bytes, 5964 << 10, 5963.5 * 1024, 5964.5 * 1024, 4},
		{"1.61MB", "/s", BPerSec, 1.61 * (1 << 20), 1.605 * (1 << 20), 1.615 * (1 << 20), 3},
		{"19.65", "MiB/s", BPerSec, 19.65 * (1 << 20), 19.645 * (1 << 20), 19.655 * (1 << 20), 4},
		{">60", "%", "%", 60, 60, inf, 2},
		{"99.8-100", "% all cores", "% all cores", 99.9, 99.75, 100, 3},
		{"5000000", "", None, 5e6, 5e6, 5e6, 7},
		{"100,000 ±11 %", "req/s", PerSec, 100_000, 89_000, 111_000, 6},
		{"1.20 ± 13%", "ms", Seconds, 1.2e-3, 1.044e-3, 1.356e-3, 3},
		{"20.0 +/- 0.5", "ms", Seconds, 20e-3, 19.5e-3, 20.5e-3, 3},
		{"1.5e3", "ns", Seconds, 1.5e-6, 1.45e-6, 1.55e-6, 2},
	} {
		var f Figure
		if err := f.read(c.text, c.unit); err != nil {
			t.Errorf("%q %q: %v", c.text, c.unit, err)
			continue
		}
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-9*math.Abs(b) }
		if f.Unit != c.base || !near(f.Value, c.value) || !near(f.Lo, c.lo) || !near(f.Hi, c.hi) ||
			f.Digits != c.digits {
			t.Errorf("%q %q: %v %q %v–%v, %d digits; want %+v", c.text, c.unit, f.Value, f.Unit, f.Lo, f.Hi, f.Digits,
				c)
		}
		if f.Missing || f.Many > 0 || f.OwnUnit {
			t.Errorf("%q %q: %+v", c.text, c.unit, f)
		}
	}
}

func TestReadTraps(t *testing.T) {
	for text, want := range map[string]Figure{
		"":          {Missing: true},
		"–":         {Missing: true},
		"3 17 17 8": {Many: 4},
		"1.05s":     {OwnUnit: true},
		"850us":     {OwnUnit: true},
		"12.5ms":    {},
	} {
		var f Figure
		if err := f.read(text, "ms"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if f.Missing != want.Missing || f.Many != want.Many || f.OwnUnit != want.OwnUnit {
			t.Errorf("%q: %+v", text, f)
		}
	}
	for _, text := range []string{"multHeapAlloc:", "fast", "1.2.3", "12 parsecs", "1e999", "--5", "NaN", "Inf", "0x10",
		"."} {
		var f Figure
		if f.read(text, "ms") == nil {
			t.Errorf("%q is a number: %+v", text, f)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		scenario, load string
		want           Row
	}{
		{"pipeline16 sleep=30 ms", "wrk -d30s", Row{Tool: "wrk", Depth: 16, Delay: 0.03, Planned: 30}},
		{"sleep 200ms /index", "ab -n 6000 -c 300", Row{Tool: "ab", Depth: 1, Delay: 0.2, Connections: 300,
			PerRequest: true}},
		{"GET /", "ab -k -n 6000 -c 300", Row{Tool: "ab", Depth: 1, Connections: 300}},
		{"GET /", "oha -c50 -z 10s -q 100 http://h/", Row{Tool: "oha", Depth: 1, Connections: 50, Planned: 10,
			Open: true}},
		{"GET /", "wrk -t8 -c256 -d100s", Row{Tool: "wrk", Depth: 1, Connections: 256, Planned: 100}},
		{"GET /", "-n 5000000", Row{Depth: 1}},
	} {
		r := Row{Scenario: c.scenario, Load: c.load}
		r.describe()
		if r.Tool != c.want.Tool || r.Depth != c.want.Depth || r.Delay != c.want.Delay || r.Planned != c.want.Planned ||
			r.Connections != c.want.Connections ||
			r.Open != c.want.Open || r.PerRequest != c.want.PerRequest {
			t.Errorf("%q, %q: %+v", c.scenario, c.load, r)
		}
	}
}
