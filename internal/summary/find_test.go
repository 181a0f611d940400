package summary

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// found is a search that ended well: of three confirming probes one did not count.
func found() *Found {
	f := &Found{Target: "http://h/", Did: "the highest rate that keeps p99<10ms", Objective: "p99<10ms,errors<0.1%",
		Rate: 1234, Lo: 1200, Hi: 1300, Top: 2000, Rounds: 28}
	add := func(kind string, perSec float64, kept bool) {
		f.Probes = append(f.Probes, Probe{Kind: kind, PerSec: perSec, Length: time.Second, Planned: 100, LatencyNS: 5e6,
			Kept: kept})
	}
	add(ClosedLoop, 2000, false)
	add(Searching, 1000, true)
	add(Searching, 1500, false)
	for range 3 {
		add(Confirmation, 1170, true)
	}
	f.Probes[5].Kept, f.Probes[5].Paused = false, true
	return f
}

func TestFound(t *testing.T) {
	cut := Probe{Kind: Searching, PerSec: 1250, Length: time.Millisecond, Planned: 3, Cut: true}
	for name, c := range map[string]struct {
		change func(*Found)
		ok     bool
		want   string
	}{
		"good":      {func(*Found) {}, true, "Highest rate/sec: 1,230 (1,200–1,300)"},
		"confirmed": {func(*Found) {}, true, "Confirmed: 2 of 2 probes"},
		"paused":    {func(*Found) {}, true, "not counted: the generator stood still"},
		"unstable":  {func(f *Found) { f.Probes[4].Kept = false }, false, "WARNING: unstable: 1 of 2 probes"},
		"limited": {func(f *Found) { f.Probes[2].AtLimit = true }, true,
			"WARNING: the generator was at its limit in 1 probe that missed"},
		"limited, but does not count": {func(f *Found) { f.Probes[0].AtLimit, f.Probes[5].AtLimit = true, true }, true,
			"\nConfirmed: 2 of 2"},
		"no long probe": {func(f *Found) { f.Probes = f.Probes[:3] }, false, "WARNING: not confirmed: the generator stood still"},
		"not confirmed": {func(f *Found) { f.Probes = f.Probes[:3] }, false, "1,230 (1,200–1,300), not confirmed"},
		"out of time": {func(f *Found) { f.Probes, f.Ended = f.Probes[:3], OutOfTime }, false,
			"WARNING: out of time after 3 of 28 probes (a low rate takes long probes: make -d longer): the rate is a first"},
		"too slow": {func(f *Found) { f.Probes, f.Rate, f.Lo, f.Hi, f.TooSlowNS = f.Probes[:1], 0, 0, 0, 3e8 }, false,
			"WARNING: the fastest response of the closed loop took 300 ms: no rate keeps the objective"},
		"all kept":   {func(f *Found) { f.Hi = math.Inf(1) }, true, "(1,200–?)"},
		"all missed": {func(f *Found) { f.Lo = 0 }, false, "WARNING: every probe missed the objective"},
		"interrupted": {func(f *Found) { f.Probes, f.Ended = append(f.Probes[:2], cut), Interrupted }, false,
			"WARNING: interrupted after 2 of 28 probes: the rate is a first estimate, which no long probe confirms"},
		"interrupted at once": {func(f *Found) { f.Probes, f.Ended, f.Rate, f.Lo, f.Hi = []Probe{cut}, Interrupted, 0, 0, 0 },
			false, "not counted: ended before its time"},
		"failed":            {func(f *Found) { f.Ended = Failed }, false, "WARNING: failed after 6 of 28 probes"},
		"paused throughout": {func(f *Found) { f.Rate, f.Lo, f.Hi = 0, 0, 0 }, false, "WARNING: no probe counted"},
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
		if _, bounded := keys["high_per_sec"]; bounded != (f.Rate > 0 && !math.IsInf(f.Hi, 1)) {
			t.Errorf("%s: high_per_sec there: %v", name, bounded)
		}
	}
}
