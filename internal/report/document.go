package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
)

// label says what kind of run this is, if it ranks nobody.
func (v *View) label() string {
	switch {
	case v.single:
		return loadsLabel
	case !v.ranks:
		return familyLabel
	}
	return ""
}

// document returns the answer, then all details. A section for which the run has no data has no
// blocks.
func (v *View) document() *document.Document {
	d := &document.Document{Title: v.heading(), Question: v.Added.Question, Label: sentenceCase(v.label()),
		Byline: v.byline(),
		Lead:   v.lead(v.sentences()), Front: v.front(), Trust: v.trust()}
	if v.single {
		d.NoChart = "the run has single figures, which a chart would seem to compare; choose another --format"
	}
	pairs, below := v.comparedPairs(), document.Section{}
	if v.ranks {
		pairs, below = below, pairs
	}
	d.Sections = slices.Concat([]document.Section{v.short()}, v.Added.BelowAnswer,
		[]document.Section{v.closing()},
		details(slices.Concat([]document.Section{pairs, v.ServiceAlone(), v.Processes(), v.tables(),
			v.otherLevels(), below, v.belief()}, v.Added.BelowFindings, v.rest())))
	d.Sections = slices.DeleteFunc(d.Sections, func(s document.Section) bool { return len(s.Blocks) == 0 })
	return d
}

// details marks sections as details of the answer.
func details(sections []document.Section) []document.Section {
	for i := range sections {
		sections[i].Detail = true
	}
	return sections
}

// sentenceCase capitalizes a label as a sentence.
func sentenceCase(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// byline describes the run on one line. It counts the contestants that ran.
func (v *View) byline() []string {
	ran := slices.DeleteFunc(slices.Clone(v.rows), func(r Row) bool { return r.Failure != nil })
	parts := judge.LevelWords(v.run.Plan.First(), true)
	if v.named() {
		parts = []string{document.Count(len(v.levels), "level")}
	}
	parts = append(parts, document.Count(len(ran), "server"))
	if v.single {
		parts = append(parts, document.Count(v.repeats(), "load")+" of "+v.Each()+" each")
	}
	return append(parts, v.setting()...)
}

// named reports whether the run compares pairs that its plan names.
func (v *View) named() bool { return v.run.Plan.InRounds() && !v.ranks }

// sentences returns the answer: reasons not to trust it, the result, the missing contestants, and
// why the run ended early.
func (v *View) sentences() []string {
	list := append(v.forbidding(), v.Added.Answer...)
	switch {
	case v.single:
		list = append(list, v.bestLoad(), loadsMislead)
	case !v.figures():
		list = append(list, v.nothing())
	case v.ranks:
		list = append(list, v.ranking()...)
	case len(v.run.Plan.Family) > 0:
		list = append(list, v.familySentences()...)
	default:
		list = append(list, "The run compares no pairs.")
	}
	if v.named() && v.has(func(f *Figure) bool { return f.Bound }) {
		list = append(list, "Figures marked ≥ are lower bounds, because they are at the generator's ceiling.")
	}
	return NonEmpty(slices.Concat(list, v.fewerConnections(), v.absent(), v.endedEarly())...)
}

// short returns the answer in figures, as a terminal shows it.
func (v *View) short() document.Section {
	out := document.Section{ID: "short", On: document.OffPage}
	rows, metrics := v.all(), v.shownMetrics()
	switch {
	case len(rows) == 0:
		return out
	case v.single:
		t := shortened(v.levelTable(0, v.shown()))
		errors := len(t.Columns) - 1
		if !slices.ContainsFunc(t.Rows, func(r document.Row) bool { return r.Cells[errors].Value != "none" }) {
			t.Columns = t.Columns[:errors]
		}
		out.Blocks = []document.Block{t}
	case v.ranks:
		out.Blocks = v.rankedShort()
	default:
		if len(v.run.Plan.Family) > 0 {
			out.Blocks = v.pairsShort()
		}
		if len(v.run.Plan.Family) == 0 || v.everyPair() {
			out.Blocks = append(out.Blocks, shortened(v.metricTable(metrics[0], true)))
		}
	}
	return out
}

// tables returns the figures for all contestants: at one level a table with a column for each
// metric, else a chart and a table for each metric.
func (v *View) tables() document.Section {
	switch {
	case len(v.all()) == 0:
		return document.Section{ID: "table", Blocks: []document.Block{
			document.Paragraph{Text: document.Plain("The record names no contestants.")}}}
	case v.ranks || v.single:
		return v.standings()
	}
	return v.levelByLevel()
}

// front returns the charts beside the answer: for a ranking the charts of all metrics; for named
// pairs lines over the levels if the same pairs are compared at each, else bars at each level.
func (v *View) front() (blocks []document.Block) {
	switch choice := (document.Choice{ID: "level", Title: "Level"}); {
	case v.ranks:
		choice = v.metricCharts()
		blocks = []document.Block{choice}
		if len(choice.Options) == 0 {
			blocks = nil
		}
	case !v.named() || !v.any():
		return nil
	case v.everyPair() && len(v.rows) <= MostBars:
		c := v.lineChart(v.primary())
		c.ID, c.Title = "front", v.primary().Title+", "+c.Unit
		blocks = []document.Block{c}
	default:
		for i := range v.levels {
			if c := v.barChart(v.primary(), i); len(c.Bars) > 0 {
				choice.Options = append(choice.Options, document.Option{Name: v.names[i], Block: c})
			}
		}
		if len(choice.Options) > 0 {
			blocks = []document.Block{choice}
		}
	}
	return blocks
}

// rest returns the last sections in every report: failures, starts, machine, how to repeat the run,
// how it was measured, and definitions.
func (v *View) rest() []document.Section {
	page := func(id, title string, blocks ...document.Block) document.Section {
		return document.Section{ID: id, Title: title, On: document.OnPage, Folded: true, Blocks: blocks}
	}
	return []document.Section{v.failures(), v.starts(), v.origin(), v.repeat(), v.contestants(),
		page("method", "How it was measured", labelled(v.method())...),
		page("words", "Words", v.words())}
}

// method returns facts about how the run measured, which no other section has.
func (v *View) method() []document.Fact {
	p := &v.run.Plan
	facts := []document.Fact{{Name: "Scenario", Value: cmp.Or(p.Scenario, "not recorded")}}
	if v.single {
		facts = append(facts, document.Fact{Name: "Order",
			Value: "as asked; each contestant is started alone, loaded at once without a warm-up, and stopped"})
		if v.Discarded > 0 {
			facts = append(facts, document.Fact{Name: "Loaded again", Value: document.Count(v.Discarded, "load") +
				", because other programs used the CPUs; the later one is shown"})
		}
	} else {
		facts = append(facts, v.roundsMethod()...)
	}
	return append(append(facts, document.Fact{Name: "Started", Value: v.Started()}), v.processors()...)
}

// roundsMethod returns facts about a comparison in rounds.
func (v *View) roundsMethod() []document.Fact {
	p := &v.run.Plan
	analyses := "none planned"
	if len(p.Epochs) > 0 {
		analyses = fmt.Sprintf("after %s valid epochs at most, and all that fit; %d taken, the last at level %.4g",
			And(p.Epochs), v.a.Interim, v.a.AlphaAt)
	}
	trial := fmt.Sprintf("%s of load, after %s of re-warming", document.Given(p.Load.NS), document.Given(p.Load.RewarmNS))
	order, pairs := fmt.Sprintf("random in each round, from seed %d", p.Seed), "pairs"
	if !v.ranks {
		trial = document.Given(p.Load.NS) + " of load or more: 20 times a delay, five requests of each " +
			"connection, 400 ms of an open loop, 1 s if loaded once an epoch"
		order = fmt.Sprintf("contestants and levels of one delay and number of CPUs in random order in each "+
			"round, from seed %d; cells without a compared pair only in the first round of some epochs", p.Seed)
		pairs = "compared pairs"
	}
	if p.Fresh() {
		trial = document.Whole(p.Load.Requests) + " requests, the first load of freshly started processes without " +
			"warm-up; load 2 and later use the processes of the previous load"
	}
	return []document.Fact{
		{Name: "Trial", Value: trial},
		{Name: "Order", Value: order},
		{Name: "Interim analyses", Value: analyses},
		{Name: "Primary metric", Value: v.primary().Title},
		{Name: "Error allowed", Value: PerCent(p.Alpha) + " over all " + pairs + " and analyses together"},
		{Name: "Equal", Value: "an interval within " + PerCent(v.margin())},
	}
}
