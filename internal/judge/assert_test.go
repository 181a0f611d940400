package judge

import (
	"errors"
	"strings"
	"testing"

	"dyno/internal/record"
)

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
		{"a latency is longer than", trials(func(t *record.Trial) { t.Load.ServiceMaxNS = 61e9 })},
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
