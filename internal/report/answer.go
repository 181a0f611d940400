package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// Answer returns the result of a run in sentences.
func Answer(d *Data) []string { return viewOf(d).sentences() }

// Answer returns the run's result in sentences.
func (v *View) Answer() []string { return v.sentences() }

// ranking says who leads and by how much, and which contestants are not separated.
func (v *View) ranking() []string {
	switch rows := v.ranked(); {
	case len(rows) == 1:
		return []string{v.only(rows[0])}
	case v.a.Interim == 0:
		return v.tooFew(rows)
	default:
		list := append(v.byCPU(rows), v.leaders(rows), v.notSeparated(rows))
		if len(rows) > 2 {
			list = append(list, v.holding(v.pairsOf(rows)))
		}
		return list
	}
}

// only returns a sentence about the only contestant.
func (v *View) only(r Row) string {
	m := v.primary()
	c := v.cell(r.Name, m.Name)
	s := ScaleOf(m.Unit, c.Level.Value)
	text := fmt.Sprintf("Only %s has a figure, so there is nothing to compare it with: %s %s (%s)", r.Title,
		document.Sig3(c.Level.Value/s.Per),
		strings.Replace(s.Name, "1/s", "per second", 1), IntervalIn(c.Level, s))
	if c.Ratio.N > 0 {
		text += fmt.Sprintf(", %s of the reference %s", Times(c.Ratio), v.reference())
	}
	return text + "."
}

// tooFew describes the progress of a run without an analysis, what to do, and who leads so far.
func (v *View) tooFew(rows []Row) []string {
	text := v.noAnalysis()
	m := v.primary()
	pair, ok := v.a.Pair(rows[0].Name, rows[1].Name, m.Name)
	if ok && pair.Ratio.N == 0 && pair.Note != "" {
		return []string{text, fmt.Sprintf("So far no ratio of %s and %s: %s.", rows[0].Title, rows[1].Title,
			document.Clean(pair.Note))}
	}
	if ok && pair.Ratio.N > 0 {
		if pair.Ratio.Value < 1 == m.More {
			pair = pair.Turned()
		}
		factor := fmt.Sprintf("about %.2f ×", pair.Ratio.Value)
		return []string{text, fmt.Sprintf("So far %s "+m.Says().Factor+" %s.", v.Title(pair.A), factor, v.Title(pair.B))}
	}
	return []string{text}
}

// noAnalysis describes the progress of a run that ended before its first analysis, and what to do.
func (v *View) noAnalysis() string {
	p := &v.run.Plan
	have := document.Count(v.a.Epochs, "epoch") + " measured"
	if v.a.Needed > v.a.Epochs {
		have = fmt.Sprintf("%d of %s measured", v.a.Epochs, document.Count(v.a.Needed, "epoch"))
	}
	text := "Not enough data to rank: " + have
	if p.Rounds > 0 {
		anew := "all servers freshly started"
		if len(p.Servers.Attached) > 0 {
			anew = "servers freshly started, except those that were already running"
		}
		text += fmt.Sprintf(" (an epoch: %s, %s of each)", anew, document.Count(p.Rounds, "short load"))
	}
	more := 2.
	if v.a.Epochs > 0 && v.a.Needed > 0 {
		more = 1.15 * max(1, float64(v.a.Needed)/float64(v.a.Epochs))
	}
	return text + v.runLonger(more) + "."
}

// BudgetLimited reports whether a larger budget would make a run longer.
func BudgetLimited(d *Data) bool { return strings.Contains(NewView(d).runLonger(2), "--budget") }

// runLonger returns advice to run longer, with the budget multiplied by times. It returns "" where
// that would not help: unless the budget limited the run, which ends sooner if all pairs are decided or
// all planned epochs are measured, and if the machine was so busy that no trial is valid. A run of one
// number of epochs that reached it is told to multiply that.
func (v *View) runLonger(times float64) string {
	p, end := &v.run.Plan, v.run.End
	busy, _ := judge.StateOf(v.Findings, judge.Discarded)
	if p.BudgetNS <= 0 || busy == judge.Fail || end == nil || end.Reason != "budget" && end.Reason != "last analysis" {
		return ""
	}
	if most := slices.Max(append([]int{0}, p.Epochs...)); v.a.Epochs >= most {
		if len(p.Epochs) != 1 {
			return ""
		}
		return fmt.Sprintf("; run longer: --epochs %g", math.Ceil(float64(most)*times))
	}
	minutes := math.Ceil(float64(p.BudgetNS) * times / 60e9)
	return fmt.Sprintf("; run longer: --budget %gm", minutes)
}

// leaders names who is first: one contestant, or all those that are not separated.
func (v *View) leaders(rows []Row) string {
	var first []Row
	for _, r := range rows {
		if r.Place.Lo <= 1 {
			first = append(first, r)
		}
	}
	m := v.primary()
	best := m.Says().Best
	switch {
	case len(first) == len(rows):
		return v.alike(rows)
	case len(first) == 1:
		next := rows[1]
		if next.Name == first[0].Name {
			next = rows[0]
		}
		if len(rows) == 2 {
			best = strings.Replace(best, "is fastest", "is faster", 1)
		}
		s := first[0].Title + " " + best
		if p, ok := v.a.Pair(first[0].Name, next.Name, m.Name); ok && p.Ratio.N > 0 {
			value, _ := RatioParts(p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi)
			least := ""
			if first[0].Place.LowerBound && !next.Place.LowerBound && m.AtCeiling {
				least = "at least "
			}
			here, end := v.elsewhere(p)
			s += here + ": " + least + value + " × " + next.Title + " " + end
		}
		return s + "."
	case len(first) > 4:
		return fmt.Sprintf("One of %d servers %s; which, the data does not tell.", len(first), best)
	case len(first) > 1:
		return fmt.Sprintf("%s %s: these %d are not separated.", joined(titles(first), " or "), best, len(first))
	}
	return ""
}

// there says that something holds in other sessions, and whether that rests on SDs that are only assumed, which
// the limits name.
func (v *View) there(what string) string {
	what = Led(" ", what)
	if v.assumed() != "" {
		return "in other sessions" + what + " given the assumed SDs"
	}
	return "in other sessions on this model of CPU" + what
}

// between returns the known spread between sessions.
func (v *View) between() stats.Between {
	b, _ := judge.KnownSessions().Between(judge.RelationOf(&v.run.Plan), v.run.Host.CPU)
	return b
}

// elsewhere returns the intervals of a pair that is different here, for the sentence with both verdicts: " here" or
// "" for its middle, and its end. Between different programs the second verdict is the answer; between revisions
// of one program it is the first.
func (v *View) elsewhere(p judge.Pair) (here, end string) {
	e, own := p.Elsewhere, bounds(p.Ratio)
	switch {
	case e == nil:
		return "", "(" + own + ")"
	case isDifferent(e.Verdict):
		return "", fmt.Sprintf("(here %s, %s)", own, v.there(bounds(e.Ratio)))
	case !v.run.Plan.SameProgram:
		here = " here"
	}
	return here, fmt.Sprintf("(%s); too little to hold %s", own, v.there("("+bounds(e.Ratio)+")"))
}

// bounds prints the interval of a ratio: "1.38–1.47".
func bounds(e judge.Estimate) string {
	_, interval := RatioParts(e.Value, e.Lo, e.Hi)
	return strings.Trim(interval, "()")
}

// isDifferent reports whether a verdict is a difference, however small.
func isDifferent(v judge.Verdict) bool { return v == judge.Different || v == judge.Negligible }

// holding counts the differences that hold in other sessions, too.
func (v *View) holding(pairs []judge.Pair) string {
	here, there := 0, 0
	for _, p := range pairs {
		if isDifferent(p.Verdict) && p.Elsewhere != nil {
			here++
			if isDifferent(p.Elsewhere.Verdict) {
				there++
			}
		}
	}
	switch {
	case here == 0:
		return ""
	case here == 1:
		return "The difference is " + []string{"too little", "large enough"}[there] + " to hold " + v.there("") + "."
	}
	return fmt.Sprintf("Large enough to hold %s: %d of %s.", v.there(""), there, document.Count(here, "difference"))
}

// byCPU compares CPU per request, which other programs hardly change, for pairs whose rates a busy
// machine did not separate. It leaves out pairs for which a finding excludes CPU per request.
func (v *View) byCPU(rows []Row) (sentences []string) {
	cpu, _ := judge.MetricNamed("cpu_per_request")
	quiet := judge.Summary(v.Findings)[judge.MachineQuiet]
	if v.primary().Kind&judge.Rate == 0 || quiet.State < judge.Warn {
		return nil
	}
	for _, rate := range v.pairsOf(rows) {
		p, ok := v.a.Pair(rate.A, rate.B, cpu.Name)
		excluded := slices.ContainsFunc(v.Findings, func(f judge.Finding) bool {
			return f.Excludes() && f.Concerns(cpu.Kind) && (f.Contestant == "" || f.Contestant == p.A || f.Contestant == p.B)
		})
		if !ok || excluded || rate.Verdict != judge.Inconclusive || p.Verdict != judge.Different {
			continue
		}
		if p.Ratio.Value < 1 {
			p = p.Turned()
		}
		apart := "separated"
		if rate.Ratio.N == 0 {
			apart = "compared"
		}
		sentences = append(sentences, fmt.Sprintf("%s needs %s the CPU of %s per request; their rates are not %s: %s.",
			v.Title(p.A), Times(p.Ratio), v.Title(p.B), apart, document.Clean(quiet.Findings[0].Text)))
	}
	return sentences[:min(len(sentences), 3)]
}

// alike returns a sentence about contestants none of which was shown to be better than another.
func (v *View) alike(rows []Row) string {
	all := group{rows: rows, pairs: v.pairsOf(rows)}
	who, ratio := fmt.Sprintf("All %d servers", len(rows)), ""
	if len(rows) == 2 && len(all.pairs) == 1 {
		who, ratio = And(titles(rows)), ": "+Times(all.pairs[0].Ratio)
		if p := all.pairs[0]; !all.open() && p.Elsewhere != nil && p.Elsewhere.Verdict == judge.Inconclusive {
			who = "Here " + who
			ratio += "; they may differ by more " + v.there("("+bounds(p.Elsewhere.Ratio)+")")
		}
	}
	longer := ""
	if !v.a.Decided() { // a withdrawn verdict stays so
		longer = v.runLonger(4)
	}
	switch {
	case !all.open():
		return who + " are " + v.equal() + ratio + "."
	case all.withdrawn() && len(rows) == 2:
		return fmt.Sprintf("No verdict on %s: %s.", who, document.Clean(all.pairs[0].Note))
	case all.withdrawn():
		return fmt.Sprintf("None of the %d servers is shown to be ahead of another; %s.", len(rows), v.why(all))
	case len(rows) == 2:
		return fmt.Sprintf("Not separated: %s%s; %s%s.", who, ratio, v.why(all), longer)
	}
	return fmt.Sprintf("Not enough data to rank: none of the %d servers is shown to be ahead of another; %s%s.",
		len(rows), v.why(all), longer)
}

// fewerConnections says which contestant limited the number of connections for all, and why.
func (v *View) fewerConnections() []string {
	for _, c := range v.run.Contestants {
		if f := c.Fewer; f != nil && f.Served == v.run.Plan.First().Connections {
			return []string{fmt.Sprintf("All servers were loaded over %s instead of %d, because %s %s.",
				document.Count(f.Served, "connection"), f.Asked, v.Title(c.Name), document.Clean(f.Why))}
		}
	}
	return nil
}

// failed begins a sentence about failures.
const failed = "Failed:"

// absent names the contestants without a figure, and why. One sentence names all that cannot be
// built here.
func (v *View) absent() (sentences []string) {
	var broken []string
	missing, unranked := map[string][]string{}, map[string][]string{} // by reason
	for _, r := range v.rows {
		switch {
		case r.Excluded == "":
		case r.Failure != nil && r.Failure.Unavailable():
			why := strings.TrimPrefix(r.Excluded, "unavailable: ")
			missing[brief(why)] = append(missing[brief(why)], r.Title)
		case r.Failure != nil:
			why := strings.TrimPrefix(r.Excluded, "failed ") + logSays(r.Failure)
			broken = append(broken, failed+" "+r.Title+", "+why+".")
		default:
			unranked[r.Excluded] = append(unranked[r.Excluded], r.Title)
		}
	}
	for _, list := range []struct {
		what  string
		names map[string][]string
	}{{"Not run: ", missing}, {"Not ranked: ", unranked}} {
		var parts []string
		for _, why := range slices.Sorted(maps.Keys(list.names)) {
			parts = append(parts, And(list.names[why])+" ("+why+")")
		}
		if len(parts) > 0 {
			sentences = append(sentences, list.what+strings.Join(parts, "; ")+".")
		}
	}
	return append(append(sentences, v.unserved()...), broken...)
}

// brief shortens a reason for a sentence in the answer; tables and pages show all of it.
func brief(why string) string {
	const most = 160
	r := []rune(why)
	if len(r) <= most {
		return why
	}
	short := string(r[:most])
	if i := strings.LastIndexAny(short, " "); i > 0 {
		short = short[:i]
	}
	return short + " …"
}

// unserved names the contestants that a level leaves out, because they do not serve its protocol or need
// more CPUs.
func (v *View) unserved() (sentences []string) {
	var parts, few []string
	for _, u := range v.run.Plan.Servers.Unserved {
		if u.CPUs > 0 {
			few = append(few, v.Title(u.Contestant)+" on fewer than "+document.Count(u.CPUs, "CPU"))
			continue
		}
		parts = append(parts, v.Title(u.Contestant)+" in "+u.HTTP.Words())
	}
	if len(parts) > 0 {
		sentences = append(sentences, "Not measured: "+strings.Join(parts, "; ")+": it is not among the protocols "+
			"that the contestant.toml names.")
	}
	if len(few) > 0 {
		sentences = append(sentences, "Not measured: "+strings.Join(few, "; ")+": the contestant.toml says that it "+
			"needs them.")
	}
	return sentences
}

// logSays returns the most informative line at the end of a failure's log: the last of an error
// with its message, or else the last that contains an error, or else the last. The details show the
// end of the log.
func logSays(f *record.Failure) string {
	line, best := "", 0
	for _, l := range f.LogTail {
		l = document.Clean(l)
		says := 1
		switch {
		case l == "":
			continue
		case strings.HasPrefix(l, "at "): // a stack
		case strings.Contains(l, "Error: "), strings.Contains(l, "Exception: "):
			says = 3
		case strings.Contains(strings.ToLower(l), "error"):
			says = 2
		}
		if says >= best {
			line, best = l, says
		}
	}
	return Led("; its log: ", strings.TrimSuffix(brief(line), "."))
}

// setting says on which machines, if there were several, and on which CPU the run was measured, and how long it took.
func (v *View) setting() []string {
	cpu := document.Clean(cmp.Or(strings.Join(v.cpus(), "; "), "CPU unknown"))
	return append(NonEmpty(where(&v.run.Host), cpu), v.lasted()...)
}

// lasted says how long the run took from the first start of a measured server, without builds.
func (v *View) lasted() []string {
	var began int64
	switch {
	case len(v.run.Launches) > 0:
		began = v.run.Launches[0].StartedUnixNS
	case len(v.run.Trials) > 0:
		began = v.run.Trials[0].StartedUnixNS
	}
	if v.run.End == nil || began <= 0 {
		return nil
	}
	ns := v.run.End.EndedUnixNS - began
	for _, r := range v.run.Resumes {
		ns -= r.PausedNS
	}
	if ns <= 0 {
		return nil
	}
	return []string{about(time.Duration(ns))}
}

// endedEarly says why a run did not do everything that was asked. It does not mention a used-up
// budget, because other sentences say what the budget was enough for.
func (v *View) endedEarly() []string {
	if v.run.Damage == nil && v.run.End != nil &&
		slices.Contains([]string{"done", "decided", "last analysis", "budget"}, v.run.End.Reason) {
		return nil
	}
	return []string{v.ended()}
}

// tally counts pairs by verdict, and states the confidence in the differences.
func (v *View) tally(all []judge.Pair) string {
	n := map[judge.Verdict]int{}
	for _, p := range all {
		n[p.Verdict]++
	}
	var parts []string
	for _, k := range []struct {
		verdict   judge.Verdict
		one, more string
	}{{judge.Different, "is different", "are different"}, {judge.Negligible, "differs negligibly",
		"differ negligibly"},
		{judge.Equivalent, "is " + v.equal(), "are " + v.equal()},
		{judge.Inconclusive, "is not separated", "are not separated"}} {
		switch c := n[k.verdict]; {
		case c == 1:
			parts = append(parts, "1 "+k.one)
		case c > 1:
			parts = append(parts, fmt.Sprintf("%d %s", c, k.more))
		}
	}
	s := fmt.Sprintf("Of %s %s.", document.Count(len(all), "pair"), And(parts))
	if len(all) == 1 {
		s = "The pair " + strings.TrimPrefix(parts[0], "1 ") + "."
	}
	s += Led(" ", v.holding(all))
	if a := v.run.Plan.Alpha; a > 0 && n[judge.Different]+n[judge.Negligible] > 0 {
		s += " The chance that a run like this calls any equal pair different is at most " + PerCent(a) + "."
	}
	return s
}

func titles(rows []Row) (names []string) {
	for _, r := range rows {
		names = append(names, r.Title)
	}
	return names
}

// Times prints a ratio with its interval for a sentence: "1.42 × (1.38–1.47)".
func Times(e judge.Estimate) string {
	value, interval := RatioParts(e.Value, e.Lo, e.Hi)
	return value + " × " + interval
}

// lead formats an answer for the beginning of a document. It emphasises the first sentence, and
// marks sentences that say not to trust the run.
func (v *View) lead(sentences []string) (lead []document.Prose) {
	bad := v.forbidding()
	for i, s := range sentences {
		t := document.Plain(s)
		switch {
		case slices.Contains(bad, s):
			t[0].Style = document.Bad
		case i == 0:
			t[0].Style = document.Strong
		case strings.HasPrefix(s, failed):
			t = document.Prose{{Text: failed, Style: document.Bad}, {Text: strings.TrimPrefix(s, failed)}}
		}
		lead = append(lead, t)
	}
	return lead
}

// figures reports whether any contestant has a figure.
func (v *View) figures() bool {
	if v.ranks {
		return len(v.ranked()) > 0
	}
	return v.any()
}

// nothing says that no server has a figure and, if all trials are discarded, why.
func (v *View) nothing() string {
	for _, f := range v.Findings {
		if f.ID == judge.Discarded && f.State == judge.Fail {
			return "No server has a figure: " + document.Clean(f.Text) + Led("; ", judge.ByID(f.ID).Do) + "."
		}
	}
	if v.run.End != nil && v.run.End.Reason == "budget" && len(v.run.Trials) == 0 {
		return "Nothing was measured: the budget was used up before the first load" + v.runLonger(2) + "."
	}
	return "Nothing was measured: no server has a figure."
}

// forbidding lists, by question, the checks on the whole run that forbid quoting its primary
// metric.
func (v *View) forbidding() (list []string) {
	if !v.figures() {
		return nil
	}
	for _, a := range judge.Summary(v.Findings) {
		fails := slices.DeleteFunc(slices.Clone(a.Findings), func(f judge.Finding) bool {
			return f.State != judge.Fail || f.Contestant != "" || !f.Concerns(v.primary().Kind)
		})
		if len(fails) == 0 {
			continue
		}
		worst := fails[0]
		if i := slices.IndexFunc(fails, func(f judge.Finding) bool { return f.ID == judge.Discarded }); i >= 0 {
			worst = fails[i] // what the others led to
		}
		text := document.Clean(cmp.Or(worst.Text, worst.Title))
		if n := len(fails) - 1; n > 0 {
			text += fmt.Sprintf(" (and %s)", document.Count(n, "more check"))
		}
		if c := judge.ByID(worst.ID); a.Question == judge.MachineQuiet {
			text += Led("; ", c.Do)
		}
		list = append(list, "This run must not be quoted: "+text+".")
	}
	return list
}
