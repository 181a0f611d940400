package checks

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// Evidence is what the checks look at.
type Evidence struct {
	Run      *result.Run
	Valid    []result.Trial // that count
	Void     int            // trials of void rounds
	All      int            // trials after the pilots
	Analysis *analysis.Analysis
	Levels   [][]result.Trial // Valid by level, where there are several: what is left of a trial is found among those of its level

	left []analysis.Residual
}

// watched are the trials whose causes are judged: those that count, or all, where the machine was so busy that none does.
func (e *Evidence) watched() []result.Trial {
	if len(e.Valid) > 0 {
		return e.Valid
	}
	return e.Run.Trials
}

// check is one row of the table. Each returns a finding per contestant, or one for the run.
type check struct {
	id, title string
	of        func(*Evidence) []Finding
}

// table holds the checks that this version makes, in order of their number; doc/method.md says which are to come.
var table = []check{
	{"V01", "generator's share of its CPUs", perContestant(generatorShare)},
	{"V02", "throughput against the generator's ceiling", measured(ceiling)},
	{"V03", "foreign CPU on the server's CPUs", whole(foreignServer)},
	{"V04", "foreign CPU on the generator's CPUs", whole(foreignGenerator)},
	{"V05", "steal", whole(steal)},
	{"V06", "share of void rounds", whole(voidRounds)},
	{"V07", "requests answered of those that were due", openLoop(achieved)},
	{"V08", "lag against response time", openLoop(lagShare)},
	{"V09", "growing backlog", openLoop(growing)},
	{"V10", "shape of the arrivals", openLoop(arrivals)},
	{"V11", "time with no connection free", openLoop(starvation)},
	{"V12", "every response within its contract", perContestant(contract)},
	{"V13", "errors, and connections established", perContestant(errors)},
	{"V14", "server busy", measured(busy)},
	{"V15", "warm-up", perContestant(warmup)},
	{"V16", "drift within an epoch", drift},
	{"V17", "A/A canary: the yardstick against its blinded copy", whole(canary)},
	{"V18", "positive control: a known difference is found again", positiveControl},
	{"V19", "order effect: position in the round", whole(orderEffect)},
	{"V20", "carry-over from the contestant before", whole(carryOver)},
	{"V21", "spread between fresh starts", freshStarts},
	{"V22", "sample of the tail", measured(tailSample)},
	{"V23", "clocks and histograms", whole(clocks)},
	{"V24", "CPU quota", whole(quota)},
	{"V25", "calibration of the latencies", whole(calibration)},
	{"V26", "server's processes", measured(sameProcesses)},
	{"V27", "memory readable", perContestant(memory)},
	{"V28", "provenance stored", whole(provenance)},
	{"V29", "rates at the edges of the windows", whole(edges)},
	{"V30", "pauses of the generator or the machine", pauses},
	{"V31", "CPUs of server and generator apart", whole(apart)},
}

// Check makes all checks: those of the whole run first, then by contestant, each in order of its number.
func Check(e *Evidence) []Finding {
	var run, each []Finding
	for _, c := range table {
		for _, f := range c.of(e) {
			f.ID, f.Title = c.id, c.title
			if f.Contestant == "" {
				run = append(run, f)
			} else {
				each = append(each, f)
			}
		}
	}
	slices.SortStableFunc(each, func(a, b Finding) int {
		return slices.Index(e.Run.Plan.Contestants, a.Contestant) - slices.Index(e.Run.Plan.Contestants, b.Contestant)
	})
	return append(run, each...)
}

// Worst is the worst state of a contestant's findings, those of the whole run included.
func Worst(findings []Finding, contestant string) State {
	worst := Pass
	for _, f := range findings {
		if f.Contestant == "" || f.Contestant == contestant {
			worst = max(worst, f.State)
		}
	}
	return worst
}

func whole(f func(*Evidence) (State, string)) func(*Evidence) []Finding {
	return func(e *Evidence) []Finding {
		s, text := f(e)
		return []Finding{{State: s, Text: text}}
	}
}

// perContestant makes the check on the valid trials of each contestant that has some.
func perContestant(f func(*Evidence, string, []result.Trial) (State, string)) func(*Evidence) []Finding {
	return func(e *Evidence) []Finding {
		var out []Finding
		for _, name := range e.Run.Plan.Contestants {
			var own []result.Trial
			for i := range e.Valid {
				if e.Valid[i].Contestant == name {
					own = append(own, e.Valid[i])
				}
			}
			if len(own) == 0 && e.Run.FailureOf(name) == nil {
				continue
			}
			s, text := f(e, name, own)
			out = append(out, Finding{Contestant: name, State: s, Text: text})
		}
		return out
	}
}

// measured is perContestant for what cannot be said of one that failed before its first trial.
func measured(f func(*Evidence, string, []result.Trial) (State, string)) func(*Evidence) []Finding {
	each := perContestant(f)
	return func(e *Evidence) []Finding {
		return slices.DeleteFunc(each(e), func(f Finding) bool {
			return !slices.ContainsFunc(e.Valid, func(t result.Trial) bool { return t.Contestant == f.Contestant })
		})
	}
}

// above grades x by two limits.
func above(x, warn, fail float64) State {
	switch {
	case x > fail:
		return Fail
	case x > warn:
		return Warn
	}
	return Pass
}

func percent(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

func generatorShare(e *Evidence, name string, own []result.Trial) (State, string) {
	var used, beside, had float64
	for i := range own {
		if cpu := own[i].Generator.CPUNS; cpu != nil {
			used += float64(max(*cpu-own[i].Load.SpunNS, 0))
			cpus := own[i].Causes.GeneratorCPUs
			if c := own[i].Companion; c != nil && c.CPUNS != nil {
				beside += float64(*c.CPUNS)
			} else if loops := own[i].Load.Workers; loops > 0 {
				cpus = min(cpus, loops) // more than one CPU a loop cannot use
			}
			had += float64(own[i].ClocksWall()) * float64(cpus)
		}
	}
	x := share(used+beside, had)
	state := above(x, 0.80, 0.95)
	if state == Fail && e.Analysis.Shares[name] < ceilingWarn {
		state = Warn
	}
	if beside > 0 {
		return state, fmt.Sprintf("the generator used %s of its CPUs, the companion there %s", percent(share(used, had)), percent(share(beside, had)))
	}
	return state, fmt.Sprintf("the generator used %s of its CPUs", percent(x))
}

// ceilingWarn is V02's limit for a warning, a share of the ceiling; analysis.CeilingLimit is the one for a lower bound.
const ceilingWarn = 0.6

func ceiling(e *Evidence, name string, own []result.Trial) (State, string) {
	if len(own) > 0 && !slices.ContainsFunc(own, func(t result.Trial) bool { return !e.Run.Plan.LevelOf(&t).Open() }) {
		return Pass, "its load is an open loop, which asks for a rate and not for all that can be had"
	}
	x, known := e.Analysis.Shares[name]
	if !known {
		return Warn, "the generator's ceiling is not known: " + noCeiling(e, own)
	}
	text := fmt.Sprintf("%s of the ceiling of this generator for this shape of load", percent(x))
	if p := &e.Run.Plan; p.Companion != "" && p.Ceiling == p.Companion {
		text = fmt.Sprintf("%s of what generator and companion can do together", percent(x))
	}
	state := above(x, ceilingWarn, analysis.CeilingLimit)
	if state == Fail {
		text += ": a lower bound"
	}
	return state, text
}

// noCeiling says why the share of the ceiling is not known.
func noCeiling(e *Evidence, own []result.Trial) string {
	p := &e.Run.Plan
	at := p.Level
	if len(own) > 0 {
		at = p.LevelOf(&own[0])
	}
	switch {
	case len(p.Controls) == 0:
		return "no yardstick rode along, by which it is found"
	case at.DelayNS > 0:
		return "handlers wait before they answer, and the null server does not"
	case p.Ceiling == "" || p.Ceiling != p.Companion && at.Scenario != "" && !slices.Contains(p.CeilingScenarios, at.Scenario):
		return "no null server ran in the pilots, for it had no answer to this scenario"
	case e.Run.FailureOf(p.Ceiling) != nil:
		return "the server that shows it failed in the pilots"
	}
	return "no valid trial of the server that shows it stands in the pilots"
}

func foreignServer(e *Evidence) (State, string) {
	x := sharesOf(e.watched()).server
	return above(x, foreignWarn, foreignVoid), fmt.Sprintf("others used %s of the server's CPUs", percent(x))
}

func foreignGenerator(e *Evidence) (State, string) {
	s := sharesOf(e.watched())
	return above(s.generator, foreignWarn, foreignVoid),
		fmt.Sprintf("others used %s of the generator's CPUs; its event loops waited for a CPU %s of the time", percent(s.generator), percent(s.queue))
}

func steal(e *Evidence) (State, string) {
	x := sharesOf(e.watched()).steal
	return above(x, stealWarn, stealVoid), fmt.Sprintf("the hypervisor withheld %s", percent(x))
}

func voidRounds(e *Evidence) (State, string) {
	x := share(float64(e.Void), float64(e.All))
	text := fmt.Sprintf("%s of the trials lie in void rounds", percent(x))
	state := above(x, 0.20, analysis.VoidLimit)
	if state == Fail {
		text += ": this machine is too busy to rank throughput"
	}
	return state, text
}

func contract(e *Evidence, name string, own []result.Trial) (State, string) {
	var broken, all int64
	for _, t := range e.Run.Trials {
		if t.Contestant == name {
			broken += t.Load.Failed
			all += t.Load.Succeeded + t.Load.Failed
		}
	}
	if f := e.Run.FailureOf(name); f != nil && f.Stage == "verify" {
		return Fail, f.Reason
	}
	if broken > 0 {
		return Fail, fmt.Sprintf("%d of %d responses broke the contract", broken, all)
	}
	return Pass, fmt.Sprintf("all of %d responses", all)
}

func errors(e *Evidence, name string, own []result.Trial) (State, string) {
	var errored int64
	short := 0
	for _, t := range e.Run.Trials {
		if t.Contestant == name {
			errored += t.Load.Errored() + t.Load.InFlight
			if t.Load.Established < t.Load.Connections {
				short++
			}
		}
	}
	if errored > 0 || short > 0 {
		return Fail, fmt.Sprintf("%d requests without an answer; %d trials with fewer connections than asked", errored, short)
	}
	return Pass, "none; all connections established in every trial"
}

func busy(e *Evidence, name string, own []result.Trial) (State, string) {
	var used, had float64
	closed := false
	for i := range own {
		if e.Run.Plan.LevelOf(&own[i]).Open() {
			continue
		}
		closed = true
		if cpu := own[i].Server.CPUNS; cpu != nil {
			used += float64(*cpu)
			had += float64(own[i].ClocksWall()) * float64(own[i].Causes.ServerCPUs)
		}
	}
	if len(own) > 0 && !closed {
		return Pass, "its load is an open loop, in which it need not be busy"
	}
	x := share(used, had)
	text := fmt.Sprintf("it used %s of its CPUs", percent(x))
	if e.Run.Plan.Level.DelayNS > 0 {
		return Pass, text + "; its handler waits, so it need not be busy"
	}
	switch {
	case x < 0.85:
		return Fail, text + ": something else limits it"
	case x < 0.95:
		return Warn, text
	}
	return Pass, text
}

func warmup(e *Evidence, name string, own []result.Trial) (State, string) {
	if e.Run.Plan.Fresh {
		return Pass, "none, as planned: its figures are of the first loads of fresh processes"
	}
	s := analysis.StartsOf(e.Run, name)
	lost, slow := s.Classes[result.NotSteady], s.Classes[result.Slowdown]
	switch {
	case 2*lost > s.N:
		return Fail, fmt.Sprintf("no steady state in %d of %d starts: its figures are of whatever state it was in", lost, s.N)
	case 4*lost > s.N, 2*(lost+slow) > s.N:
		return Warn, fmt.Sprintf("of %d starts, %d found no steady state, and %d slowed down while warmed up", s.N, lost, slow)
	}
	return Pass, fmt.Sprintf("steady in %d of %d starts", s.N-lost, s.N)
}

func canary(e *Evidence) (State, string) {
	c := e.Analysis.Canary
	if c == nil {
		return Warn, "no blinded copy of the yardstick ran along"
	}
	text := fmt.Sprintf("%s against %s: %.3f (%.3f–%.3f), %s", c.A, c.B, c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi, c.Verdict)
	switch c.Verdict {
	case analysis.Different:
		if math.Abs(math.Log(c.Ratio.Value)) > math.Log1p(e.Analysis.Margin) {
			return Fail, text + ": two identical servers came out different, so no verdict of this run can be believed"
		}
		return Warn, text
	case analysis.Negligible:
		return Warn, text
	case analysis.Undecided:
		return CannotTell, text
	}
	return Pass, text
}

func quota(e *Evidence) (State, string) {
	var throttled int64
	for i := range e.Valid {
		throttled += e.Valid[i].Causes.ThrottledNS
	}
	switch {
	case throttled > 0:
		return Fail, fmt.Sprintf("the CPU quota throttled for %d ms", throttled/1e6)
	case e.Run.Host.Quota != "":
		return Warn, "a CPU quota is set: " + e.Run.Host.Quota
	}
	return Pass, "none set"
}

func memory(e *Evidence, name string, own []result.Trial) (State, string) {
	missing := 0
	for i := range own {
		if own[i].Server.PSSBytes == nil {
			missing++
		}
	}
	switch {
	case len(own) > 0 && missing == len(own):
		return Fail, "PSS could not be read: memory is absent"
	case missing > 0:
		return Warn, fmt.Sprintf("PSS could not be read in %d of %d trials", missing, len(own))
	}
	return Pass, "PSS read after every trial"
}

func provenance(e *Evidence) (State, string) {
	if e.Run.Damage != nil {
		return Fail, "the record is damaged: " + e.Run.Damage.Error()
	}
	for _, c := range e.Run.Contestants {
		if !c.Control && e.Run.FailureOf(c.Name) == nil && (c.Version == "" || c.BinaryHash == "") {
			return Fail, "the version or the hash of " + c.Name + " is missing"
		}
	}
	return Pass, "seed, order, raw trials, versions and hashes are in " + result.TrialsFile
}
