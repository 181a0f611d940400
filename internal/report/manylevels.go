package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// manyLevels is a view of a run at several levels.
type manyLevels struct {
	*View
	names []string // of the levels
}

func newManyLevels(v *View) *manyLevels {
	s := newLevels(v)
	s.excludedLast()
	s.ByEngine()
	for i := range s.rows {
		s.rows[i].Excluded = s.excludedWhere(&s.rows[i])
	}
	return s
}

// excludedLast leaves the rows in the order asked, but for those that failed.
func (v *View) excludedLast() {
	slices.SortStableFunc(v.rows, func(a, b Row) int {
		switch {
		case a.Excluded == "" && b.Excluded != "":
			return -1
		case a.Excluded != "" && b.Excluded == "":
			return 1
		}
		return 0
	})
}

// excludedWhere returns why a row has no figures, with the level at which it failed under load.
func (s *manyLevels) excludedWhere(r *Row) string {
	if r.Failure == nil || r.Failure.Stage != "load" {
		return r.Excluded
	}
	for i := len(s.run.Trials) - 1; i >= 0; i-- {
		t := s.run.Trials[i]
		if t.Contestant != r.Name {
			continue
		}
		l := &t.Load
		if t.Epoch == r.Failure.Epoch && (l.Failed > 0 || l.Errored() > 0 || l.Established < l.Connections ||
			l.Succeeded == 0) {
			return strings.Replace(r.Excluded, "failed at load", "failed at load, "+s.levelAt(record.Cell{Level: s.run.Plan.At(t)}), 1)
		}
		break
	}
	return r.Excluded
}

// shownMetrics returns the metrics with tables: at least one, to show what is missing. Those of a run
// with many cells have no table if they are rare and the caller neither charts them nor asks for one.
func (s *manyLevels) shownMetrics() []judge.Metric {
	if !s.any() {
		return s.metrics[:1]
	}
	return slices.DeleteFunc(slices.Clone(s.metrics), func(m judge.Metric) bool {
		return s.run.Plan.Fresh() && m.Idle != nil || // one table has all that an idle process has as well
			m.Rare && len(s.rows)*len(s.Levels) > manyCells && !slices.Contains(s.Added.Charted, m.Name) && !slices.Contains(s.Added.Tables, m.Name)
	})
}

// manyCells is how many cells, of one contestant at one level each, a run may have before its page
// leaves metrics out: one more table for each would have a megabyte.
const manyCells = 500

// epochs returns the number of epochs of the levels: "4 valid epochs", or "3 to 4 valid epochs".
func (s *manyLevels) epochs() string {
	least, most := math.MaxInt, 0
	for _, l := range s.Levels {
		n := 0
		if l.Analysis != nil {
			n = l.Analysis.Epochs
		}
		least, most = min(least, n), max(most, n)
	}
	if least >= most {
		return document.Count(most, "valid epoch")
	}
	return fmt.Sprintf("%d to %d valid epochs", least, most)
}

// head returns the run in a line's worth of facts.
func (s *manyLevels) head() []string {
	servers := 0
	for _, r := range s.rows {
		if r.Excluded == "" {
			servers++
		}
	}
	return append([]string{document.Count(len(s.Levels), "level"), document.Count(servers, "server")}, s.setting()...)
}

// sentences returns the sentences about a run at several levels: what forbids trusting it, which pairs differ or, of a
// single contestant, where it is best, and who is missing.
func (s *manyLevels) sentences() (list []string) {
	if len(s.run.Plan.Family) > 0 {
		return s.familySentences()
	}
	list = s.forbidding()
	if s.any() {
		list = append(list, s.best())
	} else {
		list = append(list, "Nothing was measured: no server has a figure at any level.")
	}
	if s.has(func(f *Figure) bool { return f.Bound }) {
		list = append(list, "Figures marked ≥ are lower bounds, because they are at the generator's ceiling.")
	}
	return slices.Concat(list, s.absent(), s.endedEarly())
}

// best says who has the best figure at each level.
func (s *manyLevels) best() string {
	m := s.metrics[0]
	var names []string
	at := map[string][]string{}
	for i := range s.Levels {
		title, value := "", 0.
		for _, r := range s.rows {
			f := s.figure(r, m, i)
			if f.Absent == "" && (title == "" || (f.Value > value) == m.More) {
				title, value = r.Title, f.Value
			}
		}
		if title == "" {
			continue
		}
		if at[title] == nil {
			names = append(names, title)
		}
		at[title] = append(at[title], s.names[i])
	}
	for i, n := range names {
		if len(at[n]) == len(s.Levels) && len(s.Levels) > 1 {
			names[i] += " at every level"
		} else {
			names[i] += " at " + And(at[n])
		}
	}
	return "Best " + Lower(m.Title) + ": " + strings.Join(names, "; ") + "."
}

// short returns the first table of all, as a terminal shows it.
func (s *manyLevels) short() document.Section {
	out := document.Section{ID: "short", On: document.OffPage}
	switch m := s.shownMetrics()[0]; {
	case len(s.run.Plan.Family) > 0:
		if out = s.pairsShort(); s.everyPair() {
			out.Blocks = append(out.Blocks, shortened(s.showing(m).table(m, true)))
		}
	case len(s.all()) > 0:
		out.Blocks = []document.Block{shortened(s.showing(m).table(m, true))}
	}
	out.Blocks = append(out.Blocks, s.byLoadShort()...)
	return out
}

// document returns the pairs that are compared, then each metric at all levels.
func (s *manyLevels) document() *document.Document {
	d := &document.Document{Title: s.heading(), Question: s.Added.Question, Label: sentenceCase(familyLabel), Byline: s.head(),
		Lead: s.lead(s.sentences()), Front: s.front(), Trust: s.asked()}
	doubts := []document.Block{quiet("Figures of two contestants at one level were measured in the same rounds. " +
		"Those of levels with different delays or numbers of CPUs were measured in different epochs, so changes of " +
		"the machine's speed affect their ratio.")}
	d.Facts, doubts = s.familyFacts(), append(s.doubts(), doubts...)
	d.Sections = append(s.first(s.short()), details(slices.Concat([]document.Section{s.namedPairs(), s.backendAlone()},
		s.placed(AboveLevels), []document.Section{s.processes(), s.levelByLevel(), s.belief(doubts)},
		s.rest(s.familyMethod(), s.words())))...)
	return d
}

// levelByLevel has a chart and a table for each metric.
func (s *manyLevels) levelByLevel() document.Section {
	out := document.Section{ID: "table", Title: "Level by level"}
	if len(s.all()) == 0 {
		out.Blocks = []document.Block{document.Paragraph{Text: document.Plain("The record names no contestants.")}}
		return out
	}
	legend := s.Legend()
	if len(s.controls) > 0 {
		legend = append(legend, document.LegendItem{Key: "control", Name: "reference"})
	}
	out.Blocks = append(out.Blocks, document.Legend{Items: legend})
	shown := s.shownMetrics()
	for k, m := range shown {
		here := s.showing(m)
		if t := here.table(m, k == 0); len(t.Rows) > 0 {
			out.Blocks = append(out.Blocks, t)
		}
		if k == 0 && !s.any() || s.chartsBelow() && m.Kind != judge.Arrivals && !slices.Contains(s.Added.Charted, m.Name) {
			out.Blocks = append(out.Blocks, here.chart(m))
		}
	}
	var more []string
	for _, m := range s.metrics {
		if !s.run.Plan.Fresh() && !slices.ContainsFunc(shown, func(x judge.Metric) bool { return x.Name == m.Name }) {
			more = append(more, Lower(m.Title))
		}
	}
	if s.any() && len(more) > 0 {
		out.Blocks = append(out.Blocks,
			quiet("Measured as well, in run.json and dyno report --format csv: "+And(more)+"."))
	}
	if notes := document.Items(slices.Concat(s.marks(), s.gaps(), s.rowNotes())...); len(notes.Items) > 0 {
		out.Blocks = append(out.Blocks, notes)
	}
	return out
}

// chartsBelow says whether metrics have charts of their own below the answer: many contestants at many levels are a tangle.
func (s *manyLevels) chartsBelow() bool {
	return s.any() && len(s.rows) <= MostBars
}

// table has a row for each contestant and a column for each level. Who failed stands in the first
// of them.
func (s *manyLevels) table(m judge.Metric, first bool) document.Table {
	scale := s.metricScale(m)
	t := document.Table{Title: m.Title, Note: "In " + UnitWords(scale) + "; " + Way(m) + ".",
		Columns: []document.Column{{Head: "contestant", Word: m.Name, Lead: true}}}
	for _, name := range s.names {
		t.Columns = append(t.Columns, document.Column{Head: name, Number: true})
	}
	for _, r := range s.all() {
		if r.Excluded != "" && !first {
			continue
		}
		row := s.TableRow(r)
		for i := range s.Levels {
			row.Cells = append(row.Cells, s.figure(r, m, i).Cell(scale))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// UnitWords returns the unit of a column in words: "requests per second", "ms".
func UnitWords(s judge.Scale) string {
	return strings.Replace(s.Name, "1/s", "requests per second", 1)
}

// way says which figures are the better ones.
func Way(m judge.Metric) string {
	switch {
	case m.Unranked:
		return "shown, not compared"
	case m.More:
		return "more is better"
	}
	return "less is better"
}

// sentenceCase makes a sentence of a label.
func sentenceCase(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }
