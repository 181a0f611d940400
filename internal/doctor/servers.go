package doctor

import (
	"dyno/internal/document"
	"fmt"
	"math"
	"strings"

	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/report"
)

// serverFindings returns findings about dyno's measurements on reference servers.
func serverFindings(c *record.Calibration) []finding {
	var out []finding
	for _, d := range c.Delays {
		r := finding{Name: fmt.Sprintf("delay of %v ms", float64(d.DelayNS)/1e6), State: latencyState(d.ErrorP99NS)}
		r.Value = fmt.Sprintf("the median is off by %s, p99 by %s", signed(d.ErrorP50NS), signed(d.ErrorP99NS))
		if d.DelayNS == 0 {
			r.Name = "no delay"
			r.Value = fmt.Sprintf("the round trip takes %s; p99 is off "+
				"by %s", document.Duration(float64(d.RoundTripNS)), signed(d.ErrorP99NS))
		}
		if r.State != stateOK {
			r.Means, r.Change = "latencies have an error of this size", freeCPUs+" or the server's"
		}
		out = append(out, r)
	}
	return out
}

func signed(ns int64) string {
	if ns > -1000 && ns < 1000 {
		return "less than 1 µs"
	}
	if ns < 0 {
		return "−" + document.Duration(float64(-ns))
	}
	return "+" + document.Duration(float64(ns))
}

// noiseFindings returns findings about other programs on the machine.
func noiseFindings(c *record.Calibration) []finding {
	n := c.Noise
	if n == nil || len(n.Rounds) == 0 {
		return nil
	}
	var server, generator, steal, wall float64
	for _, r := range n.Rounds {
		time := float64(r.Causes.WallNS)
		server += float64(r.Causes.BackgroundServerNS) / max(1, float64(r.Causes.ServerCPUs))
		generator += float64(r.Causes.BackgroundGeneratorNS) / max(1, float64(r.Causes.GeneratorCPUs))
		steal += float64(r.Causes.StealNS) / max(1, float64(r.Causes.ServerCPUs+r.Causes.GeneratorCPUs))
		wall += time
	}
	const end = "stop other programs; top shows them"
	out := []finding{
		graded("others, server", judge.ServerCPUs, server/max(1, wall), "used by other programs on the server's CPUs", end),
		graded("others, generator", judge.GeneratorCPUs, generator/max(1, wall),
			"used by other programs on the generator's CPUs", end),
		graded("stolen", judge.Withheld, steal/max(1, wall), "withheld by the hypervisor for other machines",
			"try again later, or use a dedicated machine"),
		disturbedFinding(n),
	}
	sigma, cpu, valid := spread(n)
	r := finding{Name: "load to load", State: stateOK,
		Value: fmt.Sprintf("equal servers differ within a round by ±%s in throughput, ±%s in CPU per request (one "+
			"standard deviation)", report.PerCent(math.Expm1(sigma)), report.PerCent(math.Expm1(cpu))),
		Means: "with more servers, their loads are further apart in time and differ more"}
	if valid < leastRounds {
		r.Means = "over all rounds, because too few were undisturbed"
	}
	if sigma > .15 {
		r.State = stateWarn
		r.Means = strings.TrimPrefix(r.Means+"; small differences cannot be detected", "; ")
		r.Change = "use a quieter machine or a longer --budget"
	}
	return append(out, r)
}

// graded returns a finding about a share by the limits of a check on runs. The change is only for a
// problem.
func graded(name, check string, share float64, means, change string) finding {
	r := finding{Name: name, State: stateBy(check, share), Value: report.PerCent(share), Means: means}
	if r.State != stateOK {
		r.Change = change
	}
	return r
}

// mostDisturbed is the share of disturbed rounds above which the machine is called busy.
const mostDisturbed = 0.5

// disturbedFinding judges the share of rounds in which other programs ran or the machine paused.
func disturbedFinding(n *record.Noise) finding {
	discarded := 0
	for i := range n.Rounds {
		if spoilt(&n.Rounds[i]) {
			discarded++
		}
	}
	share := float64(discarded) / float64(len(n.Rounds))
	r := graded("disturbed rounds", judge.Discarded, share, "", "stop other programs, or try again later")
	if share > mostDisturbed {
		r.State = stateBad
	}
	r.Value = fmt.Sprintf("%d of %d", discarded, len(n.Rounds))
	switch r.State {
	case stateBad:
		r.Means = "a run could not measure latencies in them, and would take longer to decide"
	case stateWarn:
		r.Means = "a run could not measure latencies in them"
	}
	return r
}

// canDecide describes what the machine can and cannot measure.
func canDecide(c *record.Calibration, expected []expectation) string {
	var s []string
	if n := c.Noise; n != nil && len(n.Rounds) > 0 && disturbedFinding(n).State == stateBad {
		s = append(s, "This machine is busy now: more than half of the rounds were disturbed, so runs have few "+
			"latencies, and take longer to decide. Run dyno doctor again when it is quieter.")
	}
	var can []string
	for _, e := range expected {
		if math.IsInf(float64(e.MDE), 0) || math.IsNaN(float64(e.MDE)) {
			continue
		}
		text := fmt.Sprintf("from about %s (in other sessions from %s) between %d contestants in %s",
			report.PerCent(float64(e.MDE)), report.PerCent(float64(e.Elsewhere)), e.Contestants, span(e.WholeNS))
		if e.More {
			text += " (more than the usual budget)"
		}
		can = append(can, text)
	}
	switch {
	case len(s) > 0:
	case len(can) > 0:
		s = append(s, "This machine can detect differences in throughput "+strings.Join(can, ", ")+
			", if restarts of a server do not differ, which is not measured here.")
	default:
		s = append(s, "The smallest difference that this machine can detect is unknown: the noise was not measured.")
	}
	s = append(s, "It cannot rank by p99, the response time that 99 of 100 responses keep.")
	if p99, ok := c.LatencyErrorP99NS(); ok {
		verdict := "Its latencies are accurate to"
		if latencyState(p99) == stateBad {
			verdict = "Its latencies are uncalibrated, with an error of up to"
		}
		s = append(s, fmt.Sprintf("%s %s at p99.", verdict, document.Duration(float64(p99))))
	} else {
		s = append(s, "The accuracy of its latencies was not measured.")
	}
	s = append(s, "dyno list shows which contestants can be built here.")
	return strings.Join(s, " ")
}
