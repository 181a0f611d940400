package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// closing returns the end of an answer in a terminal: how far to trust the answer, what the caller
// adds, where to find the rest, and how to repeat the run.
func (v *View) closing() document.Section {
	s := document.Section{ID: "closing", On: document.OffPage}
	list := document.List{Items: append(v.trust(), v.Added.Closing...)}
	copied := func(label, text string) {
		if text != "" {
			list.Items = append(list.Items, document.Item{Label: label, Code: document.Command(text)})
		}
	}
	copied("Report", v.Page)
	if v.Folder != "" && !v.Verbose {
		copied("Figures", "dyno report "+v.Folder+" --verbose")
	}
	copied("Again", v.again())
	if lacks := lacksSecrets(v.again()); lacks != "" {
		list.Items = append(list.Items, document.Item{Text: document.Plain(lacks)})
	}
	if len(list.Items) > 0 {
		s.Blocks = []document.Block{list}
	}
	return s
}

// lacksSecrets says that a command has to be completed before it repeats a run; "" if it has not.
func lacksSecrets(command string) string {
	if !strings.Contains(command, "***") { // foreign.Hidden
		return ""
	}
	return "write your secrets where *** stands: dyno does not record them"
}

// again returns the command that repeats the run, with its seed.
func (v *View) again() string {
	c := v.run.Plan.Origin.Command
	if c != "" && v.run.Plan.Seed != 0 && !strings.Contains(c, "--seed") {
		c += fmt.Sprintf(" --seed %d", v.run.Plan.Seed)
	}
	return c
}

// answered holds the texts for the six questions: if all is well, and if the answer is unknown.
var answered = map[judge.Question]struct{ fine, unknown string }{
	judge.MachineQuiet:  {"machine quiet enough", "if the machine was quiet"},
	judge.GeneratorFree: {"load generator had room", "if the load generator had room"},
	judge.AnswersRight:  {"answers right", "if answers were right"},
	judge.WarmedUp:      {"servers warmed up", "if all warmed up"},
	judge.TwinsEqual:    {"two copies of one server came out equal", "if two copies of one server come out equal"},
	judge.EnoughData:    {"enough data", "if the data are enough"},
}

// enough limits a yes that only the size of the differences allows; "" for any other.
func (v *View) enough(a judge.Answer) string {
	if a.State != judge.Pass || !slices.ContainsFunc(a.Findings, func(f judge.Finding) bool { return f.Relative }) {
		return ""
	}
	return " for so large a difference"
}

// fine returns a question's text if all is well. It says which parts of the responses were checked,
// how much CPU time other programs used, and whether only the size of the differences allows a yes.
func (v *View) fine(a judge.Answer) string {
	text := answered[a.Question].fine
	i := slices.IndexFunc(v.Findings, func(f judge.Finding) bool { return f.ID == judge.ServerCPUs })
	switch checked := v.compared(); {
	case a.Question == judge.MachineQuiet && i >= 0:
		text += " (" + v.Findings[i].Text + ")"
	case a.Question == judge.AnswersRight && checked == record.StatusAlone:
		text = "of the answers, status alone was checked"
	case a.Question == judge.AnswersRight:
		text += " (" + checked + ")"
	}
	only := v.enough(a)
	if only != "" && a.Question != judge.EnoughData {
		text += " enough"
	}
	return text + only
}

// compared says which parts of the responses were checked.
func (v *View) compared() string { return cmp.Or(v.run.Checked(), "what was compared is not recorded") }

// trust answers the six questions. It lists first those without trouble, together, then each
// trouble with a remedy, then the unknown answers, and last the limits of the whole run. It returns
// none if there are no trials.
func (v *View) trust() []document.Item {
	var fine []string
	var more, unknown []document.Item
	for _, a := range judge.Summary(v.Findings) {
		switch words := answered[a.Question]; {
		case len(a.Findings) == 0, a.State == judge.Pass && v.Valid == 0: // nothing that counts was asked about
		case a.State == judge.Pass:
			fine = append(fine, v.fine(a))
		case a.State == judge.CannotTell:
			why, n := v.unknown(a)
			text := "cannot tell " + words.unknown + ": " + why + further(n)
			if slices.ContainsFunc(a.Findings, func(f judge.Finding) bool { return f.Longer }) {
				text += v.runLonger(2)
			}
			unknown = append(unknown, document.Item{Label: "?", Text: document.Plain(text)})
		default:
			more = append(more,
				document.Item{Label: "!", Style: stateStyle[a.State], Text: document.Plain(v.trouble(a))})
		}
	}
	switch state, text := v.longLoads(); state {
	case judge.Pass:
		fine = append(fine, NonEmpty(text)...)
	case judge.CannotTell:
		unknown = append(unknown, document.Item{Label: "?", Text: document.Plain(text)})
	default:
		more = append(more, document.Item{Label: "!", Style: stateStyle[state], Text: document.Plain(text)})
	}
	slices.SortStableFunc(more, func(a, b document.Item) int { return cmp.Compare(b.Style, a.Style) })
	more = append(more, unknown...)
	few, short := v.standstills()
	for _, text := range slices.Concat(v.run.CheckedAlso(), few,
		NonEmpty(v.withoutLong(), Led("no open loops, so no p99: ", v.NoRated), v.unwatched())) {
		more = append(more, document.Item{Label: "?", Text: document.Plain(document.Clean(text))})
	}
	if limits := NonEmpty(v.withoutTwins(), v.ofCPUs(), v.sharedCPUs(), short, v.assumed()); len(limits) > 0 {
		more = append(more, document.Item{Text: document.Plain(strings.Join(limits, " · "))})
	}
	switch {
	case len(fine)+len(more) == 0 || v.Valid+v.Discarded == 0:
		return nil
	case v.Valid == 0:
		fine = []string{"nothing was measured:"}
	case len(fine) == 0:
		fine = []string{"in part:"}
	}
	return append([]document.Item{{Label: "Trust", Text: document.Plain(strings.Join(fine, " · "))}}, more...)
}

// withoutTwins says that no two equal servers were compared although verdicts rely on such a
// comparison, and how to add one. It returns "" if they were compared, or if two sides are one
// process or one program.
func (v *View) withoutTwins() string {
	made, list := v.hasTwins(), v.run.Contestants
	for i := range list {
		made = made || slices.ContainsFunc(list[:i], func(c record.Contestant) bool {
			return c.SameServer(&list[i]) || !c.Control && c.BinaryHash != "" && c.BinaryHash == list[i].BinaryHash
		})
	}
	switch {
	case made || v.Valid == 0 || !v.run.Plan.InRounds():
		return ""
	case v.run.Plan.Study.Slug != "":
		return "no two equal servers were compared"
	}
	return "no two equal servers were compared; to test that here, add a second copy of one as a further side"
}

// withoutLong says that verdicts were not checked by long loads, and why; "" if they were, or if
// there are no verdicts.
func (v *View) withoutLong() string {
	if v.NoLong == "" || v.a.Interim == 0 || !v.run.Plan.InRounds() {
		return ""
	}
	return "not checked in long loads: " + document.Clean(v.NoLong)
}

// standstills names the contestants that gave no answer for a while on so few connections that they
// may not have stopped. short says which loads were too short to show a stop.
func (v *View) standstills() (few []string, short string) {
	for _, f := range v.Findings {
		switch {
		case f.ID != judge.Standstill || f.State != judge.Pass || v.Valid == 0:
		case f.Contestant == "":
			short = f.Text
		default:
			few = append(few, v.Title(f.Contestant)+": "+f.Text)
		}
	}
	return few, short
}

// unwatched names the contestants whose CPU use without load was planned but not read; "" if no
// verdict relies on it.
func (v *View) unwatched() string {
	if v.run.Plan.Load.UnloadedNS == 0 || v.Valid == 0 || !v.run.Plan.InRounds() {
		return ""
	}
	var names []string
	for _, name := range v.run.Plan.Contestants {
		found := slices.ContainsFunc(v.Findings, func(f judge.Finding) bool {
			return f.ID == judge.Deferred &&
				f.Contestant == name
		})
		if !found && slices.ContainsFunc(v.run.Trials, func(t *record.Trial) bool { return t.Contestant == name }) {
			why := "no valid reading"
			for _, l := range v.run.Launches {
				if l.Contestant == name && l.Absent["cpu"] != "" {
					why = document.Clean(l.Absent["cpu"])
				}
			}
			names = append(names, v.Title(name)+" ("+why+")")
		}
	}
	if names == nil {
		return ""
	}
	return "not checked for CPU without load: " + strings.Join(names, ", ")
}

// wideLong is the difference between ratios in long and in short loads from which a bound on it says nothing.
const wideLong = 0.2

// longLoads says how far the ratios in long loads may be from those in short ones: state is CannotTell if this may be
// far. Or it says of the first such pair that short loads mislead, a warning. text is "" if no pair's long loads count.
func (v *View) longLoads() (state judge.State, text string) {
	if len(v.a.Long) == 0 || v.Valid == 0 {
		return judge.Pass, ""
	}
	most, misled := 1., map[[2]string]bool{}
	for _, p := range v.a.Pairs {
		switch x := p.Long; {
		case x != nil && x.Words != "":
			misled[[2]string{p.A, p.B}] = true
			text = cmp.Or(text, x.Words)
		case x != nil && p.Metric == v.primary().Name:
			most = max(most, x.Ratio.Hi/x.Short, x.Short/x.Ratio.Lo)
		}
	}
	if n := len(misled) - 1; n > 0 {
		text += ", and for " + document.Count(n, "other pair")
	}
	if text != "" {
		return judge.Warn, text + ": the long ones decide"
	}
	loads := fmt.Sprintf("ratios of %s in loads of %.0f s", document.Count(len(v.a.Long)/2, "server"),
		float64(v.a.Long[0].Load.WindowNS)/1e9)
	if most-1 > wideLong {
		return judge.CannotTell, "cannot tell if short loads mislead: " + loads + " may differ by up to " +
			PerCent(most-1) + " from those in short ones"
	}
	return judge.Pass, loads + " are within " + PerCent(most-1) + " of those in short ones"
}

// trouble describes a question's worst finding, its consequence, and a remedy. Among equally bad
// findings it prefers one that concerns the primary metric.
func (v *View) trouble(a judge.Answer) string {
	worst := a.Findings[0]
	for _, f := range a.Troubles() {
		if f.State == worst.State && f.Concerns(v.primary().Kind) {
			worst = f
			break
		}
	}
	c := judge.ByID(worst.ID)
	var names []string
	for _, f := range a.Troubles() {
		if f.ID == worst.ID && f.Contestant != "" && !slices.Contains(names, f.Contestant) {
			names = append(names, f.Contestant)
		}
	}
	who := ""
	if len(names) > 0 && worst.Contestant != "" {
		who = v.Title(names[0]) + ": "
		if n := len(names) - 1; n > 0 {
			who = fmt.Sprintf("%s and %d more: ", v.Title(names[0]), n)
		}
	}
	do := c.Do
	switch {
	case c.ID == judge.Busy && v.fewerConnections() != nil:
		do = "" // a server serves no more connections
	case do == judge.LargerBudget:
		do = strings.TrimPrefix(v.runLonger(2), "; ")
	}
	if a.Question == judge.MachineQuiet {
		return document.Clean(worst.Text) + Led("; ", do)
	}
	return who + c.Means + Led("; ", do)
}

// assumed says which standard deviations the second verdicts rest on that were not measured; "" if there are none.
func (v *View) assumed() string {
	sessions, bias, state := v.givenSDs()
	return Led("SDs that are assumed, not measured: ", And(NonEmpty(Led("between sessions on this model of CPU ", sessions),
		Led("of the bias of short loads ", bias), Led("of ratios, as the machine's speed varied, ", state))))
}

// givenSDs returns the standard deviations that second verdicts rest on: between sessions, of the bias of short
// loads, and the largest that the machine's states add; "" for one that is measured or below 0.5 %, or if there are
// no such verdicts.
func (v *View) givenSDs() (sessions, bias, state string) {
	most := 0.005
	for _, p := range v.a.Pairs {
		e := p.Elsewhere
		if e != nil && e.Sessions == 0 {
			sessions = PerCent(v.between().SD)
		}
		if e != nil && e.Programs == 0 {
			bias = PerCent(v.between().Bias)
		}
		if e != nil && p.Metric == v.a.Primary && e.State >= most {
			most, state = e.State, PerCent(e.State)
		}
	}
	return sessions, bias, state
}
