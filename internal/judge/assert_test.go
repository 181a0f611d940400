package judge

import (
	"errors"
	"strings"
	"testing"

	"dyno/internal/record"
)

func histogramOf(n int64) string {
	h := record.NewHistogram()
	for range n {
		h.Record(1e6)
	}
	s, err := h.Encode(2)
	if err != nil {
		panic(err)
	}
	return s
}

// Each rule that dyno must keep is broken once, in a record that keeps all the others.
func TestAssertionsAreProvoked(t *testing.T) {
	minus := int64(-1)
	for _, c := range []struct {
		want  string
		spoil func(*Evidence)
	}{
		{"measured time is negative", trials(func(t *record.Trial) { t.Load.WindowNS = -1 })},
		{"measured time is negative", func(e *Evidence) { e.Run.Trials[7].Causes.WallNS = -1 }},
		{"a measured CPU time is negative", trials(func(t *record.Trial) { t.Generator.CPUNS = &minus })},
		{"a measured CPU time is negative", trials(func(t *record.Trial) { t.Server.CPUNS = &minus })},
		{"latencies are not ascending", trials(func(t *record.Trial) { t.Load.ServiceP99NS = t.Load.ServiceP50NS - 1 })},
		{"does not hold all", trials(func(t *record.Trial) { t.Load.ServiceMaxNS = 61e9 })},
		{"does not hold all", trials(func(t *record.Trial) { t.Load.Service = histogramOf(t.Load.Succeeded - 1) })},
		{"the program's hash of a", func(e *Evidence) { e.Run.Contestants[0].BinaryHash = "" }},
		{"no trial of a has a memory reading", trials(func(t *record.Trial) { t.Server.PrivateBytes = nil })},
	} {
		e := sound()
		c.spoil(e)
		err := Assert(e.Run)
		var defect *Defect
		if !errors.As(err, &defect) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(),
			"a bug in dyno") {
			t.Errorf("%v; want …%s…", err, c.want)
		}
	}
}

func TestAssertionsHold(t *testing.T) {
	for name, spoil := range map[string]func(*Evidence){
		"sound": func(*Evidence) {},
		"a histogram that is full": func(e *Evidence) {
			l := &e.Run.Trials[0].Load
			l.Service = histogramOf(l.Succeeded)
		},
		"memory has a reason, of the machine": func(e *Evidence) {
			trials(func(t *record.Trial) { t.Server.PrivateBytes = nil })(e)
			e.Run.Host.Absent = map[string]string{"memory": "no smaps_rollup"}
		},
		"memory has a reason, of the process": func(e *Evidence) {
			trials(func(t *record.Trial) { t.Server.PrivateBytes = nil })(e)
			e.Run.Launches[0].Absent = map[string]string{"memory": "permission denied"}
		},
		"not built": func(e *Evidence) {
			e.Run.Contestants[0].BinaryHash = ""
			e.Run.Failures = []record.Failure{{Contestant: "a"}}
		},
		"the clock was set":    func(e *Evidence) { e.Run.Trials[7].StartedUnixNS = 1 },
		"nothing was measured": func(e *Evidence) { e.Run.Trials = nil },
	} {
		e := sound()
		spoil(e)
		if err := Assert(e.Run); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
