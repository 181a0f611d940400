package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dyno/internal/record"
)

// TestLogCutIsSaid: by the start of which most is left out, in a trial or after the last one, of a contestant that
// failed, too.
func TestLogCutIsSaid(t *testing.T) {
	const want = "log cut to 64 MB: 3.00 MiB left out between head and tail"
	for name, c := range map[string]struct {
		trials []int64
		end    int64
		killed bool
		failed bool
	}{
		"in trials":          {[]int64{0, 3 << 20, 1 << 20}, 0, false, false},
		"of a killed run":    {[]int64{3 << 20}, 0, true, false},
		"at its end":         {[]int64{0, 1 << 20}, 3 << 20, false, false},
		"of a failed launch": {nil, 3 << 20, false, true},
	} {
		d := fixture()
		a, b := d.Analysis.Order[0], d.Analysis.Order[1]
		if d.Run.End, d.Run.Failures = nil, nil; !c.killed {
			d.Run.End = &record.End{LogCutBytes: map[string]int64{a: c.end}}
		}
		for _, cut := range c.trials {
			d.Run.Trials = append(d.Run.Trials, &record.Trial{Contestant: a, Server: record.Usage{LogCutBytes: cut}})
		}
		if c.failed {
			d.Run.Failures = []record.Failure{{Contestant: a, Stage: "launch", Reason: "it died"}}
		}
		r, other := NewView(d).row(a, false), NewView(d).row(b, false)
		if said := slices.Contains(r.Notes, want); said == c.failed ||
			c.failed && r.Excluded != "failed at launch: it died; "+want {
			t.Errorf("%s: %q, %q", name, r.Excluded, r.Notes)
		}
		if strings.Contains(fmt.Sprint(other.Notes, other.Excluded), "log cut") {
			t.Errorf("%s: b: %q, %q", name, other.Excluded, other.Notes)
		}
	}
}
