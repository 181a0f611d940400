package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// found is a search that ended well: the last of four confirming probes did not count.
func found() *Found {
	f := &Found{Target: "http://h/", Did: "the highest rate that keeps p99<10ms", Objective: "p99<10ms,errors<0.1%",
		Quantile: .99, Rate: 1234, Lo: 1200, Hi: 1300, Top: 2000, LongProbes: 3}
	add := func(kind string, perSec float64, kept bool) {
		f.Probes = append(f.Probes, Probe{Kind: kind, PerSec: perSec, Length: time.Second, Planned: 100, LatencyNS: 5e6,
			Kept: kept})
	}
	add(ClosedLoop, 2000, false)
	add(Searching, 1000, true)
	add(Searching, 1500, false)
	f.Probes[2].Why = "growing backlog"
	for range 4 {
		add(Confirmation, 1170, true)
	}
	f.Probes[6].Kept, f.Probes[6].Paused = false, true
	return f
}

// lower adds confirming probes at a lower rate.
func lower(f *Found, perSec float64, kept ...bool) {
	for _, k := range kept {
		f.Probes = append(f.Probes, Probe{Kind: Confirmation, PerSec: perSec, Length: time.Second, Planned: 100, Kept: k})
	}
}

func TestFound(t *testing.T) {
	cut := Probe{Kind: Searching, PerSec: 1250, Length: time.Millisecond, Planned: 3, Cut: true}
	for name, c := range map[string]struct {
		change func(*Found)
		ok     bool
		want   string
	}{
		"good": {func(*Found) {}, true, "Highest rate/sec: 1,230 estimated: half of the probes keep the objective there " +
			"(95 % interval 1,200–1,300)\nConfirmed rate/sec: 1,170: 3 of 3 long probes kept the objective; plan with this " +
			"rate\n"},
		"percentile": {func(*Found) {}, true, "   p99  requests  no right response  p99<10ms"},
		"steps down": {func(f *Found) {
			f.Probes[4].Kept = false
			lower(f, 1050, false, false)
			lower(f, 925, true, true, true)
		},
			true, "kept the objective: 2 of 3 at 1,170/s, 0 of 2 at 1,050/s, 3 of 3 at 925/s\n" +
				"Highest rate/sec: 1,230 estimated"},
		"a miss at a lower rate": {func(f *Found) { lower(f, 925, true, false) }, false, "rate/sec: none\nWARNING: not " +
			"confirmed: at no rate did all long probes keep the objective. Up to the estimate, " +
			"the highest rate at which a probe kept it was 1,170/s. Free"},
		"generator": {func(f *Found) { f.Probes[2].AtLimit = true }, true,
			"Generator: at its limit in 1 of 1 probe that missed the objective\n"},
		"machine":   {func(f *Found) { f.CPU = "Xeon" }, true, "that missed the objective, on Xeon\n"},
		"confirmed": {func(*Found) {}, true, "Long probes: kept the objective: 3 of 3 at 1,170/s"},
		"paused":    {func(*Found) {}, true, "not counted: the generator stood still"},
		"missed":    {func(*Found) {}, true, "missed: growing backlog"},
		"not known": {func(f *Found) { f.Probes[2].NotKnown, f.Probes[2].Why = true, "too few requests" }, true,
			"not known: too few requests"},
		"one long probe not known": {func(f *Found) { f.Probes[4].NotKnown, f.Probes[4].Kept = true, false }, false,
			"WARNING: not confirmed: 2 of 3 necessary long probes count. Up"},
		"unstable": {func(f *Found) { f.Probes[4].Kept = false }, false,
			"Long probes: kept the objective: 2 of 3 at 1,170/s"},
		"limited": {func(f *Found) { f.Probes[2].AtLimit = true }, true,
			"not counted: the generator was at its limit"},
		"limited, a long probe": {func(f *Found) {
			f.Probes[4].AtLimit, f.Probes[4].Kept, f.Probes[4].Why = true, false, "latency"
		}, false, "missed: latency, with the generator at its limit"},
		"limited, a long probe counts": {func(f *Found) { f.Probes[4].AtLimit, f.Probes[4].Kept = true, false }, false,
			"Generator: at its limit in 1 of 2 probes that missed the objective\nLong probes: kept the objective: 2 of 3 at"},
		"limited, but does not count": {func(f *Found) { f.Probes[0].AtLimit, f.Probes[6].AtLimit = true, true }, true,
			": 3 of 3 at 1,170/s"},
		"no long probe": {func(f *Found) { f.Probes = f.Probes[:3] }, false,
			"WARNING: not confirmed: 0 of 3 necessary long probes count. Up to the estimate, the " +
				"highest rate at which a probe kept it was 1,000/s. Free"},
		"not confirmed": {func(f *Found) { f.Probes = f.Probes[:3] }, false,
			"1,230 estimated: half of the probes keep the objective there (95 % interval 1,200–1,300)\n" +
				"Confirmed rate/sec: none\nWARNING"},
		"out of time": {func(f *Found) { f.Probes, f.Ended, f.Why = f.Probes[:3], OutOfTime, "make -d longer" }, false,
			"WARNING: out of time after 3 probes, so the rate is a first estimate, which no long probe " +
				"confirms: make"},
		"server gone": {func(f *Found) {
			f.Probes, f.Ended, f.Why = append(f.Probes[:3], Probe{Kind: Searching, Planned: 9, Missing: 9, Gone: true,
				Paused: true}), Stopped, "the server was gone"
		}, false, "WARNING: stopped after 3 probes, so the rate is a first estimate, which no long probe " +
			"confirms: the server was gone"},
		"server gone, its probe": {func(f *Found) { f.Probes[6].Gone = true }, true,
			"not counted: the server was gone"},
		"too slow": {func(f *Found) { f.Probes, f.Rate, f.Lo, f.Hi, f.TooSlowNS = f.Probes[:1], 0, 0, 0, 3e8 }, false,
			"WARNING: one request at a time, the fastest response took 300 ms: no rate keeps the objective"},
		"all kept": {func(f *Found) { f.Hi = math.Inf(1) }, true,
			"Highest rate/sec: at least 1,170\nConfirmed rate/sec: 1,170: 3 of 3"},
		"no bound, with a miss": {func(f *Found) { f.Hi = math.Inf(1) }, true, "WARNING: the probes together show no " +
			"upper bound: the highest rate may be higher than shown"},
		"all missed": {func(f *Found) { f.Lo = 0 }, false, "WARNING: every probe that counts missed the objective"},
		"all missed, no rate": {func(f *Found) { f.Probes, f.Rate, f.Lo, f.Hi = f.Probes[:3], 459, 0, 459 }, false,
			"\nHighest rate/sec: below 459\nConfirmed rate/sec: none\n"},
		"interrupted": {func(f *Found) { f.Probes, f.Ended = append(f.Probes[:2], cut), Interrupted }, false,
			"WARNING: interrupted after 2 probes, so the rate is a first estimate, which no long probe confirms"},
		"interrupted at once": {func(f *Found) {
			f.Probes, f.Ended, f.Rate, f.Lo, f.Hi = []Probe{cut}, Interrupted, 0, 0, 0
		}, false, "not counted: ended before its time"},
		"failed":     {func(f *Found) { f.Ended = Failed }, false, "WARNING: failed after 7 probes"},
		"none known": {func(f *Found) { f.Rate, f.Lo, f.Hi = 0, 0, 0 }, false, "WARNING: no probe had enough requests"},
		"redirects": {func(f *Found) { f.Closed = []string{"in the closed loop: all 9 answers are redirects (3xx)"} }, true,
			"\nWARNING: in the closed loop: all 9 answers are redirects (3xx)\n"},
		"nothing": {func(f *Found) { f.Probes, f.Rate, f.Lo, f.Hi, f.Top = f.Probes[:1], 0, 0, 0, 0 }, false,
			"Highest rate/sec: none found"},
	} {
		f := found()
		c.change(f)
		var text, doc bytes.Buffer
		if err := FoundText(&text, f); err != nil || !strings.Contains(text.String(), c.want) || f.OK() != c.ok {
			t.Errorf("%s: ok %v, %v, want %q in\n%s", name, f.OK(), err, c.want, &text)
		}
		if name == "limited, but does not count" && strings.Contains(text.String(), "WARNING") {
			t.Errorf("%s: a warning in\n%s", name, &text)
		}
		var keys map[string]any
		if err := FoundJSON(&doc, f); err != nil || json.Unmarshal(doc.Bytes(), &keys) != nil ||
			keys["objective"] != f.Objective {
			t.Errorf("%s: %v: %s", name, err, &doc)
		}
		if _, kept := keys["confirmed_rate_per_sec"]; kept != c.ok {
			t.Errorf("%s: confirmed_rate_per_sec there: %v", name, kept)
		}
		if _, bounded := keys["high_per_sec"]; bounded != (f.Rate > 0 && !math.IsInf(f.Hi, 1)) {
			t.Errorf("%s: high_per_sec there: %v", name, bounded)
		}
		if _, rated := keys["highest_rate_per_sec"]; rated != (f.Lo > 0) {
			t.Errorf("%s: highest_rate_per_sec there: %v", name, rated)
		}
	}
}
