package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
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
	row  report.Row
	by   string
	date string // date of published figures, which have no loads
}

// section returns the published figures beside dyno's.
func (r *classicRun) section() document.Section {
	a, v := &articleRun{classicRun: r}, report.NewView(r.Data)
	var excluded []string
	for _, row := range v.Rows() {
		for _, f := range r.Published {
			if f.Contestant == row.Name && !slices.ContainsFunc(a.sources, func(o source) bool {
				return o.row.Name == row.Name && o.date == f.Date
			}) {
				a.sources = append(a.sources, source{row: row, by: "published " + f.Date, date: f.Date})
			}
		}
		if row.Excluded != "" {
			excluded = append(excluded, row.Title+": "+row.Excluded)
		} else {
			a.sources = append(a.sources, source{row: row, by: "dyno here"})
		}
	}
	s := document.Section{Title: "The article's own run: " + strings.Join(append([]string{v.Each()},
		judge.LevelWords(r.Run.Plan.First(), true)...), ", ")}
	s.Blocks = append(s.Blocks, document.Paragraph{Text: document.Prose{{Text: a.intro(v.Started()) + " "},
		{Text: "The record", Link: r.File}, {Text: "."}}}, a.table())
	if len(excluded) > 0 {
		s.Blocks = append(s.Blocks, document.Items(excluded...))
	}
	return s
}

// intro says how the loads were made.
func (a *articleRun) intro(started string) string {
	text := fmt.Sprintf("Made by %s, %s. Each load has a freshly started process. Single figures "+
		"describe one load, and do not show who is faster.", a.Run.Plan.Origin.Command, started)
	if len(a.Published) > 0 {
		text += " Published and here: another machine, another system, other versions; generator and server shared its " +
			"CPUs, and here each has its own."
	}
	return text + " All latencies are service times of a closed loop: they leave out the time that a user would have " +
		"waited while a server stalled."
}

// value returns a source's figure; NaN if it has none.
func (a *articleRun) value(s *source, m judge.Metric) float64 {
	if s.date == "" {
		loads := slices.DeleteFunc(slices.Clone(a.Loads), func(t *record.Trial) bool { return t.Contestant != s.row.Name })
		if middle := judge.MiddleOf(loads, m); middle.N > 0 {
			return middle.Value
		}
		return math.NaN()
	}
	for _, f := range a.Published {
		switch {
		case f.Contestant != s.row.Name || f.Date != s.date:
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
		rows[i] = document.Row{Cells: []document.Cell{{Value: s.row.Title}, {Value: s.by}},
			Rule: i > 0 && a.sources[i-1].row.Name != s.row.Name}
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
	return document.Cell{Value: document.Sig3(v / per)}
}
