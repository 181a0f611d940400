package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/result"
)

// familyLabel stands in every form of a duel whose comparisons are named.
const familyLabel = "a duel at several levels: named pairs are judged, all else has intervals"

// isFamily says whether the run names its comparisons.
func (d *Data) isFamily() bool { return d.Run != nil && len(d.Run.Plan.Family) > 0 }

// label is what the figures of a run at several levels are, in words.
func (s *sweep) label() string {
	if s.isFamily() {
		return familyLabel
	}
	return sweepLabel
}

// comparison is a named pair as every form shows it.
type comparison struct {
	analysis.Pair
	TitleA, TitleB, LevelA, LevelB string
	Missing                        string // why it has no figure
}

// comparisons are the named pairs under the primary metric, in order of the plan; none is left out.
func (s *sweep) comparisons() (list []comparison) {
	for _, f := range s.run.Plan.Family {
		c := comparison{TitleA: s.title(f.A.Contestant), TitleB: s.title(f.B.Contestant), LevelA: s.levelAt(f.A), LevelB: s.levelAt(f.B)}
		p, ok := s.a.Compared(f.A, f.B, s.primary().Name)
		if c.Pair = p; !ok || p.Ratio.N == 0 {
			c.Missing = "no round has both"
			c.A, c.B, c.AtA, c.AtB = f.A.Contestant, f.B.Contestant, f.A.Level, f.B.Level
		}
		for _, name := range []string{f.B.Contestant, f.A.Contestant} {
			if f := s.run.FailureOf(name); f != nil {
				c.Missing = s.title(name) + " " + FailureText(f)
			}
		}
		list = append(list, c)
	}
	return list
}

// levelAt is the name of a cell's level.
func (s *sweep) levelAt(c result.Cell) string {
	if c.Level >= 0 && c.Level < len(s.names) {
		return s.names[c.Level]
	}
	return fmt.Sprintf("level %d", c.Level)
}

// cellsOf are both sides in words: the level stands once where it is the same.
func (c *comparison) cellsOf() (a, b string) {
	if c.LevelA == c.LevelB && c.TitleA != c.TitleB {
		return c.TitleA + ", " + c.LevelA, c.TitleB
	}
	return c.TitleA + ", " + c.LevelA, c.TitleB + ", " + c.LevelB
}

// verdict is that of a pair in words, which of the two is the better one, and what it rests on.
func (s *sweep) verdict(c *comparison) (word, better, evidence string, kind analysis.Verdict) {
	evidence = P("p", c.P) + ", " + P("Holm", c.Adjusted)
	kind, word = c.Verdict, string(c.Verdict)
	switch {
	case c.Missing != "":
		return "not compared", "", Clean(c.Missing), analysis.Undecided
	case s.a.Look == 0:
		return "undecided", "", "before the first look", analysis.Undecided
	case c.Verdict == analysis.Tie:
		word += " within " + PerCent(s.margin())
	case c.Verdict == analysis.Negligible:
		evidence = "certain, but within " + PerCent(s.margin()) + "; " + evidence
	case c.Note != "":
		evidence += "; " + Clean(c.Note)
	}
	switch {
	case kind != analysis.Different:
	case c.Leads() > 0:
		better = "the first is better"
	case c.Leads() < 0:
		better = "the second is better"
	}
	return word, better, evidence, kind
}

// showing is what there is of a metric: of one that only open loops have, those levels, and who is loaded there.
func (s *sweep) showing(m analysis.Metric) *sweep {
	if !m.Open() {
		return s
	}
	d, v := *s.Data, *s.view
	out := &sweep{view: &v}
	v.Data, d.Levels = &d, nil
	for i, l := range s.Levels {
		if l.At.Open() {
			d.Levels, out.names = append(d.Levels, l), append(out.names, s.names[i])
		}
	}
	none := func(r row) bool {
		return r.Struck == "" && !slices.ContainsFunc(d.Levels, func(l Level) bool { return l.Loaded == nil || slices.Contains(l.Loaded, r.Name) })
	}
	v.rows, v.controls = slices.DeleteFunc(slices.Clone(v.rows), none), slices.DeleteFunc(slices.Clone(v.controls), none)
	return out
}

// familySentences are what a run with named pairs says in words.
func (s *sweep) familySentences() (list []string) {
	list = append(list, s.forbidding()...)
	var found []analysis.Pair
	missing := 0
	for _, c := range s.comparisons() {
		if c.Missing != "" {
			missing++
			continue
		}
		found = append(found, c.Pair)
	}
	switch {
	case len(found) == 0:
		list = append(list, "None of the "+count(missing, "named pair")+" has a figure.")
	case s.a.Look == 0:
		list = append(list, "There is no verdict yet: "+count(s.a.Epochs, "valid epoch")+" so far. Until the first look every pair is undecided.")
	default:
		list = append(list, s.tallyOf(found))
	}
	if missing > 0 && len(found) > 0 {
		list = append(list, count(missing, "pair")+" could not be compared.")
	}
	if s.has(func(f figure) bool { return f.bound }) {
		list = append(list, "Figures marked ≥ are lower bounds: they stand at the generator's ceiling.")
	}
	if a := s.absent(); a != "" {
		list = append(list, a)
	}
	return append(list, s.endedEarly()...)
}

// familyAnswer is the answer of a run with named pairs without what its head says already.
func (s *sweep) familyAnswer() []string {
	if !s.isFamily() {
		return nil
	}
	said := slices.Concat(s.forbidding(), s.endedEarly())
	return slices.DeleteFunc(s.familySentences(), func(l string) bool { return slices.Contains(said, l) })
}

// decisionJSON says how far the verdicts of a run are.
func (v *view) decisionJSON() object {
	return object{{"valid_epochs", v.a.Epochs}, {"look", v.a.Look}, {"alpha_per_look", number(v.a.AlphaAt)}, {"margin_ratio", number(v.margin())}, {"mde_ratio", number(v.a.MDE)}}
}

// doubts are what may be wrong with the verdicts: the yardstick against itself, further controls, and what could not be seen.
func (s *sweep) doubts() (lines []string) {
	canary, _ := s.canary()
	lines = append(lines, "A/A check: "+canary+".")
	for _, o := range s.others() {
		lines = append(lines, "Further control: "+o+".")
	}
	return append(lines, "Power: "+s.mde()+".")
}

// familyMethod are the facts of a duel, with what is otherwise at several levels.
func (s *sweep) familyMethod() []fact {
	facts := s.methodFacts()
	for i := range facts {
		switch f := &facts[i]; f.Name {
		case "Load":
			f.Name, f.Value = "Levels", orElse(s.levelList(), "none")
		case "Trial":
			if n := s.run.Plan.Requests; s.run.Plan.Fresh {
				f.Value = grouped(float64(n), 0) + " requests, the first load of processes that are started for it and not warmed up; load 2 and later go on with those of the load before"
				break
			}
			f.Value = planned(s.run.Plan.TrialNS) + " of load or more: 20 times a delay, five requests of each connection, 400 ms of an open loop, 1 s of one that is loaded once an epoch"
		case "Order":
			f.Value = fmt.Sprintf("contestants and levels of one delay at random in each round, from seed %d; what no pair names stands in the first round of some epochs only", s.run.Plan.Seed)
		case "Error allowed":
			f.Value = PerCent(s.run.Plan.Alpha) + " over all named pairs together (Holm)"
		}
	}
	return facts
}

// familyText is the table of the named pairs.
func (t *text) familyText(s *sweep) {
	list := s.comparisons()
	if len(list) == 0 {
		return
	}
	t.line(t.paint(bold, "Named pairs, "+lower(s.primary().Title)))
	a, b, verdict := column{head: "pair"}, column{head: "against"}, column{head: "verdict"}
	var values, intervals []string
	room := max(8, min(t.width/3, 36))
	for i := range list {
		c := &list[i]
		x, y := c.cellsOf()
		a.cells, b.cells = append(a.cells, shorten(x, room)), append(b.cells, shorten(y, room))
		value, interval := Missing, ""
		if c.Missing == "" {
			value, interval = ratioParts(c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi)
		}
		values, intervals = append(values, value), append(intervals, interval)
		word, _, _, _ := s.verdict(c)
		verdict.cells = append(verdict.cells, word)
	}
	for k, table := range stack([]column{a}, []column{b, pairColumn("ratio", values, intervals, false), verdict}, t.width) {
		if k > 0 {
			t.line("")
		}
		t.line(t.paint(dim, line(table, -1, nil)))
		for i := range list {
			_, _, _, kind := s.verdict(&list[i])
			t.line(line(table, i, func(col int, cell string) string {
				if table[col].head == verdict.head {
					return t.paint(verdictStyle[kind], cell)
				}
				return cell
			}))
			if k == 0 {
				_, better, evidence, _ := s.verdict(&list[i])
				t.para("  ", "", strings.Join(nonEmpty(better, evidence), "; "), "", "")
			}
		}
	}
	t.line("")
	for _, l := range s.doubts() {
		t.para("", "", l, "", "")
	}
	t.line("")
}

// familyMarkdown is the same table.
func (s *sweep) familyMarkdown(out io.Writer) {
	list := s.comparisons()
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "**Named pairs**, %s\n\n| pair | against | ratio | verdict | |\n| --- | --- | --: | --- | --- |\n", escapeMarkdown(lower(s.primary().Title)))
	for i := range list {
		c := &list[i]
		a, b := c.cellsOf()
		ratio := Missing
		if c.Missing == "" {
			ratio = Ratio(c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi)
		}
		word, better, evidence, _ := s.verdict(c)
		fmt.Fprintf(out, "| %s | %s | %s | **%s** | %s |\n", escapeMarkdown(a), escapeMarkdown(b), ratio, word, escapeMarkdown(strings.Join(nonEmpty(better, evidence), "; ")))
	}
	fmt.Fprintln(out)
	for _, l := range s.doubts() {
		fmt.Fprintf(out, "- %s\n", escapeMarkdown(l))
	}
	fmt.Fprintln(out)
}

// pagePair is a named pair in the page.
type pagePair struct {
	A, B, AtA, AtB      string
	Value, Side         string
	Verdict, Class, Why string
	Kind                analysis.Verdict
}

// familyPage are the named pairs of the page.
func (s *sweep) familyPage() (list []pagePair) {
	all := s.comparisons()
	for i := range all {
		c := &all[i]
		p := pagePair{A: c.TitleA, B: c.TitleB, AtA: c.LevelA, AtB: c.LevelB, Value: Missing}
		if c.Missing == "" {
			value, interval := ratioParts(c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi)
			p.Value, p.Side = value, strings.Trim(interval, "()")
		}
		word, better, evidence, kind := s.verdict(c)
		p.Verdict, p.Kind, p.Why = word, kind, strings.Join(nonEmpty(better, evidence), "; ")
		list = append(list, p)
	}
	return list
}

// familyFacts are the few numbers that say how far the verdicts can be trusted.
func (s *sweep) familyFacts() []fact {
	facts := s.view.facts()
	facts[0].Note = "valid, at each level that a pair names"
	return slices.Insert(facts, 0, fact{Name: "Named pairs", Value: fmt.Sprint(len(s.run.Plan.Family)), Note: "at " + count(len(s.Levels), "level")})
}

// familyPairsJSON are the pairs of all metrics, with the levels of both sides.
func (s *sweep) familyPairsJSON(pairs []analysis.Pair) []object {
	list := []object{}
	for _, p := range pairs {
		o := pairJSON(p)
		o = slices.Insert(o, 2, field{"level_a", s.levelAt(p.CellA())}, field{"level_b", s.levelAt(p.CellB())})
		if p.Better != "" {
			o.set("better", map[bool]string{true: "a", false: "b"}[p.Leads() > 0])
		}
		list = append(list, o)
	}
	return list
}

// familyJSON are the parts of run.json that a sweep has not.
func (s *sweep) familyJSON() object {
	canary := any(nil)
	if s.a.Canary != nil {
		canary = s.familyPairsJSON([]analysis.Pair{*s.a.Canary})[0]
	}
	return object{{"pairs", s.familyPairsJSON(s.a.Pairs)}, {"canary", canary}, {"other_controls", s.familyPairsJSON(s.a.Others)}}
}

// familyCSV are the rows of the pairs, below those of the cells.
func (s *sweep) familyCSV(write func([]string) error) {
	for _, p := range s.a.Pairs {
		m, _ := analysis.MetricNamed(p.Metric)
		at := s.Levels[min(p.AtA, len(s.Levels)-1)].At
		fields := append([]string{s.label(), p.A}, levelFields(s.levelAt(p.CellA()), at)...)
		fields = append(fields, p.Metric, m.Unit)
		fields = append(fields, slices.Repeat([]string{""}, 8)...)
		fields = append(fields, fmt.Sprint(p.Ratio.N), "pair", Clean(p.Note), p.B, s.levelAt(p.CellB()))
		fields = append(fields, csvNumbers(p.Ratio)...)
		write(append(fields, fmt.Sprint(p.P), fmt.Sprint(p.Adjusted), string(p.Verdict)))
	}
}

// familyHeads are the columns that only the rows of pairs fill.
var familyHeads = []string{"against", "against_level", "pair_ratio", "pair_lo", "pair_hi", "p", "p_holm", "verdict"}
