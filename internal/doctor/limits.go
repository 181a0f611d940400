package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// limitFindings returns findings about the limits on files and ports.
func limitFindings(c *record.Calibration) []finding {
	files := max(c.Host.FileLimit, known(c.Facts.HardFileLimit))
	r := finding{Name: "open files", State: stateOK, Value: document.Whole(files),
		Means: "limits the number of connections, for client and server"}
	if files < 10_000 {
		r.State = stateWarn
		r.Change = "ulimit -Hn 1048576 as root, or in /etc/security/limits.conf, or LimitNOFILE= of the service"
	}
	ports := finding{Name: "ports", State: stateNote, Value: "unknown"}
	if low, high := c.Facts.PortLow, c.Facts.PortHigh; low != nil && high != nil {
		n := *high - *low + 1
		ports = finding{Name: "ports", State: stateOK, Value: fmt.Sprintf("%s (%d to %d)", document.Whole(n), *low, *high),
			Means: "limits the connections from one address to one server at a time"}
		if n < 20_000 {
			ports.State, ports.Change = stateWarn, `sysctl net.ipv4.ip_local_port_range="1024 65535"`
		}
	}
	return []finding{r, ports}
}

// generatorFindings returns findings about the load generator's speed on this machine.
func generatorFindings(c *record.Calibration) []finding {
	var out []finding
	if w := c.Waiting; w != nil {
		out = append(out, waitingFinding(w))
	}
	for _, x := range c.Ceilings {
		out = append(out, ceilingFinding(x))
	}
	return out
}

// latencyState returns the state for the p99 of a time error, as a run judges it.
func latencyState(p99 int64) string { return stateBy(judge.Calibrated, float64(max(p99, -p99))) }

// stateBy returns a figure's state by the first limit of a check on runs.
func stateBy(check string, figure float64) string {
	return map[judge.State]string{
		judge.Pass: stateOK, judge.Warn: stateWarn, judge.Fail: stateBad,
	}[judge.ByID(check).Limits[0].Grade(figure)]
}

const freeCPUs = "run nothing else on the generator's CPUs"

func waitingFinding(w *record.Waiting) finding {
	r := finding{Name: "punctuality", State: latencyState(w.LagP99NS),
		Value: fmt.Sprintf("at %s the median request is sent %s late, 99 of 100 at most %s, the worst %s",
			report.Rate(w.RatePerSec), late(w.LagP50NS), late(w.LagP99NS), late(w.LagMaxNS))}
	queue := float64(w.RunQueueNS) / max(1, float64(w.WindowNS))
	if r.State != stateOK {
		r.Means = "response times of open loops include it"
		r.Change = freeCPUs
		if queue > .02 {
			r.Means += fmt.Sprintf("; the generator waited for its CPU for %s of the time", report.PerCent(queue))
		}
	}
	if !w.Spin {
		r.Means = strings.TrimPrefix(r.Means+"; with a CPU of its own the engine would poll during the last 60 µs",
			"; ")
	}
	return r
}

// late formats a lag; the histogram's resolution is 1 µs.
func late(ns int64) string {
	if ns <= 1000 {
		return "1 µs"
	}
	return document.Duration(float64(ns))
}

func ceilingFinding(x record.Ceiling) finding {
	name := document.Whole(int64(x.Connections)) + " connections"
	switch {
	case x.Connections == 1:
		name = "1 connection"
	case x.Pipeline > 1:
		name = fmt.Sprintf("%d, pipelined by %d", x.Connections, x.Pipeline)
	case x.PerConnection == 1:
		name = fmt.Sprintf("%d, reconnecting", x.Connections)
	}
	r := finding{Name: name, State: stateOK, Value: "at most " + report.Rate(x.RatePerSec)}
	if x.GeneratorShare != nil && x.ServerShare != nil {
		r.Value += fmt.Sprintf("; the generator then uses %s of its CPUs, the null server %s",
			report.PerCent(*x.GeneratorShare), report.PerCent(*x.ServerShare))
	}
	switch {
	case x.Connections == 1 && x.RatePerSec > 0:
		r.Means = "the round trip takes " + document.Duration(1e9/x.RatePerSec)
	case disturbed(x):
		r.State, r.Means = stateNote,
			"neither was at its limit, so the true ceiling is higher; perhaps other programs used the CPUs"
	case isUsual(x):
		r.Means = fmt.Sprintf("a contestant above %s, %s of it, is shown as a lower bound",
			report.Rate(judge.CeilingLimit*x.RatePerSec), report.PerCent(judge.CeilingLimit))
	}
	var failed int64
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(x.Errors)) {
		failed += x.Errors[kind]
		kinds = append(kinds, kind+" "+document.Whole(x.Errors[kind]))
	}
	if failed > 0 {
		r.State = stateWarn
		r.Means = fmt.Sprintf("%s requests got no whole response (%s)", document.Whole(failed), strings.Join(kinds, ", "))
		r.Change = "see open files and ports"
	}
	return r
}

// isUsual reports whether x has a run's default shape.
func isUsual(x record.Ceiling) bool {
	return x.Connections == 125 && x.Pipeline == 1 && x.PerConnection == 0
}

// disturbed reports whether neither side was at its limit although the load was high enough.
func disturbed(x record.Ceiling) bool {
	return x.Connections > 1 && x.GeneratorShare != nil && x.ServerShare != nil &&
		max(*x.GeneratorShare, *x.ServerShare) < judge.ByID(judge.GeneratorShare).Limits[0].Warn
}
