package doctor

import (
	"fmt"
	"strings"
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// limitFindings returns findings about the limits on files, ports and connections.
func limitFindings(c *record.Calibration) []finding {
	const group = "Limits"
	out := []finding{filesFinding(group, c)}
	out = append(out, portFindings(group, c)...)
	if n := c.Facts.Somaxconn; n != nil {
		r := finding{Group: group, Name: "accept queue", State: stateOK, Value: grouping(*n)}
		if *n < 1024 {
			r.State, r.Means = stateWarn,
				"if more clients connect at once, the server drops some, which retry after a second"
			r.Change = "sysctl net.core.somaxconn=4096"
		}
		out = append(out, r)
	}
	return out
}

func filesFinding(group string, c *record.Calibration) finding {
	limit := max(c.Host.FileLimit, known(c.Facts.HardFileLimit))
	r := finding{Group: group, Name: "open files", State: stateOK, Value: grouping(limit),
		Means: "limits the number of connections, for client and server"}
	if limit < 10_000 {
		r.State, r.Change = stateWarn,
			"ulimit -Hn 1048576 as root, or in /etc/security/limits.conf, or LimitNOFILE= of the service"
	}
	return r
}

// The time for which a port stays in use after its connection was closed (TCP_TIMEWAIT_LEN,
// include/net/tcp.h), and the shorter time if tcp_tw_reuse allows reuse
// (net.ipv4.tcp_tw_reuse_delay; before Linux 6.14 fixed).
const (
	timeWait      = 60 * time.Second
	timeWaitReuse = time.Second
)

// sustained returns the permanent rate at which one client address can open connections to one
// server address, if each is closed after its request, in connections per second: to a server on
// this machine, and elsewhere; 0 if unknown.
func sustained(f *record.Facts) (here, elsewhere float64) {
	if f.PortLow == nil || f.PortHigh == nil || *f.PortHigh < *f.PortLow {
		return 0, 0
	}
	ports := float64(*f.PortHigh - *f.PortLow + 1)
	here, elsewhere = ports/timeWait.Seconds(), ports/timeWait.Seconds()
	if f.TCPTimestamps == nil || *f.TCPTimestamps != 0 {
		switch known(f.TimeWaitReuse) {
		case 1:
			here, elsewhere = ports/timeWaitReuse.Seconds(), ports/timeWaitReuse.Seconds()
		case 2:
			here = ports / timeWaitReuse.Seconds()
		}
	}
	return here, elsewhere
}

func portFindings(group string, c *record.Calibration) []finding {
	f := &c.Facts
	here, elsewhere := sustained(f)
	if here == 0 {
		return []finding{{Group: group, Name: "ports", State: stateNote, Value: "unknown"}}
	}
	ports := *f.PortHigh - *f.PortLow + 1
	const wider = `sysctl net.ipv4.ip_local_port_range="1024 65535"`
	r := finding{Group: group, Name: "ports", State: stateOK, Value: fmt.Sprintf("%s (%d to %d)", grouping(ports),
		*f.PortLow, *f.PortHigh),
		Means: "limits the connections from one address to one server at a time"}
	if ports < 20_000 {
		r.State, r.Change = stateWarn, wider
	}
	again := finding{Group: group, Name: "reuse of ports", State: stateOK,
		Value: fmt.Sprintf("sustainable rate of connections with one request each: %s to a server on this machine, "+
			"%s to one elsewhere",
			report.Rate(here), report.Rate(elsewhere))}
	again.Means = "after its connection is closed, a port is unusable for 1 s or 60 s, depending on tcp_tw_reuse"
	for _, x := range c.Ceilings {
		if x.PerConnection == 1 && x.RatePerSec > here {
			again.State = stateWarn
			again.Means = fmt.Sprintf("dyno can open %s and would run out of ports after %s",
				report.Rate(x.RatePerSec), report.Duration(1e9*float64(ports)/x.RatePerSec))
			again.Change = wider
			if known(f.TimeWaitReuse) == 0 {
				again.Change += "; sysctl net.ipv4.tcp_tw_reuse=2"
			}
		}
	}
	return []finding{r, again}
}

// grouping prints n with commas between thousands.
func grouping(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// generatorFindings returns findings about the load generator's speed on this machine.
func generatorFindings(c *record.Calibration) []finding {
	const group = "Generator"
	var out []finding
	if k := c.Clock; k != nil {
		r := finding{Group: group, Name: "clock", State: stateOK, Value: fmt.Sprintf("reading it takes %s, the "+
			"smallest step is %s", report.Duration(k.CostNS), report.Duration(float64(k.StepNS)))}
		if k.CostNS > 300 || k.StepNS > 1000 {
			r.State, r.Means = stateWarn,
				"the engine reads it several times per request, which makes it slower and less precise"
			r.Change = "see clock source"
		}
		out = append(out, r)
	}
	if w := c.Waiting; w != nil {
		out = append(out, waitingFindings(group, w)...)
	}
	for _, x := range c.Ceilings {
		out = append(out, ceilingFinding(group, x))
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

func waitingFindings(group string, w *record.Waiting) []finding {
	r := finding{Group: group, Name: "punctuality", State: latencyState(w.LagP99NS),
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
	contrast := finding{Group: group, Name: "plain sleeping", State: stateNote,
		Value: fmt.Sprintf(
			"with time.Sleep, half of them would be up to %s late, 99 of 100 up to %s", late(w.SleepP50NS),
			late(w.SleepP99NS)), Means: "for comparison only: dyno does not use it"}
	if w.Sleeps == 0 {
		return []finding{r}
	}
	return []finding{r, contrast}
}

// late formats a lag; the histogram's resolution is 1 µs.
func late(ns int64) string {
	if ns <= 1000 {
		return "1 µs"
	}
	return report.Duration(float64(ns))
}

func ceilingFinding(group string, x record.Ceiling) finding {
	name := grouping(int64(x.Connections)) + " connections"
	switch {
	case x.Connections == 1:
		name = "1 connection"
	case x.Pipeline > 1:
		name = fmt.Sprintf("%d, pipelined by %d", x.Connections, x.Pipeline)
	case x.PerConnection == 1:
		name = fmt.Sprintf("%d, reconnecting", x.Connections)
	}
	r := finding{Group: group, Name: name, State: stateOK, Value: "at most " + report.Rate(x.RatePerSec)}
	if x.GeneratorShare != nil && x.ServerShare != nil {
		r.Value += fmt.Sprintf("; the generator then uses %s of its CPUs, the null server %s",
			report.PerCent(*x.GeneratorShare), report.PerCent(*x.ServerShare))
	}
	switch {
	case x.Connections == 1 && x.RatePerSec > 0:
		r.Means = "the round trip takes " + report.Duration(1e9/x.RatePerSec)
	case disturbed(x):
		r.State, r.Means = stateNote,
			"neither was at its limit, so the true ceiling is higher; perhaps other programs used the CPUs"
	case isUsual(x):
		r.Means = fmt.Sprintf("a contestant above %s, 80 %% of it, is shown as a lower bound",
			report.Rate(.8*x.RatePerSec))
	}
	if n := countErrors(x.Errors); n > 0 {
		r.State = stateWarn
		r.Means = fmt.Sprintf("%s requests got no whole response (%s)", grouping(n), kinds(x.Errors))
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
		max(*x.GeneratorShare, *x.ServerShare) < .8
}

func countErrors(m map[string]int64) (n int64) {
	for _, v := range m {
		n += v
	}
	return n
}

func kinds(m map[string]int64) string {
	var parts []string
	for _, k := range sortedKeys(m) {
		parts = append(parts, fmt.Sprintf("%s %s", k, grouping(m[k])))
	}
	return strings.Join(parts, ", ")
}
