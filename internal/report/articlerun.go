package report

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/analysis"
	"dyno/internal/claim"
	"dyno/internal/document"
	"dyno/internal/result"
)

// ClassicRun is an article's own run, made by dyno and by other load generators.
type ClassicRun struct {
	File      string // its record, in the study's folder
	Data      *Data
	Published []claim.Figure // of its level and length
}

// ClassicFile returns the name of the record of a study's classic run.
func ClassicFile(name string) string {
	if name != "" {
		name = "-" + name
	}
	return "classic" + name + ".jsonl.gz"
}

// articleRun is a view of a ClassicRun.
type articleRun struct {
	*classic
	file    string
	figures []claim.Figure
	sources []source
}

// source is what one load generator, or one edition of the article, says of one contestant.
type source struct {
	contestant, title, by string
	date                  string          // of published figures
	loads                 []*result.Trial // of others
	own                   bool            // dyno's
}

// sections returns the published figures beside those of each load generator, what makes them
// differ, and how memory grew.
func (r *ClassicRun) sections() []document.Section {
	a := &articleRun{classic: newClassic(newView(r.Data)), file: r.File, figures: r.Published}
	tools := newExternal(a.classic)
	for _, row := range a.rows {
		for _, f := range a.figures {
			s := source{contestant: row.Name, title: row.Title, by: "published " + f.Date, date: f.Date}
			if f.Contestant == row.Name && !slices.ContainsFunc(a.sources, func(o source) bool {
				return o.contestant == s.contestant && o.date == s.date
			}) {
				a.sources = append(a.sources, s)
			}
		}
		var loaded []externalRow
		if tools != nil {
			loaded = tools.rows
		}
		if len(loaded) == 0 && row.Excluded == "" {
			loaded = []externalRow{{contestant: row.Name, title: row.Title, loads: a.loads(row)}}
		}
		for _, e := range loaded {
			if e.contestant == row.Name {
				a.sources = append(a.sources, source{contestant: row.Name, title: row.Title, by: e.by() + " here",
					loads: e.loads, own: e.external == ""})
			}
		}
	}
	s := document.Section{Title: "The article's own run: " + a.each() + ", " +
		connections(a.run.Plan.Level)}
	s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Prose{{Text: a.intro() + " "}, {Text: "The record",
		Link: a.file}, {Text: "."}}}, a.table())
	s.Blocks = append(s.Blocks, a.parts()...)
	if gaps := a.unmeasured(); len(gaps) > 0 {
		s.Blocks = append(s.Blocks, document.Items(gaps...))
	}
	if tools != nil {
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain("Why they differ:")},
			document.Items(append(a.published(), tools.said()...)...))
		s.Blocks = append(s.Blocks, tools.apart()...)
	}
	return []document.Section{s, a.growthTable(a.file)}
}

// intro says how the loads were made.
func (a *articleRun) intro() string {
	text := fmt.Sprintf("Made by %s, %s. Each load has a process of its own, which was started for it and is cold. "+
		"Single figures: they show what the tools make of one load, and not who is faster.", a.run.Plan.Command,
		a.started())
	if slices.Contains(a.run.Plan.External, "wrk") && a.run.Plan.Requests > 0 {
		text += " wrk cannot count requests: it loads for as long as dyno's own load took, in whole seconds."
	}
	return text + " All latencies are service times of a closed loop: what a user would have waited while a server " +
		"stalled is in none of them."
}

// unmeasured says why contestants have no figures.
func (a *articleRun) unmeasured() (lines []string) {
	for _, r := range a.rows {
		if r.Excluded != "" {
			lines = append(lines, r.Title+": "+r.Excluded)
		}
	}
	return lines
}

// value returns the figure of a source; NaN if it says nothing.
func (a *articleRun) value(s *source, m analysis.Metric) float64 {
	if s.date == "" {
		if middle := analysis.MiddleOf(s.loads, m); middle.N > 0 {
			return middle.Value
		}
		return math.NaN()
	}
	for _, f := range a.figures {
		switch {
		case f.Contestant != s.contestant || f.Date != s.date:
		case f.Metric.Name == m.Name:
			return f.Base
		case m.Name == answersPerTime && f.N > 0:
			return float64(f.N) / f.Base * 1e9
		}
	}
	return math.NaN()
}

// answersPerTime is the metric that published figures have as a time for a number of requests.
const answersPerTime = "answers_per_time"

// table has a row for each source, and a column for each figure that any of them has.
func (a *articleRun) table() document.Table {
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "by"}}}
	rows := make([]document.Row, len(a.sources))
	for i := range a.sources {
		s := &a.sources[i]
		rows[i] = document.Row{Cells: []document.Cell{{Value: s.title}, {Value: s.by}},
			Rule: i > 0 && a.sources[i-1].contestant != s.contestant}
	}
	for _, m := range analysis.Printed {
		var known []float64
		for i := range a.sources {
			if v := a.value(&a.sources[i], m); !math.IsNaN(v) {
				known = append(known, v)
			}
		}
		if len(known) == 0 {
			continue
		}
		scale := scaleOf(m.Unit, known...)
		t.Columns = append(t.Columns, document.Column{Head: m.Title + unitAfter(m, scale), Number: true})
		for i := range rows {
			rows[i].Cells = append(rows[i].Cells, numberCell(a.value(&a.sources[i], m), scale.Per, "it does not say"))
		}
	}
	t.Rows = rows
	return t
}

// unitAfter returns the unit of a column's head, where its title does not say it.
func unitAfter(m analysis.Metric, s analysis.Scale) string {
	if m.Unit == "1/s" || s.Name == "" {
		return ""
	}
	return ", " + s.Name
}

func numberCell(v, per float64, absent string) document.Cell {
	if math.IsNaN(v) {
		return document.Cell{Absent: absent}
	}
	return document.Cell{Value: Sig3(v / per)}
}

// published says of each published rate how far it is from its number of requests over its time.
func (a *articleRun) published() (lines []string) {
	var rate, per analysis.Metric
	for _, m := range analysis.Printed {
		switch m.Name {
		case "throughput":
			rate = m
		case answersPerTime:
			per = m
		}
	}
	for i := range a.sources {
		s := &a.sources[i]
		x, y := a.value(s, rate), a.value(s, per)
		if s.date == "" || math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		text := fmt.Sprintf("%s, %s: the printed rate is %s × its requests ÷ its time", s.title, s.by, Sig3(x/y))
		if math.Abs(x/y-1) > sameRate {
			text += ": the tool prints the mean of the rates of short samples, and times in whole seconds"
		}
		lines = append(lines, text+".")
	}
	if len(a.figures) > 0 {
		lines = append(lines, "Published and here: another machine, another system, other versions; generator and "+
			"server shared its CPUs, and here each has its own.")
	}
	return lines
}
