package doctor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/report"
	"dyno/internal/result"
)

func sortedKeys(m map[string]int64) []string { return slices.Sorted(maps.Keys(m)) }

// serverFindings are about what dyno sees of servers whose truth is known.
func serverFindings(c *result.Calibration) []finding {
	const group = "Truth"
	var out []finding
	for _, d := range c.Delays {
		r := finding{Group: group, Name: fmt.Sprintf("delay of %v ms", float64(d.DelayNS)/1e6), State: latencyState(d.ErrorP99NS)}
		r.Value = fmt.Sprintf("the median is off by %s, p99 by %s", signed(d.ErrorP50NS), signed(d.ErrorP99NS))
		if d.DelayNS == 0 {
			r.Name = "no delay"
			r.Value = fmt.Sprintf("there and back takes %s; p99 is off by %s", report.Duration(float64(d.RoundTripNS)), signed(d.ErrorP99NS))
		}
		if r.State != stateOK {
			r.Means, r.Change = "latencies are blurred by as much", freeCPUs+", nor on the server's"
		}
		out = append(out, r)
	}
	if s := c.Stall; s != nil {
		out = append(out, stallFinding(group, s))
	}
	for _, k := range c.Costs {
		out = append(out, costFinding(group, k))
	}
	return out
}

func signed(ns int64) string {
	if ns > -1000 && ns < 1000 {
		return "less than 1 µs"
	}
	if ns < 0 {
		return "−" + report.Duration(float64(-ns))
	}
	return "+" + report.Duration(float64(ns))
}

func stallFinding(group string, s *result.KnownStall) finding {
	r := finding{Group: group, Name: "stall", State: stateOK,
		Value: fmt.Sprintf("of a server that stands still for %v s of every %v s a p99 of %s is seen, %s is right", float64(s.StallNS)/1e9, float64(s.PeriodNS)/1e9,
			report.Duration(float64(s.ResponseP99NS)), report.Duration(float64(s.ExpectedP99NS)))}
	off := math.Abs(float64(s.ResponseP99NS)/float64(s.ExpectedP99NS) - 1)
	switch {
	case off <= .05:
	case off <= .15:
		r.State = stateWarn
	default:
		r.State = stateBad
	}
	if r.State != stateOK {
		r.Means, r.Change = fmt.Sprintf("off by %s: something else stood still as well", report.PerCent(off)), "let nothing else run on these CPUs"
	}
	return r
}

func costFinding(group string, k result.KnownCost) finding {
	lo, hi := 0.0, math.Inf(1)
	if k.Lo != nil {
		lo = *k.Lo
	}
	if k.Hi != nil {
		hi = *k.Hi
	}
	r := finding{Group: group, Name: "cost of " + k.Server, State: stateOK,
		Value: fmt.Sprintf("found: CPU per request × %s, about %.3f is right", report.Ratio(k.Ratio, lo, hi), k.Expected)}
	switch {
	case hi < 1:
		r.State, r.Value = stateBad, strings.Replace(r.Value, "found:", "found the wrong way round:", 1)
		r.Means, r.Change = "something favours one of the servers", "ask again; if it stays so, report it"
	case lo <= 1:
		r.State, r.Value = stateNote, strings.Replace(r.Value, "found:", "not found:", 1)
		r.Means = fmt.Sprintf("%d rounds are too few for it in this noise; a run has 100 and more", k.Rounds)
	case k.Expected < lo || k.Expected > hi:
		r.State, r.Value = stateWarn, strings.Replace(r.Value, "found:", "found, but not its size:", 1)
		r.Means, r.Change = "noise did not fall on both servers alike", "ask again on a quieter machine"
	}
	return r
}

// noiseFindings are about what else the machine does now.
func noiseFindings(c *result.Calibration) []finding {
	const group = "Noise now"
	n := c.Noise
	if n == nil || len(n.Rounds) == 0 {
		return nil
	}
	var sum result.Causes
	var queue, loaded int64
	discarded := 0
	for i := range n.Rounds {
		r := &n.Rounds[i]
		sum.WallNS += r.Causes.WallNS
		sum.BackgroundServerNS += r.Causes.BackgroundServerNS
		sum.BackgroundGeneratorNS += r.Causes.BackgroundGeneratorNS
		sum.StealNS += r.Causes.StealNS
		sum.ServerCPUs, sum.GeneratorCPUs = r.Causes.ServerCPUs, r.Causes.GeneratorCPUs
		queue, loaded = queue+r.RunQueueNS, loaded+r.LoadedNS
		if spoilt(r) {
			discarded++
		}
	}
	share := func(ns int64, cpus int) float64 { return float64(ns) / max(1, float64(sum.WallNS)*float64(cpus)) }
	const end = "end other programs; top shows which"
	out := []finding{
		threshold(finding{Group: group, Name: "others, server", Means: "what other programs used of the server's CPUs", Change: end},
			checks.ServerCPUs, share(sum.BackgroundServerNS, sum.ServerCPUs)),
		threshold(finding{Group: group, Name: "others, generator", Means: "the same of the generator's CPUs", Change: end},
			checks.GeneratorCPUs, share(sum.BackgroundGeneratorNS, sum.GeneratorCPUs)),
		threshold(finding{Group: group, Name: "stolen", Means: "what the hypervisor gave to other machines",
			Change: "ask again later, or use a machine of your own"},
			checks.Withheld, share(sum.StealNS, sum.ServerCPUs+sum.GeneratorCPUs)),
		{Group: group, Name: "waiting for a CPU", State: stateNote, Value: report.PerCent(float64(queue)/max(1, float64(loaded))) + " of the generator's time",
			Means: "3 to 8 % is usual on a virtual machine that is otherwise idle"},
		discardedFinding(group, discarded, len(n.Rounds)),
	}
	sigma, cpu, valid := spread(n)
	r := finding{Group: group, Name: "load to load", State: stateOK,
		Value: fmt.Sprintf("servers that are alike differ within a round by ±%s in throughput, ±%s in CPU per request (one standard deviation)", report.PerCent(math.Expm1(sigma)), report.PerCent(math.Expm1(cpu))),
		Means: "where more servers take turns they lie further apart in time, and differ more"}
	if valid < leastRounds {
		r.Means = "taken over all rounds, for too few were undisturbed"
	}
	if sigma > .15 {
		r.State = stateWarn
		r.Means = strings.TrimPrefix(r.Means+"; small differences will not be separated", "; ")
		r.Change = "a quieter machine, or a longer --budget"
	}
	return append(out, r)
}

// threshold sets value and state of a share by the limits of a check of runs, and drops the advice where all is well.
func threshold(r finding, check string, share float64) finding {
	r.Value, r.State = report.PerCent(share), stateBy(check, share)
	if r.State == stateOK {
		r.Change = ""
	}
	return r
}

// discardedFinding judges the share of discarded rounds, as a run does.
func discardedFinding(group string, discarded, all int) finding {
	r := finding{Group: group, Name: "spoilt rounds", Value: fmt.Sprintf("%d of %d", discarded, all)}
	switch r.State = stateBy(checks.Discarded, float64(discarded)/float64(all)); r.State {
	case stateBad:
		r.Means = "a run would repeat them, and in the end rank nothing that the clock measures"
	case stateWarn:
		r.Means = "a run would repeat them, and take longer"
	}
	if r.State != stateOK {
		r.Change = "end other programs, or ask again later"
	}
	return r
}

// canDecide says in plain words what the machine can decide, and what it cannot.
func canDecide(c *result.Calibration, expected []expectation) string {
	var s []string
	if n := c.Noise; n != nil && tooBusy(n) {
		s = append(s, "Right now this machine is too busy: others spoil more than half of the rounds, and then nothing is ranked that the wall clock measures. "+
			"CPU per request suffers less (--primary cpu_per_request). Ask again once the others are gone: the table then gets better.")
	}
	var can []string
	for _, e := range expected {
		if e.Profile != plan.Standard || math.IsInf(e.MDE, 0) || math.IsNaN(e.MDE) {
			continue
		}
		text := fmt.Sprintf("from about %s between %d contestants in %s", report.PerCent(e.MDE), e.Contestants, span(e.WholeNS))
		if e.More {
			text += " (more than the usual budget)"
		}
		can = append(can, text)
	}
	switch {
	case len(s) > 0:
	case len(can) > 0:
		s = append(s, "This machine can decide differences in throughput "+strings.Join(can, ", ")+"; --profile full takes longer and finds smaller ones.")
	default:
		s = append(s, "How small a difference this machine can decide is not known: the noise was not measured.")
	}
	cannot := []string{"It cannot rank p99, the time that 99 of 100 answers keep"}
	if len(c.Host.ServerCPUs) == 1 {
		cannot = append(cannot, "show how a server uses several CPUs")
	}
	if _, absent := c.Host.Absent["instructions"]; absent {
		cannot = append(cannot, "count instructions")
	}
	if _, absent := c.Host.Absent["energy"]; absent {
		cannot = append(cannot, "measure energy")
	}
	for _, x := range c.Ceilings {
		if isUsual(x) && !disturbed(x) {
			cannot = append(cannot, fmt.Sprintf("tell how fast a server is beyond %s over 125 connections", report.Rate(.8*x.RatePerSec)))
		}
	}
	last := len(cannot) - 1
	text := strings.Join(cannot[:last], ", ")
	if last > 0 {
		text += ", or " // "it cannot a, b, or c"
	}
	s = append(s, text+cannot[last]+".")
	if p99, ok := c.LatencyErrorP99NS(); ok {
		verdict := "Its latencies are right to within"
		if latencyState(p99) == stateBad {
			verdict = "Its latencies count as uncalibrated: they are off by up to"
		}
		s = append(s, fmt.Sprintf("%s %s at p99.", verdict, report.Duration(float64(p99))))
	} else {
		s = append(s, "How right its latencies are was not measured.")
	}
	s = append(s, "Which contestants can be built here, dyno list says.")
	return strings.Join(s, " ")
}

// tooBusy reports whether a run would rank nothing.
func tooBusy(n *result.Noise) bool {
	discarded := 0
	for i := range n.Rounds {
		if spoilt(&n.Rounds[i]) {
			discarded++
		}
	}
	return 2*discarded > len(n.Rounds)
}
