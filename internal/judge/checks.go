package judge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/record"
)

// Evidence is the input for the checks.
type Evidence struct {
	Run       *record.Run
	Valid     []*record.Trial // trials that count
	Discarded int             // number of discarded trials
	All       int             // trials after the pilots
	Analysis  *Analysis
	At        *record.Level // the level to check; nil: the plan's first
	// Kind is the kind of run or, if At is set, of level.
	Kind Kinds
	// Levels splits Valid by level, if there are several; residuals are computed within a level.
	Levels [][]*record.Trial

	left []Residual
	own  []*record.Trial // perContestant's buffer, reused for each contestant and check
}

// watched returns the trials whose causes are judged: the valid ones or, if the machine was so busy
// that none is valid, all trials after the pilots, or all trials if there are only pilots.
func (e *Evidence) watched() []*record.Trial {
	if len(e.Valid) > 0 {
		return e.Valid
	}
	counts := func(t *record.Trial) bool { return t.Epoch >= e.Run.Plan.Pilots }
	return e.Run.Trials[max(0, slices.IndexFunc(e.Run.Trials, counts)):]
}

// level returns the level to check.
func (e *Evidence) level() record.Level {
	if e.At != nil {
		return *e.At
	}
	return e.Run.Plan.First()
}

// applies reports whether a check is made over this evidence: of the run, or of one level.
func (e *Evidence) applies(c *Check) bool {
	return c.In&e.Kind != 0 && (e.Kind != Levels || c.Each == (e.At != nil))
}

// Make runs the checks that apply. Findings on the whole run come first, then those by
// contestant, each in order of check ids.
func Make(e *Evidence) []Finding {
	var run, each []Finding
	for i := range table {
		c := &table[i]
		if !e.applies(c) {
			continue
		}
		for _, f := range c.find(c, e) {
			f.ID, f.Title = c.ID, c.Title
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

// whole makes a check function with one finding for the whole run.
func whole(f func(*Check, *Evidence) (State, string)) func(*Check, *Evidence) []Finding {
	return func(c *Check, e *Evidence) []Finding {
		s, text := f(c, e)
		return []Finding{{State: s, Text: text}}
	}
}

// ofContestant checks one contestant. own holds its valid trials; the function must not keep it.
type ofContestant func(c *Check, e *Evidence, name string, own []*record.Trial) (State, string)

// perContestant makes a check function with a finding for each contestant that has valid trials or
// failed.
func perContestant(f ofContestant) func(*Check, *Evidence) []Finding {
	return func(c *Check, e *Evidence) []Finding {
		var out []Finding
		for _, name := range e.Run.Plan.Contestants {
			own := e.own[:0]
			for i := range e.Valid {
				if e.Valid[i].Contestant == name {
					own = append(own, e.Valid[i])
				}
			}
			e.own = own
			if len(own) == 0 && e.Run.FailureOf(name) == nil {
				continue
			}
			s, text := f(c, e, name, own)
			out = append(out, Finding{Contestant: name, State: s, Text: text})
		}
		return out
	}
}

// measured does the same as perContestant, but leaves out contestants without valid trials.
func measured(f ofContestant) func(*Check, *Evidence) []Finding {
	each := perContestant(f)
	return func(c *Check, e *Evidence) []Finding {
		return slices.DeleteFunc(each(c, e), func(f Finding) bool {
			return !slices.ContainsFunc(e.Valid, func(t *record.Trial) bool { return t.Contestant == f.Contestant })
		})
	}
}

// Grade returns the state for a figure for which larger is worse.
func (l Limit) Grade(x float64) State { return above(x, l.Warn, l.Fail) }

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

// Roomy is the share of their CPUs' time up to which load generator and services count as having room.
const Roomy = 0.8

// use is the CPU time that the load generator and services used in trials, and the time available to
// them. Services have CPUs of their own, or share the generator's.
type use struct {
	generator, had  float64
	beside          float64 // used by services on the generator's CPUs
	apart, apartHad float64
}

func useOf(own []*record.Trial) (u use) {
	for i := range own {
		cpu := own[i].Generator.CPUNS
		if cpu == nil {
			continue
		}
		wall, causes := float64(own[i].ClocksNS), &own[i].Causes
		u.generator += float64(max(*cpu-own[i].Load.SpunNS, 0))
		cpus, loops := causes.GeneratorCPUs, own[i].Load.Workers
		service := own[i].ServiceCPU()
		if service != nil && causes.ServiceCPUs == 0 {
			u.beside += float64(*service)
		} else if loops > 0 {
			cpus = min(cpus, loops) // more than one CPU a loop cannot use
		}
		u.had += wall * float64(cpus)
		if service != nil && causes.ServiceCPUs > 0 {
			u.apart += float64(*service)
			u.apartHad += wall * float64(causes.ServiceCPUs)
		}
	}
	return u
}

// ofGenerator returns the share that generator and services together used of the generator's CPUs. What lies above 1 is
// the reading of the services' clocks, which older records have in the generator's.
func (u *use) ofGenerator() float64 { return min(1, share(u.generator+u.beside, u.had)) }

func shareOfGenerator(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
	u := useOf(own)
	x, text := u.ofGenerator(), ""
	if name, most := busiest(own); name != "" && most > x {
		x, text = most, fmt.Sprintf("%s used %s of its CPUs", document.Clean(name), document.Percent(most))
	} else {
		text = fmt.Sprintf("the generator used %s of its CPUs", document.Percent(share(u.generator, u.had)))
	}
	if u.beside > 0 {
		text += fmt.Sprintf(", and the services there %s", document.Percent(share(u.beside, u.had)))
	}
	if e.level().AsPublished {
		return Pass, text + ", which the servers may use, too"
	}
	state := c.Limits[0].Grade(x)
	if state == Fail && e.Analysis.Shares[name] < ceilingWarn {
		state = Warn
	}
	return state, text
}

// serviceRoom checks whether a service was the limit. A run without services has no finding.
func serviceRoom(c *Check, e *Evidence) []Finding {
	if len(e.Run.Plan.Services) == 0 {
		return nil
	}
	return measured(shareOfServices)(c, e)
}

func shareOfServices(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
	u := useOf(own)
	if u.apart+u.beside == 0 {
		return CannotTell, "the CPU time of services is unknown"
	}
	what := "the services"
	if all := e.Run.Plan.Services; len(all) == 1 {
		what = document.Clean(all[0].Name)
	}
	if u.apartHad > 0 {
		x := share(u.apart, u.apartHad)
		return c.Limits[0].Grade(x), fmt.Sprintf("%s used %s of the CPUs for services", what, document.Percent(x))
	}
	x, both := share(u.beside, u.had), u.ofGenerator()
	text := fmt.Sprintf("%s used %s of the CPUs that the load generator uses, too, and both together %s", what,
		document.Percent(x), document.Percent(both))
	if u.beside < u.generator { // the generator was the limit, if any was (V01)
		return Pass, text
	}
	return c.Limits[0].Grade(both), text
}

// ceilingWarn is the ceiling's share above which the ceiling check warns. Above
// CeilingLimit it fails.
const ceilingWarn = 0.6

// ceilings checks each contestant's share of the ceiling. A run without a reference has none to find, and no finding:
// the generator's own CPU tells whether it had room (V01). Where the servers may use the generator's CPUs, the
// generator has no ceiling of its own.
func ceilings(c *Check, e *Evidence) []Finding {
	if len(e.Run.Plan.Controls) == 0 || e.level().AsPublished {
		return nil
	}
	return measured(ceiling)(c, e)
}

func ceiling(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
	if len(own) > 0 && !slices.ContainsFunc(own, func(t *record.Trial) bool { return !e.Run.Plan.LevelOf(t).Open() }) {
		return Pass, "its load is an open loop at a given rate, not at full capacity"
	}
	x, known := e.Analysis.Shares[name]
	if !known {
		return CannotTell, "the generator's ceiling is unknown: " + noCeiling(e, own)
	}
	text := fmt.Sprintf("%s of the generator's ceiling for this kind of load", document.Percent(x))
	switch p := &e.Run.Plan; {
	case p.Ceiling != "" && p.Ceiling == p.Source():
		text = fmt.Sprintf("%s of the combined ceiling of generator and service", document.Percent(x))
	case len(p.Services) > 0 && !e.Run.Host.ServiceApart():
		text += ", measured without requests to the services on its CPUs (with them: " + GeneratorShare + ")"
	}
	state := c.Limits[0].Grade(x)
	if state == Fail {
		text += ", so its throughput is a lower bound"
	}
	return state, text
}

// noCeiling says why the ceiling's share is unknown.
func noCeiling(e *Evidence, own []*record.Trial) string {
	p := &e.Run.Plan
	at, level := e.level(), 0
	if len(own) > 0 {
		at, level = p.LevelOf(own[0]), p.At(own[0])
	}
	switch {
	case at.DelayNS > 0:
		return "handlers wait before they respond, and the null server does not"
	case p.Ceiling == "":
		return "no null server ran in the pilots, because it does not serve this scenario"
	case !p.Has(record.Cell{Contestant: p.Ceiling, Level: level}):
		return "the server that determines it was not loaded with these requests in the pilots"
	case e.Run.FailureOf(p.Ceiling) != nil:
		return "the server that determines it failed in the pilots"
	}
	return "the server that determines it has no valid trial in the pilots"
}

func backgroundServer(c *Check, e *Evidence) (State, string) {
	if why := unknownBackground(e); why != "" {
		return CannotTell, why
	}
	if anyAttached(e.Run) &&
		!slices.ContainsFunc(e.watched(), func(t *record.Trial) bool { return t.Causes.ServerCPUs > 0 }) {
		return CannotTell, "the servers run on machines that dyno cannot read"
	}
	x := sharesOf(e.watched()).server
	return c.Limits[0].Grade(x), fmt.Sprintf("on average other programs used %s of "+
		"the server's CPUs", document.Percent(x)) + amongThem(e.Run)
}

// amongThem names the program that used most CPU of those seen after the pilots: it and the background CPU are read
// apart, so it may have used other CPUs, and run between the trials. It is "" if none used 2 % of the CPUs.
func amongThem(run *record.Run) string {
	used, had, first := map[string]float64{}, 0., ""
	for _, t := range run.Trials {
		if o := t.Causes.Others; o != nil && t.Epoch >= run.Plan.Pilots {
			had += float64(o.WallNS) * float64(o.CPUs)
			for _, p := range o.Programs {
				used[p.Name] += float64(p.CPUNS)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if first == "" || used[name] > used[first] {
			first = name
		}
	}
	if x := share(used[first], had); first != "" && x >= 0.02 {
		return fmt.Sprintf("; %s took %s of all CPUs", document.Clean(first), document.Percent(min(x, 1)))
	}
	return ""
}

func backgroundGenerator(c *Check, e *Evidence) (State, string) {
	if why := unknownBackground(e); why != "" {
		return CannotTell, why
	}
	s := sharesOf(e.watched())
	text := fmt.Sprintf("other programs used %s of %s's CPUs; its event loops waited for a CPU %s of the time",
		document.Percent(s.generator), document.Clean(cmp.Or(s.generatorName, "the generator")), document.Percent(s.queue))
	text += amongThem(e.Run)
	if e.Run.Host.ServiceApart() {
		text += fmt.Sprintf("; others on the services' CPUs used %s", document.Percent(s.service))
	}
	return c.Limits[0].Grade(max(s.generator, s.service)), text
}

// withheld checks the CPU time that the hypervisor withheld, and that a CPU quota withheld in valid
// trials.
func withheld(c *Check, e *Evidence) (State, string) {
	s := sharesOf(e.watched())
	var throttled int64
	for i := range e.Valid {
		throttled += e.Valid[i].Causes.ThrottledNS
	}
	state, text := c.Limits[0].Grade(s.steal), fmt.Sprintf("the hypervisor withheld %s", document.Percent(s.steal))
	if s.stealName != "" {
		text += " of " + document.Clean(s.stealName) + "'s CPU time"
	}
	if throttled > 0 {
		state = max(state, c.Limits[1].Grade(float64(throttled)))
		text += fmt.Sprintf("; the CPU quota throttled for %d ms", throttled/1e6)
	}
	return state, text
}

func discardedRounds(c *Check, e *Evidence) (State, string) {
	x := share(float64(e.Discarded), float64(e.All))
	text := fmt.Sprintf("%s of the trials are discarded", document.Percent(x))
	if e.All > 0 && e.Discarded == e.All {
		return Fail, text
	}
	return c.Limits[0].Grade(x), text
}

func contract(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
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
	text := fmt.Sprintf("all %d responses kept the contract", all)
	if checked := e.Run.Checked(); checked != "" {
		text += ": " + checked
	}
	return Pass, text
}

func unanswered(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
	var errored, all int64
	short, open := 0, true
	for _, t := range slices.Concat(e.Run.Trials, e.Run.Long, e.Run.Rated) {
		if t.Contestant != name {
			continue
		}
		lost := t.Load.Errored() + t.Load.InFlight
		errored, all, open = errored+lost, all+t.Load.Started, open && (lost == 0 || t.Load.Pace != nil)
		if t.Load.Established < t.Load.Connections {
			short++
		}
	}
	if text := fmt.Sprintf("%s without a response; %s with fewer connections than planned",
		document.Count(errored, "request"), document.Count(short, "trial")); short > 0 || errored > 0 && !open ||
		float64(errored) > c.Limits[0].Fail*float64(all) {
		return Fail, text
	} else if errored > 0 {
		return Warn, text
	}
	return Pass, "no errors; all connections established in every trial"
}

func busy(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
	var used, server, wall, had float64
	closed, who, all := false, "it", 0
	for i := range own {
		if e.Run.Plan.LevelOf(own[i]).Open() {
			continue
		}
		closed, all = true, own[i].Causes.ServerCPUs
		if cpu := own[i].Server.CPUNS; cpu != nil {
			used, server, wall = used+float64(*cpu), server+float64(*cpu), wall+float64(own[i].ClocksNS)
			if used += besideServer(own[i]); own[i].Causes.SharedCPUs > 0 {
				who = "it and the load generator"
			}
			had += float64(own[i].ClocksNS) * leftToServer(&own[i].Causes)
		}
	}
	if len(own) > 0 && !closed {
		return Pass, "its load is an open loop, which need not keep it busy"
	}
	if had == 0 && attached(e.Run, name) {
		return CannotTell, unread(e.Run, name)
	}
	if s := sharesOf(own); s.generator > backgroundLimit {
		return CannotTell, fmt.Sprintf("other programs used %s of the generator's CPUs, so its load may have been too "+
			"small to keep the server busy", document.Percent(s.generator))
	}
	x := min(share(used, had), 1) // the others were read over a little more than the load
	text := fmt.Sprintf("%s used %s of the CPU time that other programs left on its CPUs", who, document.Percent(x))
	if e.level().DelayNS > 0 {
		return Pass, text + "; its handler waits, so it need not use all of them"
	}
	state, cpus := c.Limits[0].Grade(1-x), share(server, wall)
	switch {
	case state != Pass && all > 1 && math.Abs(cpus-1) <= 0.1:
		return CannotTell, fmt.Sprintf("it used %.2f of its %d CPUs: all that one thread can use, or something else limits it",
			cpus, all)
	case state == Fail:
		text += "; something else limits its throughput"
	}
	return state, text
}

// leftToServer returns the number of CPUs that other programs left to the server, on average over a
// trial.
func leftToServer(c *record.Causes) float64 {
	if c.BackgroundUnknown {
		return float64(c.ServerCPUs)
	}
	return float64(c.ServerCPUs) - share(float64(c.BackgroundServerNS), float64(c.WallNS))
}

func warmup(c *Check, e *Evidence, name string, own []*record.Trial) (State, string) {
	if e.Run.Plan.Fresh() {
		return Pass, "no warm-up, as planned: the first loads of fresh processes are measured"
	}
	s := StartsOf(e.Run, name)
	lost, slow := s.Classes[record.NotSteady], s.Classes[record.Slowdown]
	switch state := c.Limits[0].Grade(share(float64(lost), float64(s.N))); {
	case state == Fail:
		return Fail,
			fmt.Sprintf("no steady state after %d of %d starts: its figures may mix several states", lost, s.N)
	case state == Warn, 2*(lost+slow) > s.N:
		return Warn, fmt.Sprintf("of %d starts, %d reached no steady state, and %d slowed down during the warm-up",
			s.N, lost, slow)
	}
	return Pass, fmt.Sprintf("steady after %d of %d starts", s.N-lost, s.N)
}

// twins checks whether the reference and its copy came out equal. A run without a copy has no finding.
func twins(_ *Check, e *Evidence) []Finding {
	c := e.Analysis.AACheck
	switch {
	case len(e.Run.Plan.Controls) < 2:
		return nil
	case c != nil && c.Note != "" && c.Ratio.N == 0:
		return []Finding{{State: CannotTell, Text: c.Note}}
	case c == nil || c.Ratio.Value == 0:
		return []Finding{{State: CannotTell, Text: "the reference and its copy have too few valid trials"}}
	}
	state, text := equal(c, e.Analysis.Margin)
	if state == CannotTell {
		return []Finding{e.small(max(c.Ratio.Hi, 1/c.Ratio.Lo)-1, text)}
	}
	return []Finding{{State: state, Text: text}}
}

// equal grades a comparison between two equal servers.
func equal(c *Pair, margin float64) (State, string) {
	text := fmt.Sprintf("%s against %s: %.3f (%.3f–%.3f), %s",
		c.A, c.B, c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi, c.Verdict)
	switch c.Verdict {
	case Different:
		if math.Abs(math.Log(c.Ratio.Value)) > math.Log1p(margin) {
			return Fail, text + ": two identical servers were found different, so no verdict of this run is reliable"
		}
		return Warn, text
	case Negligible:
		return Warn, text
	case Inconclusive:
		return CannotTell, text
	}
	return Pass, text
}

// complete reports a damaged record, and a run in rounds that ended before its first analysis.
// Otherwise there is no finding: this check does not say whether there are enough data.
func complete(_ *Check, e *Evidence) []Finding {
	switch {
	case e.Run.Damage != nil:
		return []Finding{{State: Fail, Text: "the record is damaged: " + e.Run.Damage.Error()}}
	case e.Run.Plan.InRounds() && e.Analysis.Interim == 0:
		return []Finding{{State: CannotTell, Text: "the run has no analysis: it ended before the first"}}
	}
	return nil
}
