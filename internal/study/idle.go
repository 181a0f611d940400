package study

import (
	"fmt"

	"dyno/internal/judge"
)

// idle is the level for published figures and claims about processes before their first load, in a
// study with fresh processes.
const idle = "idle"

// unloaded compares two idle processes, started for the same epochs.
func (e *evidence) unloaded(a, b Cell, metric string) Comparison {
	m, _ := judge.MetricNamed(metric)
	return Comparison{
		Ratio: judge.UnloadedRatio(e.run, a.Contestant, b.Contestant, m, 1-e.data.Analysis.AlphaAt),
	}
}

// idle rejects claims about idle processes that nothing can judge: by a metric that such a process
// lacks, or against a loaded one.
func (r *reader) idle() {
	for i := range r.s.Claims {
		c := &r.s.Claims[i]
		n, cells := 0, c.All()
		for _, cell := range cells {
			if cell.Level == idle {
				n++
			}
		}
		at := fmt.Sprintf("claim[%d]", i)
		switch m, ok := judge.MetricNamed(c.Metric); {
		case n == 0:
		case !ok || m.Idle == nil:
			r.errorf(at+".metric", "an idle process has no %s; want one of %s", c.Metric, idleMetrics())
		case n < len(cells):
			r.errorf(at+".kind", "an idle process and a loaded one cannot be compared: they share no round")
		}
	}
}

// idleMetrics lists the metrics that idle processes have.
func idleMetrics() (list string) {
	for _, m := range judge.Metrics {
		if m.Idle != nil {
			list += ", " + m.Name
		}
	}
	return list[2:]
}
