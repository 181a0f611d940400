package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/record"
)

// tailSample checks how many requests exceed the 99th percentile, which depends on them.
func tailSample(c *Check, own []*record.Trial) (State, string) {
	var n int64
	for i := range own {
		n += own[i].Load.Succeeded
	}
	beyond := n / 100
	text := fmt.Sprintf("%d requests lie beyond the 99th percentile", beyond)
	switch {
	case float64(beyond) < c.Limits[0].Fail:
		return Fail, text + ", too few to estimate it"
	case float64(beyond) < c.Limits[0].Warn:
		return Warn, text
	}
	return Pass, text
}

// edges checks whether rates come from a steady load, while requests were sent.
func edges(_ *Check, e *Evidence) (State, string) {
	n, all := Unsteady(e.Valid)
	steady := 0
	for _, t := range e.Valid {
		if _, ok := t.Load.PerSec(); ok && t.Load.RateFromNS > 0 {
			steady++
		}
	}
	which := "the rates are"
	if steady < all {
		which = fmt.Sprintf("the rates of %d of %d trials are", steady, all)
	}
	if n > 0 {
		return Warn, fmt.Sprintf("the rates of %d of %d trials are %s", n, all, UnsteadyText)
	}
	return Pass, which + " of the time in which requests were sent, without the wait for the last answers"
}

// The share of the requests in flight, at least manyInFlight, below which the median response shows
// that connections are served in turns of many requests.
const (
	fewInService = 0.1
	manyInFlight = 32
)

// turns checks whether the contestants served their connections alike, and names those that did
// not. With n requests in flight, each takes n over the rate on average (Little's law). The median
// is far below that if a few connections have nearly all responses while the others wait.
func turns(c *Check, e *Evidence) []Finding {
	found := measured(func(c *Check, e *Evidence, _ string, own []*record.Trial) (State, string) {
		few := 0
		for i := range own {
			if inTurns(e.Run.Plan.LevelOf(own[i]), &own[i].Load) {
				few++
			}
		}
		return c.Limits[0].Grade(float64(few) / float64(max(1, len(own)))), fmt.Sprintf(
			"in %d of %d trials half of the responses came within a tenth of the mean service time", few, len(own))
	})(c, e)
	found = slices.DeleteFunc(found, func(f Finding) bool { return f.State == Pass })
	if len(found) > 0 {
		return found
	}
	return []Finding{{Text: "no contestant was found to serve few of its connections at a time in more than " +
		document.Percent(c.Limits[0].Warn) + " of its trials"}}
}

// inTurns reports whether a load's responses went to few connections.
func inTurns(level record.Level, l *record.Load) bool {
	inFlight := float64(level.Connections * max(level.Pipeline, 1))
	perSec, ok := l.PerSec()
	return ok && !level.Open() && level.PerConnection == 0 && inFlight >= manyInFlight && l.ServiceP50NS > 0 &&
		float64(l.ServiceP50NS)/1e9*perSec < fewInService*inFlight
}

// sameProcesses checks that a contestant's number of processes stayed the same between an epoch's
// trials, and that all starts had the same program.
func sameProcesses(_ *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
	counts := map[int][]int{} // by epoch
	for i := range own {
		if n := own[i].Server.Processes; n != 0 { // read
			counts[own[i].Epoch] = append(counts[own[i].Epoch], n)
		}
	}
	changed, brief := 0, 0
	for _, all := range counts {
		for i := 1; i < len(all); i++ {
			switch {
			case all[i] == all[i-1]:
			case i+1 < len(all) && all[i+1] == all[i-1]:
				brief++
				i++
			default:
				changed++
			}
		}
	}
	hashes := map[string]bool{}
	for _, c := range e.Run.Contestants {
		if c.Name == name && c.BinaryHash != "" {
			hashes[c.BinaryHash] = true
		}
	}
	switch {
	case attached(e.Run, name) && len(counts) == 0:
		return Pass, "it was already running, and its processes cannot be inspected: " + unread(e.Run, name)
	case len(hashes) > 1:
		return Fail, fmt.Sprintf("%d different programs were started under this name", len(hashes))
	case changed > 0:
		return Fail, "its number of processes changed " + document.Count(changed, "time") + " within an epoch"
	case brief > 0:
		return Warn, "its number of processes differed in " + document.Count(brief, "load") +
			" from that of the loads before and after: it started processes for connections, or restarted one"
	case len(counts) == 0:
		return Warn, "its processes were not counted"
	}
	if attached(e.Run, name) {
		return Pass, "the same number of processes throughout, which were already " +
			"running: " + e.Run.Contestant(name).Processes
	}
	return Pass, "the same number of processes throughout each epoch, all of one program"
}

// pauses checks whether the generator or the machine stood still within a trial. Runs recorded
// before dyno measured this have no such finding.
func pauses(_ *Check, e *Evidence) []Finding {
	var longest, standstills, n int64
	for i := range e.watched() {
		t := e.watched()[i]
		if t.Load.GapNS > 0 {
			n++
		}
		longest = max(longest, pauseOf(t))
		if Paused(t) {
			standstills++
		}
	}
	switch {
	case standstills > 0:
		text := fmt.Sprintf("in %s the generator or the machine stood still for up to %s",
			document.Count(standstills, "trial"), lasting(longest))
		if len(e.Valid) > 0 {
			text += ", which their figures include"
		}
		return []Finding{{State: Fail, Text: text}}
	case n == 0:
		return nil
	}
	return []Finding{{State: Pass, Text: fmt.Sprintf("the generator stood still for %s at most", lasting(longest))}}
}

// standstills names each contestant that stood still in a trial; with fewer than stoppedFrom
// connections it only gives the figures. It says which trials cannot show a stop. Otherwise, or if
// nothing was recorded, there is no finding.
func standstills(_ *Check, e *Evidence) (all []Finding) {
	type who struct {
		name string
		few  bool
	}
	type stops struct{ trials, closed, longest, answer int64 }
	found := map[who]stops{}
	short, length, least := 0, int64(0), int64(math.MaxInt64)
	for i := range e.watched() {
		t := e.watched()[i]
		if ns := unseen(&t.Load); ns > 0 {
			short, length, least = short+1, max(length, t.Load.Sending()), min(least, ns)
		}
		if ns, few := Stopped(t); ns > 0 {
			s := found[who{t.Contestant, few}]
			s.trials, s.longest, s.answer = s.trials+1, max(s.longest, ns), max(s.answer, t.Load.ServiceMaxNS)
			if t.Load.Pace == nil {
				s.closed++
			}
			found[who{t.Contestant, few}] = s
		}
	}
	if short > 0 {
		all = append(all, Finding{State: Pass, Text: fmt.Sprintf("%s of %s, up to %s long, were too short to show a "+
			"server that stood still for %s", document.Whole(int64(short)), document.Count(len(e.watched()), "load"),
			lasting(length), lasting(least))})
	}
	for w, s := range found {
		f := Finding{Contestant: w.name, State: Warn, Text: fmt.Sprintf("in %s no answer came for up to %s",
			document.Count(s.trials, "trial"), lasting(s.longest))}
		switch {
		case w.few:
			f.State, f.Text = Pass, f.Text+fmt.Sprintf(" on fewer than %d connections, too few to call it a stop; their "+
				"slowest right answer: %s", stoppedFrom, slowestRight(s.answer))
		case s.closed > 0:
			f.Text += " although requests waited; a closed loop's percentiles hide this"
		default:
			f.Text += " although requests waited"
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Contestant, b.Contestant), cmp.Compare(b.State, a.State))
	})
	return all
}

// slowestRight formats the slowest right answer's time; 0: there was none.
func slowestRight(ns int64) string {
	if ns == 0 {
		return "none was right"
	}
	return lasting(ns)
}

// lasting formats a time in ms or s.
func lasting(ns int64) string {
	switch {
	case ns < 999.5e6:
		return fmt.Sprintf("%.3g ms", float64(ns)/1e6)
	case ns < 99.5e9:
		return fmt.Sprintf("%.3g s", float64(ns)/1e9)
	}
	return document.Whole(ns/1e9) + " s"
}

// apart checks whether server and generator may use the same CPUs.
func apart(_ *Check, e *Evidence) (State, string) {
	h := &e.Run.Host
	shared := slices.ContainsFunc(h.ServerCPUs, func(cpu int) bool { return slices.Contains(h.GeneratorCPUs, cpu) })
	switch {
	case len(h.Generators) > 0 && anyAttached(e.Run):
		return CannotTell, "where the servers at these URLs run is not known; keep them off the generators' machines"
	case len(h.Generators) > 0:
		return apartHosts(h)
	case anyAttached(e.Run) && shared:
		return Warn, "servers that are already running may use any CPU, also the generator's; to separate them, " +
			"start them with taskset on other CPUs"
	case shared:
		return Fail,
			"server and generator share a CPU: each slows the other, and every figure reflects both"
	case e.level().AsPublished:
		return Warn, "as published, nothing is pinned: servers and load generator may use all CPUs, and each slows the other"
	case !h.Pinned:
		return Warn, "nothing is pinned: server and generator may run on the same CPUs, to an unknown extent"
	case h.SharedCore:
		return Warn, "server and generator are pinned to threads of one core: each slows the other down"
	}
	return Pass, fmt.Sprintf("server and generator are pinned to separate CPUs, %s and %s",
		document.Numbers(h.ServerCPUs), document.Numbers(h.GeneratorCPUs))
}

// apartHosts is apart for several machines, some of which may be hosts on one machine, such as
// containers.
func apartHosts(h *record.Host) (State, string) {
	var beside []string
	for _, g := range h.Machines()[1:] {
		if h.BootID == "" || g.BootID != h.BootID {
			continue
		}
		beside = append(beside, document.Clean(g.Name))
		if cpus := slices.Concat(g.GeneratorCPUs, g.ServerCPUs); slices.ContainsFunc(h.ServerCPUs, func(cpu int) bool {
			return slices.Contains(cpus, cpu)
		}) {
			return Fail, fmt.Sprintf("%s and %s are hosts on one machine and share a CPU: each slows the other, and every "+
				"figure reflects both", document.Clean(h.Name), document.Clean(g.Name))
		}
	}
	if len(beside) > 0 {
		return Pass, fmt.Sprintf("%s is on one machine with %s, on separate CPUs", document.Clean(h.Name),
			strings.Join(beside, ", "))
	}
	return Pass, "server and generators are different machines"
}

// errorFail is the largest acceptable error of a latency's p99, in ns. calibrationHolds is the time
// for which a calibration is valid, in ns.
const (
	errorFail        = 500_000
	calibrationHolds = 60 * 60 * 1e9
)

// calibration checks how accurately this generator measures times on this machine. If no latency
// decides the run, a missing calibration is only a warning.
func calibration(c *Check, e *Evidence) (State, string) {
	const what = "latencies are uncalibrated: "
	why := Uncalibrated(e.Run.Calibration, e.Run.Host.BootID, e.Run.Plan.Origin.StartedUnixNS)
	if e.level().AsPublished {
		why = "dyno calibrates a generator on CPUs of its own, and here servers use them, too"
	}
	worst := Warn
	if LatenciesDecide(&e.Run.Plan) {
		worst = Fail
	}
	if why != "" {
		return worst, what + why
	}
	ns, _ := e.Run.Calibration.LatencyErrorP99NS()
	return c.Limits[0].Grade(float64(ns)),
		fmt.Sprintf("according to the calibration before the run, 99th percentiles of latency are accurate to "+
			"%.3g µs", float64(ns)/1e3)
}

// LatenciesDecide reports whether latencies decide a run under plan p. Such a run needs a
// calibration.
func LatenciesDecide(p *record.Plan) bool {
	m, _ := MetricNamed(p.Primary)
	return m.Kind&Latency != 0
}

// Uncalibrated says why c, which may be nil, does not apply to latencies measured from atNS (Unix)
// on, on a machine booted as bootID. It returns "" if c applies.
func Uncalibrated(c *record.Calibration, bootID string, atNS int64) (why string) {
	const remedy = "; run dyno doctor to calibrate, which is valid for an hour"
	if c == nil {
		return "the record has no calibration" + remedy
	}
	age := atNS - c.EndedUnixNS
	ns, measured := c.LatencyErrorP99NS()
	switch {
	case c.BootID == "" || c.BootID != bootID:
		return "the last calibration was made before the last boot, or on another machine" + remedy
	case age < 0 || age > calibrationHolds:
		return fmt.Sprintf("the last calibration was made %.0f minutes before the run", float64(age)/60e9) + remedy
	case !measured:
		return "the last calibration measured no known delay" + remedy
	case ns > errorFail:
		return fmt.Sprintf("the calibration found an error of %.3g µs at the 99th percentile; at most %d µs "+
			"is accepted", float64(ns)/1e3, errorFail/1000)
	}
	return ""
}
