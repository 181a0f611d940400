package study

import "dyno/internal/document"

// percent is the Part of a percentile figure.
const percent = "percent"

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
