package judge

import (
	"cmp"
	"fmt"

	"dyno/internal/record"
)

// Defect is a contradiction in a record that no machine and no contestant can cause: a bug in dyno,
// or an altered record.
type Defect struct {
	What string // the contradiction and its place
}

func (d *Defect) Error() string {
	return "the record contradicts itself: " + d.What + "; unless it was altered, this is a bug in dyno: do not trust " +
		"any figure of this record, and please report it with the record"
}

// Assert returns a *Defect if a record breaks a rule that dyno itself must keep: times do not run
// backwards, latencies ascend, builds are identified, and missing figures have a reason.
func Assert(run *record.Run) error {
	measured := map[string]bool{}
	for _, t := range run.Trials {
		measured[t.Contestant] = true
		if what := contradiction(t); what != "" {
			return &Defect{fmt.Sprintf("epoch %d, round %d, %s: %s", t.Epoch, t.Round, t.Contestant, what)}
		}
	}
	for _, c := range run.Contestants {
		if measured[c.Name] && run.FailureOf(c.Name) == nil && !c.Control && c.URL == "" &&
			(c.Version == "" || c.BinaryHash == "") {
			return &Defect{"the record lacks the version or the program's hash of " + c.Name}
		}
	}
	for _, name := range run.Plan.Contestants {
		if memoryUnexplained(run, name) {
			return &Defect{"no trial of " + name + " has a memory reading, and the record has no reason for it"}
		}
	}
	return nil
}

// contradiction describes a contradiction in a trial; "" if there is none.
func contradiction(t *record.Trial) string {
	l := &t.Load
	switch {
	case l.WindowNS < 0 || t.Causes.WallNS < 0:
		return "a measured time is negative"
	case t.Server.CPUNS != nil && *t.Server.CPUNS < 0 || t.Generator.CPUNS != nil && *t.Generator.CPUNS < 0:
		return "a measured CPU time is negative"
	case l.ServiceP50NS < 0 || l.ServiceP99NS < l.ServiceP50NS || l.ServiceMaxNS < l.ServiceP99NS:
		return "its latencies are not ascending (p50 ≤ p99 ≤ maximum)"
	case l.ServiceMaxNS > record.Highest:
		return "a latency is longer than any that dyno records"
	}
	return ""
}

// memoryUnexplained reports whether a contestant has trials, but no memory reading and no recorded
// reason.
func memoryUnexplained(run *record.Run, name string) bool {
	const memory = "memory"
	trials := 0
	for i := range run.Trials {
		if t := run.Trials[i]; t.Contestant == name {
			trials++
			if cmp.Or(t.Server.PrivateBytes, t.Server.PSSBytes) != nil {
				return false
			}
		}
	}
	for i := range run.Launches {
		if l := &run.Launches[i]; l.Contestant == name && l.Absent[memory] != "" {
			return false
		}
	}
	return trials > 0 && run.Host.Absent[memory] == ""
}
