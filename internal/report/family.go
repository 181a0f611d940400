package report

import (
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// familyLabel is the label in every form of a paired comparison whose comparisons are named.
const familyLabel = "paired comparison at several levels: compared pairs are judged, all else has intervals"

// comparison is a compared pair as every form shows it.
type comparison struct {
	judge.Pair
	TitleA, TitleB, LevelA, LevelB string
	Missing                        string // why it has no figure
}

// comparisons returns the compared pairs under the primary metric, in order of the plan; none is left
// out.
func (s *manyLevels) comparisons() (list []comparison) {
	for _, f := range s.run.Plan.Family {
		c := comparison{TitleA: s.Title(f.A.Contestant), TitleB: s.Title(f.B.Contestant), LevelA: s.levelAt(f.A),
			LevelB: s.levelAt(f.B)}
		p, ok := s.a.Compared(f.A, f.B, s.primary().Name)
		if c.Pair = p; !ok || p.Ratio.N == 0 {
			c.Missing = "no round has both"
			c.A, c.B, c.AtA, c.AtB = f.A.Contestant, f.B.Contestant, f.A.Level, f.B.Level
		}
		for _, name := range []string{f.B.Contestant, f.A.Contestant} {
			if f := s.run.FailureOf(name); f != nil {
				c.Missing = s.Title(name) + " " + FailureText(f)
			}
		}
		list = append(list, c)
	}
	return list
}

// levelAt returns the name of a cell's level.
func (s *manyLevels) levelAt(c record.Cell) string {
	if c.Level >= 0 && c.Level < len(s.names) {
		return s.names[c.Level]
	}
	return fmt.Sprintf("level %d", c.Level)
}

// own reports whether the pair is one contestant at two levels.
func (c *comparison) own() bool { return c.A == c.B }

// cellsOf names both sides, with a common level or contestant only once.
func (c *comparison) cellsOf() (a, b string) {
	switch {
	case c.own():
		return c.TitleA + ", " + c.LevelA, c.LevelB
	case c.LevelA == c.LevelB:
		return c.TitleA + ", " + c.LevelA, c.TitleB
	}
	return c.TitleA + ", " + c.LevelA, c.TitleB + ", " + c.LevelB
}

// verdict returns the verdict of a pair in words, which of the two is better, and the basis of the
// verdict.
func (s *manyLevels) verdict(c *comparison) (word, better, evidence string, kind judge.Verdict) {
	if s.Verbose {
		evidence = pText("p", c.P)
	}
	kind, word = c.Verdict, s.verdictWord(c.Verdict)
	switch {
	case c.Missing != "":
		return "not compared", "", document.Clean(c.Missing), judge.Inconclusive
	case s.a.Interim == 0:
		return notSeparated, "", "before the first analysis", judge.Inconclusive
	case c.Verdict == judge.Negligible:
		evidence = strings.Join(NonEmpty("certain, but within "+PerCent(s.margin()), evidence), "; ")
	case c.Note != "":
		evidence = strings.Join(NonEmpty(evidence, document.Clean(c.Note)), "; ")
	}
	switch {
	case kind != judge.Different:
	case c.Leads() > 0:
		better = "the first is better"
	case c.Leads() < 0:
		better = "the second is better"
	}
	return word, better, evidence, kind
}

// showing returns the levels and contestants for which a metric is shown: for one that only open
// loops have, those levels.
func (s *manyLevels) showing(m judge.Metric) *manyLevels {
	if !m.Open() {
		return s
	}
	d, v := *s.Data, *s.View
	out := &manyLevels{View: &v}
	v.Data, d.Levels = &d, nil
	for i, l := range s.Levels {
		if l.At.Open() {
			d.Levels, out.names = append(d.Levels, l), append(out.names, s.names[i])
		}
	}
	none := func(r Row) bool {
		return r.Excluded == "" && !slices.ContainsFunc(d.Levels, func(l Level) bool {
			return l.Loaded == nil ||
				slices.Contains(l.Loaded, r.Name)
		})
	}
	v.rows, v.controls = slices.DeleteFunc(slices.Clone(v.rows), none), slices.DeleteFunc(slices.Clone(v.controls), none)
	return out
}

// familySentences returns the sentences about a run with compared pairs.
func (s *manyLevels) familySentences() (list []string) {
	list = append(list, s.forbidding()...)
	var found []judge.Pair
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
		list = append(list, "No compared pair has a figure.")
	case s.a.Interim == 0:
		list = append(list, s.noAnalysis())
	default:
		all, sure, _ := strings.Cut(s.tally(found), ". ")
		list = append(list, strings.TrimSuffix(all, ".")+".")
		list = append(list, NonEmpty(sure)...)
	}
	if missing > 0 && len(found) > 0 {
		list = append(list, document.Count(missing, "pair")+" could not be compared.")
	}
	if s.has(func(f *Figure) bool { return f.Bound }) {
		list = append(list, "Figures marked ≥ are lower bounds, because they are at the generator's ceiling.")
	}
	return slices.Concat(list, s.absent(), s.endedEarly())
}

// familyMethod returns the facts of a paired comparison, with what is otherwise at several levels.
func (s *manyLevels) familyMethod() []document.Fact {
	facts := s.methodFacts()
	for i := range facts {
		switch f := &facts[i]; f.Name {
		case "Load":
			f.Name, f.Value = "Levels", orElse(s.levelList(), "none")
		case "Trial":
			if n := s.run.Plan.Load.Requests; s.run.Plan.Fresh() {
				f.Value = document.Whole(n) + " requests, the first load of freshly started processes without " +
					"warm-up; load 2 and later use the processes of the previous load"
				break
			}
			f.Value = planned(s.run.Plan.Load.NS) + " of load or more: 20 times a delay, five requests of each " +
				"connection, 400 ms of an open loop, 1 s if loaded once an epoch"
		case "Order":
			f.Value = fmt.Sprintf("contestants and levels of one delay and number of CPUs in random order in each "+
				"round, from seed %d; cells without a compared pair only in the first round of some epochs", s.run.Plan.Seed)
		case "Error allowed":
			f.Value = PerCent(s.run.Plan.Alpha) + " over all compared pairs and analyses together"
		}
	}
	return facts
}

// pairsShort returns the compared pairs without what each verdict rests on.
func (s *manyLevels) pairsShort() document.Section {
	out := document.Section{ID: "short", On: document.OffPage}
	if len(s.run.Plan.Family) > mostPairs {
		out.Blocks = s.pairsByLevel()
		return out
	}
	t := s.pairsTable()
	if len(t.Rows) == 0 {
		return out
	}
	s.ownGrouped(&t)
	t = shortened(t)
	if t.Rest = "more"; s.Folder != "" {
		t.Rest += ": dyno report " + document.Clean(s.Folder) + " --verbose"
	}
	out.Blocks = []document.Block{t}
	return out
}

// namedPairs returns the table of the compared pairs. Each row names its contestants: a page can sort them.
func (s *manyLevels) namedPairs() document.Section {
	out := document.Section{ID: "pairs", Title: "Compared pairs"}
	if t := s.pairsTable(); len(t.Rows) > 0 {
		out.Blocks = []document.Block{t}
	}
	return out
}

// pairsTable has a row for each compared pair. Those of one contestant at two levels stand last.
func (s *manyLevels) pairsTable() document.Table {
	t := document.Table{Note: "The first’s " + Lower(s.primary().Title) + " over the second’s.",
		Columns: []document.Column{{Head: "pair", Lead: true}, {Head: "against"},
			{Head: "ratio", Word: "pair", Number: true}, {Head: "verdict", Word: "different"}}}
	others, own := s.ownApart(s.comparisons())
	for _, c := range append(others, own...) {
		a, b := c.cellsOf()
		ratio := document.Cell{Absent: c.Missing}
		if c.Missing == "" {
			ratio = ratioCell(c.Ratio)
		}
		word, better, evidence, kind := s.verdict(&c)
		t.Rows = append(t.Rows, document.Row{Notes: NonEmpty(better, evidence),
			Cells: []document.Cell{{Value: a}, {Value: b}, ratio, {Value: word, Style: styleOf[kind]}}})
	}
	return t
}

// ownGrouped puts the pairs of one contestant at two levels under its name, which their rows then leave
// out, if a contestant has several. t is a pairsTable.
func (s *manyLevels) ownGrouped(t *document.Table) {
	others, own := s.ownApart(s.comparisons())
	several := false
	for i := 1; i < len(own); i++ {
		several = several || own[i].A == own[i-1].A
	}
	for i := 0; several && i < len(own); i++ {
		row := &t.Rows[len(others)+i]
		row.Cells[0].Value = own[i].LevelA
		if i == 0 || own[i].A != own[i-1].A {
			row.Group = own[i].TitleA
		}
	}
}

// familyFacts returns the few numbers that say how far the verdicts can be trusted.
func (s *manyLevels) familyFacts() []document.Fact {
	facts := s.View.facts()
	facts[0].Note = "valid, at each level that a pair names"
	return slices.Insert(facts, 0, document.Fact{Name: "Compared pairs", Value: fmt.Sprint(len(s.run.Plan.Family)),
		Note: "at " + document.Count(len(s.Levels), "level")})
}
