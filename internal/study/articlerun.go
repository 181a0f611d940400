package study

import (
	"fmt"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/report"
)

// classicRun is an article's own run, made by dyno.
type classicRun struct {
	*report.Data
	File      string   // file of its record, in the study's folder
	Published []Figure // published figures for its level and length
}

// classicFile returns the file name for a study's classic run.
func classicFile(name string) string {
	if name != "" {
		name = "-" + name
	}
	return "classic" + name + ".jsonl.gz"
}

// articleRun draws a classicRun.
type articleRun struct {
	*classicRun
	sources []source
}

// source is dyno's figures, or one edition of the article's, for one contestant.
type source struct {
	report.LoadsOf
	by   string
	date string // date of published figures, which have no loads
}

// sections returns the published figures beside dyno's, the reasons why they differ, and how memory
// grew.
func (r *classicRun) sections() []document.Section {
	a, loads := &articleRun{classicRun: r}, report.LongLoadsOf(r.Data, r.File)
	for _, row := range loads.Rows {
		for _, f := range r.Published {
			if f.Contestant == row.Name && !slices.ContainsFunc(a.sources, func(o source) bool {
				return o.Contestant == row.Name && o.date == f.Date
			}) {
				a.sources = append(a.sources, source{by: "published " + f.Date, date: f.Date,
					LoadsOf: report.LoadsOf{Contestant: row.Name, Title: row.Title}})
			}
		}
		for _, own := range loads.Loads {
			if own.Contestant == row.Name {
				a.sources = append(a.sources, source{LoadsOf: own, by: "dyno here"})
			}
		}
	}
	s := document.Section{Title: "The article's own run: " + loads.Each}
	s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Prose{{Text: a.intro(loads.Started) + " " +
		""}, {Text: "The record",
		Link: r.File}, {Text: "."}}}, a.table())
	s.Blocks = append(s.Blocks, a.parts()...)
	if len(loads.Excluded) > 0 {
		s.Blocks = append(s.Blocks, document.Items(loads.Excluded...))
	}
	if lines := a.published(); len(lines) > 0 {
		s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Plain("Why they differ:")}, document.Items(lines...))
	}
	return []document.Section{s, loads.Growth}
}

// intro says how the loads were made.
func (a *articleRun) intro(started string) string {
	text := fmt.Sprintf("Made by %s, %s. Each load has a freshly started process. Single figures "+
		"describe one load, and do not show who is faster.", a.Run.Plan.Origin.Command, started)
	return text + " All latencies are service times of a closed loop: they leave out the time that a user would have " +
		"waited while a server stalled."
}

// value returns a source's figure; NaN if it has none.
func (a *articleRun) value(s *source, m judge.Metric) float64 {
	if s.date == "" {
		if middle := judge.MiddleOf(s.Loads, m); middle.N > 0 {
			return middle.Value
		}
		return math.NaN()
	}
	for _, f := range a.Published {
		switch {
		case f.Contestant != s.Contestant || f.Date != s.date:
		case f.Metric.Name == m.Name:
			return f.Base
		case m.Name == answersPerTime && f.N > 0:
			return float64(f.N) / f.Base * 1e9
		}
	}
	return math.NaN()
}

// answersPerTime is the metric that articles publish as a time for a number of requests.
const answersPerTime = "answers_per_time"

// table has a row for each source, and a column for each figure that any source has.
func (a *articleRun) table() document.Table {
	t := document.Table{Columns: []document.Column{{Head: "contestant", Lead: true}, {Head: "by"}}}
	rows := make([]document.Row, len(a.sources))
	for i := range a.sources {
		s := &a.sources[i]
		rows[i] = document.Row{Cells: []document.Cell{{Value: s.Title}, {Value: s.by}},
			Rule: i > 0 && a.sources[i-1].Contestant != s.Contestant}
	}
	for _, m := range judge.Printed {
		var known []float64
		for i := range a.sources {
			if v := a.value(&a.sources[i], m); !math.IsNaN(v) {
				known = append(known, v)
			}
		}
		if len(known) == 0 {
			continue
		}
		scale := report.ScaleOf(m.Unit, known...)
		t.Columns = append(t.Columns, document.Column{Head: m.Title + unitAfter(m, scale), Number: true})
		for i := range rows {
			rows[i].Cells = append(rows[i].Cells, numberCell(a.value(&a.sources[i], m), scale.Per, "it does not say"))
		}
	}
	t.Rows = rows
	return t
}

// unitAfter returns the unit for a column's head, unless its title says it.
func unitAfter(m judge.Metric, s judge.Scale) string {
	if m.Unit == "1/s" || s.Name == "" {
		return ""
	}
	return ", " + s.Name
}

func numberCell(v, per float64, absent string) document.Cell {
	if math.IsNaN(v) {
		return document.Cell{Absent: absent}
	}
	return document.Cell{Value: report.Sig3(v / per)}
}

// sameRate is the share by which two rates may differ without a reason.
const sameRate = 0.05

// published compares each published rate with its number of requests over its time.
func (a *articleRun) published() (lines []string) {
	printed := func(name string) judge.Metric {
		return judge.Printed[slices.IndexFunc(judge.Printed, func(m judge.Metric) bool { return m.Name == name })]
	}
	rate, per := printed("throughput"), printed(answersPerTime)
	for i := range a.sources {
		s := &a.sources[i]
		x, y := a.value(s, rate), a.value(s, per)
		if s.date == "" || math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		text := fmt.Sprintf("%s, %s: the printed rate is %s × its requests ÷ its time", s.Title, s.by, report.Sig3(x/y))
		if math.Abs(x/y-1) > sameRate {
			text += ": the tool prints the mean of the rates of short samples, and times in whole seconds"
		}
		lines = append(lines, text+".")
	}
	if len(a.Published) > 0 {
		lines = append(lines, "Published and here: another machine, another system, other versions; generator and "+
			"server shared its CPUs, and here each has its own.")
	}
	return lines
}
