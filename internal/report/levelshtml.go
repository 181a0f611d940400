package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// levelsPage is what the templates of the protocols without verdicts show.
type levelsPage struct {
	page
	Heading string
	Family  []pagePair // named pairs
	Held    *levelsTable
	Primary string
	Rowless bool
	Aside   string
	Tables  []levelsTable
	Marks   []string
	Gaps    []string
	Caveats []string
}

// levelsTable is a metric of a sweep, with its chart, or the table of a classic run.
type levelsTable struct {
	Title, Unit, Word string
	Wide, Narrow      template.HTML
	Heads             []string     // of a sweep: its levels
	Columns           []pageColumn // of a classic run
	Rows              []pageRow

	Typed      string   // another load generator's command
	Said, Ways []string // what to make of its loads; what is to be known of it
}

// unjudgedPage is what both protocols have alike.
func (v *view) unjudgedPage(facts []string, words []word) levelsPage {
	p := levelsPage{page: v.basics(), Rowless: len(v.rows)+len(v.controls) == 0}
	p.Style = template.CSS(pageStyle + chartStyle + levelsStyle)
	p.Kicker = strings.Join(facts, " · ")
	p.Words = words
	return p
}

// unjudgedRow is a line of a table, without its cells.
func unjudgedRow(r row, span int) pageRow {
	p := pageRow{Title: r.Title, Language: languageClass(r), Struck: r.Struck, Span: span}
	switch {
	case r.Struck != "":
		p.Class = "struck"
	case r.Control:
		p.Class = "control"
	}
	return p
}

// wordsOf picks from the page's explanations, after some of the protocol's own.
func wordsOf(own []word, ids ...string) []word {
	list := slices.Clone(own)
	for _, w := range words {
		if slices.Contains(ids, w.ID) {
			list = append(list, w)
		}
	}
	return list
}

// sweepHTML is HTML for a sweep: a chart and a table for each metric.
func sweepHTML(w io.Writer, d *Data) error {
	s := newSweep(d)
	ids := []string{"epoch", "void", "bound", "first_answer", "warm_up", "memory_per_connection"}
	ids = append(ids, namesOf(s.metrics)...)
	p := s.unjudgedPage(s.head(), wordsOf([]word{
		{"sweep", "Sweep", "The same contestants at several levels: connections, and delays of their handlers. It shows how figures change with the level. " +
			"It tests no pair at any level, so it has no verdicts, ranks or tiers."},
		{"sweep-interval", "Interval", "95 % for the median between epochs. Where there are too few epochs for one, the range of the epochs stands in brackets, and dashed " +
			"in the chart; that is no interval."},
	}, ids...))
	p.Answer, p.Facts, p.Method, p.Legend = s.sentences(), s.facts(), s.method(), s.legend()
	p.Aside = "Each line is a contestant, each mark its median at a level, the bar its interval. Each plot has a scale of its own; a level without a valid trial breaks the line."
	if s.has(func(f figure) bool { return f.absent == "" && f.open() }) {
		p.Aside += " A dashed bar is the range of too few epochs for an interval."
	}
	if len(s.controls) > 0 {
		p.Legend = append(p.Legend, legend{"l-control", "yardstick"})
	}
	p.Marks, p.Gaps = s.marks(), slices.Concat(s.gaps(), s.rowNotes())
	if p.Held = s.heldPage(); p.Held != nil {
		p.Marks = append(p.Marks, heldNotes...)
	}
	if s.isFamily() {
		p.Words, p.Style = s.familyWords(), p.Style+template.CSS(familyStyle)
		p.Family, p.Primary, p.Facts = s.familyPage(), lower(s.primary().Title), s.familyFacts()
	}
	p.Caveats = []string{"Figures of two contestants at one level were measured in the same rounds, those of two levels with different delays in different epochs: what the machine did " +
		"meanwhile lies between them."}
	if s.isFamily() {
		p.Caveats = append(s.doubts(), p.Caveats...)
	}
	for _, m := range s.shownMetrics() {
		p.Tables = append(p.Tables, s.showing(m).table(m))
	}
	return pageTemplate.ExecuteTemplate(w, "sweep", p)
}

// familyWords are the words of a run with named pairs.
func (s *sweep) familyWords() []word {
	ids := []string{"different", "tie", "canary", "epoch", "void", "bound"}
	for _, m := range analysis.Metrics {
		if !m.Rare || s.Data.has(m) {
			ids = append(ids, m.Name)
		}
	}
	return wordsOf([]word{
		{"pair", "Named pair", "Two cells, each a contestant at a level, that the study asked to compare. All named pairs together are one family: the chance of any false " +
			"difference among them is bounded. The ratio is the first's figure over the second's, round by round, with the interval of a look."},
		{"sweep-interval", "Interval of a level", "95 % for the median between epochs. Where there are too few epochs for one, the range of the epochs stands in brackets, and dashed " +
			"in the chart; that is no interval."},
	}, ids...)
}

func (s *sweep) facts() []fact {
	return []fact{
		{Name: "Levels", Value: fmt.Sprint(len(s.Levels)), Note: count(len(s.panels()), "plot") + " for each metric"},
		{Name: "Epochs", Value: strings.Fields(s.epochs())[0], Note: strings.Join(strings.Fields(s.epochs())[1:], " ") + " of " + count(s.run.Plan.Rounds, "round") + " at each level"},
		{Name: "Trials", Value: grouped(float64(s.Valid), 0), Note: fmt.Sprintf("valid; %d more void (%s)", s.Void, share(s.Void, s.Valid+s.Void))},
		{Name: "Verdicts", Value: "none", Note: sweepLabel},
		s.checksFact(),
	}
}

// way says which figures are the better ones.
func way(m analysis.Metric) string {
	switch {
	case m.Unranked:
		return "told, not compared"
	case m.More:
		return "more is better"
	}
	return "less is better"
}

func (s *sweep) table(m analysis.Metric) levelsTable {
	scale := s.sweepScale(m)
	t := levelsTable{Title: m.Title, Unit: "In " + unitWords(scale) + "; " + way(m) + ".", Word: m.Name, Heads: s.names}
	if len(s.Levels) > 0 && s.any() {
		t.Wide, t.Narrow = template.HTML(s.chart(m, wideSweep, false)), template.HTML(s.chart(m, narrowSweep, false))
	}
	for i, r := range slices.Concat(s.rows, s.controls) {
		p := unjudgedRow(r, len(s.Levels))
		if i < len(s.rows) {
			p.Engine = s.engineHead(s.rows, i)
		}
		if r.Control && i == len(s.rows) {
			p.Class += " first"
		}
		if r.Control {
			p.Meta = "control"
			if s.isYardstick(r) {
				p.Meta = "yardstick"
			}
		}
		for k := range s.Levels {
			f := s.figure(r, m, k)
			cell := pageCell{Absent: f.absent}
			if f.absent == "" {
				cell.Value, cell.Side = Sig3(f.Value/scale.Per), f.side()
				if f.bound {
					cell.Value = "≥ " + cell.Value
				}
			}
			p.Cells = append(p.Cells, cell)
		}
		t.Rows = append(t.Rows, p)
	}
	return t
}

// classicHTML is HTML for a classic run: one table.
func classicHTML(w io.Writer, d *Data) error {
	c := newClassic(d)
	p := c.unjudgedPage(c.head(), wordsOf([]word{
		{"classic", "Classic", "One long load after another, each on a contestant started for it, as published benchmarks are made. It is here to be compared with theirs."},
		{"range", "Range", "The lowest and the highest of several loads. It says nothing of what a further load would give."},
	}, append(namesOf(analysis.Classic), "first_answer")...))
	p.Heading, p.Answer, p.Facts, p.Method = "Load after load", c.sentences(), c.facts(), c.method()
	p.Marks, p.Gaps, p.Caveats = c.marks(), c.gaps(), []string{"What others did on the machine voids no load here. Where a duel would not have counted one, " +
		"the contestant's row says so."}
	p.Tables = []levelsTable{c.table()}
	p.Tables[0].Wide, p.Tables[0].Narrow = c.growthChart("wide", 760), c.growthChart("narrow", 360)
	if d := newDriven(c); d != nil {
		p.Tables = append(p.Tables, d.page())
		p.Words = append(p.Words, word{"driver", "Beside another load generator", "The same loads made by another tool, in its own terms: what it counts as an answer, " +
			"an error or a latency is its own. Of ceiling: its rate as a share of what the same generator makes of a server that does nothing."})
	}
	return pageTemplate.ExecuteTemplate(w, "classic", p)
}

func (c *classic) facts() []fact {
	return []fact{
		{Name: "Loads", Value: fmt.Sprint(len(c.Loads)), Note: c.each() + " each"},
		{Name: "Repeats", Value: fmt.Sprint(c.repeats()), Note: map[bool]string{true: "median and range", false: "single figures"}[c.repeats() > 1]},
		{Name: "Pairing", Value: "none", Note: "no interval, no verdict"},
		c.checksFact(),
	}
}

func (c *classic) table() levelsTable {
	t := levelsTable{}
	for _, m := range c.metrics {
		t.Columns = append(t.Columns, pageColumn{Head: orElse(m.Column, m.Title), Unit: strings.Replace(c.scale(m).Name, "1/s", "per second", 1), Word: m.Name})
	}
	t.Columns = append(t.Columns, pageColumn{Head: "Answered", Unit: "errors", Word: "classic"})
	for i, r := range c.rows {
		p := unjudgedRow(r, len(t.Columns))
		p.Engine = c.engineHead(c.rows, i)
		p.Meta, p.Notes = metaOf(r), r.Notes
		for _, m := range c.metrics {
			f := c.figure(r, m)
			cell := pageCell{Absent: f.absent}
			if f.absent == "" {
				cell.Value, cell.Side = Sig3(f.value/c.scale(m).Per), f.rangeText(c.scale(m))
			}
			p.Cells = append(p.Cells, cell)
		}
		n, errs := c.totals(r)
		last := pageCell{Value: grouped(float64(n), 0), Side: strings.Replace(errorsText(errs), "none", "no errors", 1)}
		if len(c.loads(r)) == 0 {
			last = pageCell{Absent: "it was not loaded"}
		}
		p.Cells = append(p.Cells, last)
		t.Rows = append(t.Rows, p)
	}
	return t
}
