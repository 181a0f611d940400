package study

import (
	"math"
	"strconv"

	"dyno/internal/document"
	"dyno/internal/judge"
	"dyno/internal/record"
)

// percent is the Part of a percentile figure.
const percent = "percent"

// parts returns the times for the parts of a request and the percentiles, if the article has them.
func (a *articleRun) parts() (blocks []document.Block) {
	table := func(title, unit string, names []string, leads ...string) document.Table {
		t := document.Table{Title: title, Columns: []document.Column{{Head: "contestant", Lead: true}}}
		for _, lead := range leads {
			t.Columns = append(t.Columns, document.Column{Head: lead})
		}
		for _, name := range names {
			t.Columns = append(t.Columns, document.Column{Head: name + unit, Number: true})
		}
		return t
	}
	var percents []string
	for _, q := range judge.Quantiles {
		percents = append(percents, strconv.Itoa(q))
	}
	times := table("Parts of a request, ms", "", judge.PartFigures, "by", "part")
	quantiles := table("Percentiles, ms", " %", percents, "by")
	printed, published := false, false
	for i := range a.sources {
		s := &a.sources[i]
		for _, part := range judge.Parts {
			row := document.Row{Cells: []document.Cell{{Value: s.Title}, {Value: s.by}, {Value: part}}, Rule: part == "connect"}
			if a.cells(&row, s, part, judge.PartFigures, func(t *record.Trial, k int) (float64, bool) {
				if part != judge.Processing {
					return 0, false
				}
				return judge.ProcessingOf(t, judge.PartFigures[k])
			}) {
				times.Rows, published = append(times.Rows, row), published || s.date != ""
			}
		}
		row := document.Row{Cells: []document.Cell{{Value: s.Title}, {Value: s.by}}}
		if a.cells(&row, s, percent, percents, func(t *record.Trial, k int) (float64, bool) {
			return judge.QuantileOf(t, judge.Quantiles[k])
		}) {
			quantiles.Rows, printed = append(quantiles.Rows, row), printed || s.date != ""
		}
	}
	if published {
		blocks = append(blocks, times, document.Items("Processing: from the connection to the last byte, which is "+
			"what dyno calls service time; waiting: to the first byte; total: with connecting. For its own loads dyno has "+
			"no times to connect and to the first byte."))
	}
	if printed {
		blocks = append(blocks, quantiles, document.Items("The percentiles of dyno are of the service time, to about "+
			"1 %; those of ab are of the total, with connecting."))
	}
	return blocks
}

// cells adds figures to a row: those published under the names, or those from the last load. It
// returns false if there are none.
func (a *articleRun) cells(row *document.Row, s *source, part string, names []string,
	of func(*record.Trial, int) (float64, bool)) (any bool) {
	for i, name := range names {
		v := a.figureOf(s, part, name)
		if len(s.Loads) > 0 {
			if ns, ok := of(s.Loads[len(s.Loads)-1], i); ok {
				v = ns
			}
		}
		any = any || !math.IsNaN(v)
		row.Cells = append(row.Cells, numberCell(v, 1e6, "it does not say"))
	}
	return any
}

// figureOf returns a published figure for a part; NaN if there is none.
func (a *articleRun) figureOf(s *source, part, figure string) float64 {
	for _, f := range a.Published {
		if f.Contestant == s.Contestant && f.Date == s.date && f.Metric.Part == part && f.Metric.Figure == figure {
			return f.Base
		}
	}
	return math.NaN()
}

// printedTable returns the times and percentiles at one level that a tool printed, with a row for
// each and a column for each contestant, beside ours if dyno has the same figure.
func (v *page) printedTable(level string) document.Table {
	var g grid[string]
	for i := range v.Claims.Published {
		p := &v.Claims.Published[i]
		if p.Level != level || p.Metric.Part == "" {
			continue
		}
		head := p.Metric.Title
		if p.Metric.Part == percent {
			head += " of requests within"
		}
		text := p.theirs()
		if ours := p.ours(); ours != document.Missing {
			text += " → " + ours
		}
		g.set(head, p.Contestant, document.Cell{Value: text})
	}
	t := document.Table{Columns: []document.Column{{Head: "time", Lead: true}}}
	if level != "" {
		t.Title = level + ", as the tool printed it"
	}
	return g.table(t, false, "it was not published", func(head string) document.Row {
		return document.Row{Cells: []document.Cell{{Value: head}}}
	})
}
