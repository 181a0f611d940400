package judge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// Limits that the statistical checks share. An effect is graded by its size only if it is
// significant: p at most shown. On a machine whose speed varies by a quarter, warnings by size
// alone would be mostly noise. The drift check also warns about effects that are only likely.
//
// Note: it warns in 1.1 % of 1,000 simulated runs with equal servers, and in 98.6 % of runs with a
// server that suffers twice as much from an invisible disturbance (validation/README.md, traps);
// the others are not significant. With likely at 0.10, or with a separate family for each question,
// these are 2.4 and 99.2 %.
const (
	shown    = 0.01
	probable = 0.05

	driftOpen   = 0.05        // a trend whose interval exceeds this is inconclusive
	leastEpochs = stats.Least // the fewest epochs that allow p <= shown
)

// residuals returns the primary metric's residuals. They are computed once.
func (e *Evidence) residuals() []Residual {
	if e.left == nil {
		m, ok := MetricNamed(e.Analysis.Primary)
		if !ok {
			m = Metrics[0]
		}
		e.left = e.residualsOf(m)
	}
	return e.left
}

func (e *Evidence) residualsOf(m Metric) (all []Residual) {
	levels := e.Levels
	if levels == nil {
		levels = [][]*record.Trial{e.Valid}
	}
	for _, trials := range levels {
		all = append(all, Residuals(trials, m)...)
	}
	Follow(all, e.Run.Trials)
	slices.SortStableFunc(all, func(a, b Residual) int { return cmp.Compare(a.Epoch, b.Epoch) })
	return all
}

// small finds whether an effect that may be as large as most passes although that is above its limit:
// because each difference found in the run is far larger, in logs movingFactor times as large at least.
// An effect that does not pass cannot be told from none without more epochs. text says how large it
// may be.
func (e *Evidence) small(most float64, text string) Finding {
	if d := e.Analysis.Smallest(); movingFactor*math.Log1p(most) < d {
		return Finding{Text: fmt.Sprintf("%s; the smallest difference found is at least %.3g ×", text, math.Exp(d)),
			Relative: true}
	}
	return Finding{State: CannotTell, Text: text, Longer: true}
}

// drift checks whether a contestant changes over an epoch's rounds relative to the controls or the
// others, or depends on the machine's speed more than they do. Then its ratio depends on the time
// of measurement. Each of these two questions has a family with all contestants.
func drift(c *Check, e *Evidence) []Finding {
	var out []Finding
	speeds := SpeedRatios(e.residuals(), e.Run.Plan.Contestants)
	for _, name := range e.Run.Plan.Contestants {
		if x, ok := speeds[name]; ok {
			f := c.speed(e, x, name)
			f.Contestant = name
			out = append(out, f)
		}
	}
	add := func(name string, f Finding) {
		f.Contestant = name
		if i := slices.IndexFunc(out, func(f Finding) bool { return f.Contestant == name }); i >= 0 {
			o := &out[i]
			o.State, o.Text = max(o.State, f.State), f.Text+"; "+o.Text
			o.Longer, o.Relative = o.Longer || f.Longer, o.Relative || f.Relative
		} else {
			out = append(out, f)
		}
	}
	for _, x := range e.Analysis.Trends {
		if x.Metric == e.Analysis.Primary {
			add(x.Contestant, c.trend(e, x))
		}
	}
	for _, name := range trendless(e) {
		add(name, Finding{State: CannotTell, Text: fmt.Sprintf(
			"change over the rounds of an epoch unknown: an epoch has %d rounds, and %d valid ones are needed",
			e.Run.Plan.Rounds, TrendRounds)})
	}
	return out
}

// trendless returns the contestants that have trials and no trend although the primary metric is a
// speed: their epochs have too few rounds.
func trendless(e *Evidence) (names []string) {
	if m, ok := MetricNamed(e.Analysis.Primary); !ok || !m.Settles || e.Run.Plan.Fresh() {
		return nil
	}
	for _, name := range e.Run.Plan.Contestants {
		has := func(x Trend) bool { return x.Contestant == name && x.Metric == e.Analysis.Primary }
		if slices.ContainsFunc(e.Analysis.Trends, has) || !slices.ContainsFunc(e.Valid,
			func(t *record.Trial) bool { return t.Contestant == name }) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// speed grades how a contestant's ratio depends on the machine's speed. Below leastEpochs epochs it
// is bounded by the spread between all rounds: however they are halved, the means of the halves differ
// by at most two standard deviations.
func (c *Check) speed(e *Evidence, x Effect, name string) Finding {
	text := "ratio to the others in the slower half of the rounds against the faster half: " + signed(x.Log)
	switch {
	case x.Epochs < leastEpochs:
		within, between, _, _ := EpochComponents(e.residuals(), name)
		most := math.Expm1(2 * math.Hypot(within, between))
		return e.small(most, fmt.Sprintf("ratio to the others in one half of the rounds against the other: at most %s apart",
			document.Percent(most)))
	case x.P <= shown:
		return Finding{State: c.Limits[0].Grade(x.Share()), Text: fmt.Sprintf("%s, p = %.2g", text, x.P)}
	case x.P <= probable && x.Share() > c.Limits[0].Warn:
		return Finding{State: Warn, Text: fmt.Sprintf("%s, likely (p = %.2g)", text, x.P)}
	}
	return Finding{Text: fmt.Sprintf("%s, which may be chance (p = %.2g)", text, x.P)}
}

// trend grades a change over an epoch's rounds.
func (c *Check) trend(e *Evidence, x Trend) Finding {
	change := signed(math.Log(x.Change.Value))
	open := max(x.Change.Hi, 1/x.Change.Lo) - 1
	switch {
	case x.Moving:
		return Finding{State: above(math.Expm1(math.Abs(math.Log(x.Change.Value))), 0, c.Limits[0].Fail),
			Text: fmt.Sprintf("%s, p = %.2g: only far larger differences count", x.Words(), x.P)}
	case !(open <= driftOpen):
		return e.small(open, mayDiffer("it may change over the rounds of an epoch", open, "measured: "+change, x.P))
	}
	return Finding{Text: "change over the rounds of an epoch: " + change + pValue(x.P)}
}

// lacking says that there are too few epochs to know an effect.
func lacking(epochs, least int) string {
	return fmt.Sprintf("too few epochs, %d of the %d needed", epochs, least)
}

// mayDiffer says how large an effect may be that was not shown.
func mayDiffer(what string, most float64, measured string, p float64) string {
	return fmt.Sprintf("%s by up to %s (%s%s: perhaps chance)", what, document.Percent(most), measured, pValue(p))
}

// pValue returns a p-value after a comma; "" for 1, which also stands for one that is not known.
func pValue(p float64) string {
	if p >= 1 {
		return ""
	}
	return fmt.Sprintf(", p = %.2g", p)
}

// effect grades an effect: by size if it is significant, else by whether it is shown to be below
// the limit, or small. what says that there may be one.
func (l Limit) effect(e *Evidence, x Effect, what, measured string) []Finding {
	measured += ": " + signed(x.Log)
	switch {
	case x.Epochs < 2:
		return []Finding{{State: CannotTell, Text: lacking(x.Epochs, 2), Longer: true}}
	case x.P <= shown:
		return []Finding{{State: l.Grade(x.Share()), Text: fmt.Sprintf("%s, p = %.2g", measured, x.P)}}
	case !(x.Most() <= l.Fail):
		return []Finding{e.small(x.Most(), mayDiffer(what, x.Most(), measured, x.P))}
	}
	return []Finding{{Text: fmt.Sprintf("%s, which may be chance (p = %.2g)", measured, x.P)}}
}

func orderEffect(c *Check, e *Evidence) []Finding {
	if e.Run.Plan.Fresh() {
		return []Finding{{Text: "not measurable with one round an epoch; the order is random in each epoch"}}
	}
	return c.Limits[0].effect(e, OrderEffect(e.residuals()), "the position of a trial in its round may change results",
		"last position of a round against the first")
}

// carryOver checks whether trials depend on the contestant that was loaded before. An effect on all
// contestants alike does not matter, because a round begins with the contestant that was loaded
// last: each contestant follows each other one equally often.
func carryOver(c *Check, e *Evidence) []Finding {
	return c.carried(e, CarryOver(e.residuals()), "the contestant that was loaded before may change results",
		"trials after %s against those after others")
}

// serviceCarryOver checks whether shared services use less CPU per request after one contestant than after
// others: it may have warmed their caches. A run without shared services has no finding.
func serviceCarryOver(c *Check, e *Evidence) []Finding {
	if !slices.ContainsFunc(e.Run.Plan.Services, func(s record.Service) bool { return !s.Each }) {
		return nil
	}
	m, _ := MetricNamed("service_cpu")
	rs := e.residualsOf(m)
	if len(rs) == 0 {
		return []Finding{{State: CannotTell, Text: "the services' CPU per request is unknown"}}
	}
	return c.carried(e, CarryOver(rs), "the contestant that was loaded before may change the services' CPU per request",
		"the services' CPU per request after %s against after others")
}

// carried judges effects of the contestants loaded before.
func (c *Check) carried(e *Evidence, effects map[string]Effect, what, measured string) []Finding {
	if len(effects) == 0 && e.Analysis.Epochs >= 2 {
		return []Finding{{State: CannotTell, Text: "not measurable: each contestant was always loaded after the same one"}}
	}
	clearest, widest := Effect{Epochs: e.Analysis.Epochs}, Effect{}
	first, open := "", ""
	for _, name := range slices.Sorted(maps.Keys(effects)) {
		x := effects[name]
		if first == "" || x.P < clearest.P || x.P == clearest.P && x.Share() > clearest.Share() {
			first, clearest = name, x
		}
		if open == "" || x.Most() > widest.Most() {
			open, widest = name, x
		}
	}
	if clearest.P > shown {
		first, clearest = open, widest
	}
	return c.Limits[0].effect(e, clearest, what, fmt.Sprintf(measured, first))
}

// freshStarts checks whether a contestant's fresh starts differ. If they do, many epochs are better
// than long ones. The contestants are one family.
func freshStarts(c *Check, e *Evidence) []Finding {
	var out []Finding
	var betweens, mosts, ps []float64
	for _, name := range e.Run.Plan.Contestants {
		within, between, most, p := EpochComponents(e.residuals(), name)
		if attached(e.Run, name) { // which is never started anew
			continue
		}
		if !math.IsNaN(p) {
			out = append(out, Finding{Contestant: name,
				Text: fmt.Sprintf("%s between epochs, %s between trials", document.Percent(between),
					document.Percent(within))})
			betweens, mosts, ps = append(betweens, between), append(mosts, most), append(ps, p)
		}
	}
	for i, p := range ps {
		f := &out[i]
		p = min(1, p*float64(len(ps)))
		switch {
		case p <= shown && betweens[i] > c.Limits[0].Warn:
			f.State = Warn
			f.Text += ": fresh starts differ"
		case p <= shown:
		case mosts[i] > c.Limits[0].Warn:
			name := f.Contestant
			*f = e.small(mosts[i], mayDiffer("fresh starts may differ", mosts[i], f.Text, p))
			f.Contestant = name
		default:
			f.Text += ", which may be chance"
		}
	}
	return out
}

// deferred checks whether contestants use CPU while they are not loaded, in two ways: after an epoch's last trial,
// without connections, beyond what closing them may cost; and from a trial's thaw to its freeze but outside the window,
// beyond the cost of the re-warm's requests at the window's rate and the most that connections may cost (a closed
// loop's connections on one CPU leave no room for more). Records without these readings have no such finding.
func deferred(c *Check, e *Evidence) []Finding {
	return slices.DeleteFunc(measured(func(c *Check, e *Evidence, _ string, own []*record.Trial) (State, string) {
		return c.putOff(e.Run, own)
	})(c, e), func(f Finding) bool { return f.Text == "" })
}

// putOff grades the CPU that a contestant uses while it is not loaded, in its own trials.
func (c *Check) putOff(run *record.Run, own []*record.Trial) (State, string) {
	// Largest CPU time, in ns, for accepting and closing a connection, for the same with TLS, and
	// for closing one.
	const connection, handshake, closing = 0.2e6, 2e6, 0.1e6
	var idle, time, outside, within float64
	for _, t := range own {
		if t.UnloadedCPUNS != nil {
			closes := closing * float64(t.Load.Connections)
			idle += max(0, float64(*t.UnloadedCPUNS)-closes)
			time += max(float64(t.UnloadedNS)/4, float64(t.UnloadedNS)-closes)
		}
		if cpu := t.Server.CPUNS; cpu != nil && t.OutsideCPUNS != nil && t.Load.Succeeded > 0 {
			each := connection
			if run.Plan.LevelOf(t).HTTP.TLS() {
				each = handshake
			}
			within += float64(*cpu)
			outside += max(0, float64(*t.OutsideCPUNS)-each*float64(t.Load.Connections)-
				float64(t.RewarmRequests)*float64(*cpu)/float64(t.Load.Succeeded))
		}
	}
	if time == 0 || within == 0 {
		return Pass, ""
	}
	unloaded, beyond := idle/time, outside/within
	return max(c.Limits[0].Grade(unloaded), c.Limits[1].Grade(beyond)),
		fmt.Sprintf("without load, less the time that closing connections may take, it used a CPU for %s of the time; around "+
			"its loads, beyond the cost of answers and connections, it used %s of the CPU time that it used in them",
			document.Percent(unloaded), document.Percent(beyond))
}

// deferring returns the contestants that the check of CPU without load fails, and why.
func deferring(run *record.Run, trials []*record.Trial) map[string]string {
	own, out := map[string][]*record.Trial{}, map[string]string{}
	for _, t := range trials {
		own[t.Contestant] = append(own[t.Contestant], t)
	}
	for name, of := range own {
		if state, text := ByID(Deferred).putOff(run, of); state == Fail {
			out[name] = name + " may have put off work: " + text
		}
	}
	return out
}

// judgeDeferring withdraws verdicts on contestants whose figures leave out work, unless they are behind.
func judgeDeferring(pairs []Pair, m Metric, deferring map[string]string) {
	for i := range pairs {
		p := &pairs[i]
		for name, other := range map[string]string{p.A: p.B, p.B: p.A} {
			if why := deferring[name]; why != "" && p.Better != other && p.Verdict != Inconclusive && m.Kind&bothClocks != 0 {
				p.Verdict, p.Better, p.BetterAt, p.Note = Inconclusive, "", 0, why
			}
		}
	}
}

// dependence checks whether an epoch resembles the one before. Intervals allow for it, by an
// estimate that is rough if epochs are few, and not at an early analysis.
func dependence(c *Check, e *Evidence) []Finding {
	s := e.Analysis.Serial
	if e.Analysis.Epochs < leastEpochs || s == nil {
		f := Finding{State: CannotTell, Text: lacking(e.Analysis.Epochs, leastEpochs), Longer: true}
		if e.Analysis.Epochs >= leastEpochs {
			f.Text = fmt.Sprintf("no pair was judged by %d epochs or more", leastEpochs)
		}
		if n := e.Analysis.asOne(); n > 0 {
			f = Finding{Text: fmt.Sprintf("unknown after %d epochs, but each difference found also holds with the interval "+
				"%.1f × as wide, as if these were one epoch", n, math.Sqrt(float64(n))), Relative: true}
		}
		return []Finding{f}
	}
	text := fmt.Sprintf("correlation of an epoch with the one before: %.2f", s.R)
	if s.Shown {
		return []Finding{{State: Warn, Text: fmt.Sprintf("%s, more than by chance; intervals are therefore %.1f × as "+
			"wide", text, s.Spread())}}
	}
	return []Finding{{Text: text + ", which may be chance"}}
}

// asOne returns the largest number of epochs of a difference, if each difference would hold if its
// epochs were one: however they depend on each other, a mean of n varies by no more than √n times as
// much as if they did not. It returns 0 if one would not hold, or if there are none.
func (a *Analysis) asOne() (epochs int) {
	if a.Smallest() == 0 {
		return 0
	}
	for _, p := range a.Pairs {
		if p.Metric != a.Primary || p.Verdict != Different {
			continue
		}
		if p.Ratio.Value < 1 {
			p = p.Turned()
		}
		log := math.Log(p.Ratio.Value) // the far end of the interval is as far as Crit·SE
		if (math.Log(p.Ratio.Hi)-log)*math.Sqrt(float64(p.Ratio.N)) >= log {
			return 0
		}
		epochs = max(epochs, p.Ratio.N)
	}
	return epochs
}

// signed formats a difference on the log scale as a percentage with its sign.
func signed(log float64) string { return fmt.Sprintf("%+.2g %%", 100*math.Expm1(log)) }
