package study

import (
	"math"
	"slices"
	"strconv"

	"dyno/internal/analysis"
	"dyno/internal/document"
	"dyno/internal/result"
)

// partFigures are the figures of each part of a request, as ab prints them.
var partFigures = []struct {
	name string
	of   func(result.Times) int64
}{
	{"min", func(t result.Times) int64 { return t.MinNS }},
	{"mean", func(t result.Times) int64 { return t.MeanNS }},
	{"sd", func(t result.Times) int64 { return t.SDNS }},
	{"median", func(t result.Times) int64 { return t.MedianNS }},
	{"max", func(t result.Times) int64 { return t.MaxNS }},
}

// percent is the part of a figure that is a percentile.
const percent = "percent"

// parts returns the times of the parts of a request, where the article has them, and the percentiles,
// where a tool or the article has some.
func (a *articleRun) parts() (blocks []document.Block) {
	times := document.Table{Title: "Parts of a request, ms", Columns: []document.Column{{Head: "contestant", Lead: true},
		{Head: "by"}, {Head: "part"}}}
	for _, f := range partFigures {
		times.Columns = append(times.Columns, document.Column{Head: f.name, Number: true})
	}
	quantiles := document.Table{Title: "Percentiles, ms", Columns: []document.Column{{Head: "contestant", Lead: true},
		{Head: "by"}}}
	for _, q := range analysis.Quantiles {
		quantiles.Columns = append(quantiles.Columns, document.Column{Head: strconv.Itoa(q) + " %", Number: true})
	}
	printed, published := false, false
	for i := range a.sources {
		s := &a.sources[i]
		for _, part := range analysis.Parts {
			row := document.Row{Cells: []document.Cell{{Value: s.Title}, {Value: s.by}, {Value: part}}, Rule: part == "connect"}
			if a.partCells(s, part, &row) {
				times.Rows, published = append(times.Rows, row), published || s.date != ""
			}
		}
		row := document.Row{Cells: []document.Cell{{Value: s.Title}, {Value: s.by}}}
		if a.quantileCells(s, &row) {
			quantiles.Rows, printed = append(quantiles.Rows, row), printed || s.date != "" || s.External != ""
		}
	}
	if published {
		blocks = append(blocks, times, document.Items("Processing: from the connection to the last byte, which is "+
			"what dyno calls service time; waiting: to the first byte; total: with connecting. Of its own loads dyno "+
			"does not know the time to connect and to the first byte."))
	}
	if printed {
		blocks = append(blocks, quantiles, document.Items("The percentiles of dyno are of the service time, to about "+
			"1 %; those of ab are of the total, with connecting."))
	}
	return blocks
}

// partCells adds the figures of a part to a row. It returns false if there are none.
func (a *articleRun) partCells(s *source, part string, row *document.Row) (any bool) {
	for _, f := range partFigures {
		v := a.figureOf(s, part, f.name)
		if len(s.Loads) > 0 {
			if times, ok := analysis.PartOf(s.Loads[len(s.Loads)-1], part); ok {
				v = float64(f.of(times))
			}
		}
		any = any || !math.IsNaN(v)
		row.Cells = append(row.Cells, numberCell(v, 1e6, "it does not say"))
	}
	return any
}

// quantileCells adds the percentiles to a row. It returns false if there are none.
func (a *articleRun) quantileCells(s *source, row *document.Row) (any bool) {
	for _, q := range analysis.Quantiles {
		v := a.figureOf(s, percent, strconv.Itoa(q))
		if len(s.Loads) > 0 {
			if ns, ok := analysis.QuantileOf(s.Loads[len(s.Loads)-1], q); ok {
				v = ns
			}
		}
		any = any || !math.IsNaN(v)
		row.Cells = append(row.Cells, numberCell(v, 1e6, "it does not say"))
	}
	return any
}

// figureOf returns a published figure of a part; NaN if there is none.
func (a *articleRun) figureOf(s *source, part, figure string) float64 {
	for _, f := range a.Published {
		if f.Contestant == s.Contestant && f.Date == s.date && f.Metric.Part == part && f.Metric.Figure == figure {
			return f.Base
		}
	}
	return math.NaN()
}

// printedTable has the times and percentiles of one level that a tool printed, a row for each and a
// column for each contestant, beside ours where dyno has the same.
func (v *page) printedTable(level string) document.Table {
	var names, heads []string
	cells := map[[2]string]string{}
	for i := range v.Claims.Published {
		p := &v.Claims.Published[i]
		if p.Level != level || p.Metric.Part == "" {
			continue
		}
		head := p.Metric.Title
		if p.Metric.Part == percent {
			head += " of requests within"
		}
		if !slices.Contains(names, p.Contestant) {
			names = append(names, p.Contestant)
		}
		if !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
		text := p.theirs()
		if ours := p.ours(); ours != document.Missing {
			text += " → " + ours
		}
		cells[[2]string{head, p.Contestant}] = text
	}
	t := document.Table{Columns: []document.Column{{Head: "time", Lead: true}}}
	if level != "" {
		t.Title = level + ", as the tool printed it"
	}
	for _, name := range names {
		t.Columns = append(t.Columns, document.Column{Head: name})
	}
	for _, head := range heads {
		row := document.Row{Cells: []document.Cell{{Value: head}}}
		for _, name := range names {
			row.Cells = append(row.Cells, document.Cell{Value: cells[[2]string{head, name}], Absent: "it was not published"})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
