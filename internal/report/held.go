package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// held is the table of a run with fresh processes: what each contestant used and holds, first idle, then after each load. Nil for other runs.
type held struct {
	metrics []analysis.Metric
	scales  []Scale
	rows    []heldRow
}

type heldRow struct {
	row   row
	after string // what it was loaded with
	cells []pageCell
}

// unloadedName is what stands for a load where there was none.
const unloadedName = "idle"

func (s *sweep) held() *held {
	if !s.run.Plan.Fresh || !s.any() {
		return nil
	}
	h := &held{metrics: slices.DeleteFunc(slices.Clone(s.metrics), func(m analysis.Metric) bool { return m.Idle == nil })}
	figures := func(r row, m analysis.Metric) []figure {
		idle := figure{absent: r.Struck}
		idle.Estimate, idle.least, idle.most = analysis.Unloaded(s.run, r.Name, m)
		if idle.N == 0 && r.Struck == "" {
			idle.absent = "it could not be read"
		}
		all := []figure{idle}
		for i := range s.Levels {
			all = append(all, s.figure(r, m, i))
		}
		return all
	}
	for _, m := range h.metrics {
		var values []float64
		for _, r := range s.rows {
			for _, f := range figures(r, m) {
				values = append(values, f.Value)
			}
		}
		h.scales = append(h.scales, ScaleOf(m.Unit, values...))
	}
	for _, r := range s.rows {
		from := len(h.rows)
		for _, name := range slices.Insert(slices.Clone(s.names), 0, unloadedName) {
			h.rows = append(h.rows, heldRow{row: r, after: name})
		}
		for k, m := range h.metrics {
			for i, f := range figures(r, m) {
				c := pageCell{Absent: f.absent}
				if f.absent == "" {
					c.Value, c.Side = Sig3(f.Value/h.scales[k].Per), f.side()
				}
				if f.absent == "" && analysis.UnitNamed(m.Unit).Scales == nil { // counted: whole, or halves
					c.Value = grouped(f.Value, decimals(f.Value))
				}
				h.rows[from+i].cells = append(h.rows[from+i].cells, c)
			}
		}
	}
	return h
}

// title is that of the table.
func (h *held) title(requests int64) string {
	return "What the processes used and hold, idle and after " + grouped(float64(requests), 0) + " requests at each level"
}

// heldNotes say what the figures are.
var heldNotes = []string{
	"Idle is a process that is started, has given its first answer and is verified, frozen before its first load; its CPU time is since its start. Each level has processes of its own, " +
		"which are not warmed up; load 2 and load 3 are of the processes of the level before, in this order. CPU time is of the load, or since the start of the process.",
	"Memory and threads are read after the load, frozen, its connections closed; sockets just before they are, the listening one among them.",
}

// head is a column's name with its unit.
func (h *held) head(k int) string {
	if analysis.UnitNamed(h.metrics[k].Unit).Scales == nil {
		return h.metrics[k].Title
	}
	return h.metrics[k].Title + ", " + h.scales[k].Name
}

// heldText is the table in text.
func (t *text) heldText(s *sweep) {
	h := s.held()
	if h == nil {
		return
	}
	t.line(t.paint(bold, h.title(s.run.Plan.Requests)))
	lead := column{head: contestantHead + ", after"}
	for _, r := range h.rows {
		name := "  " + r.after
		if r.after == unloadedName {
			name = crossed(r.row) + shorten(r.row.Title, max(8, min(t.width/3, 32))) + ", " + r.after
		}
		lead.cells = append(lead.cells, name)
	}
	var cols []column
	for k := range h.metrics {
		var values, sides []string
		for _, r := range h.rows {
			values, sides = append(values, orElse(r.cells[k].Value, Missing)), append(sides, r.cells[k].Side)
		}
		cols = append(cols, pairColumn(h.head(k), values, sides, true))
	}
	for k, table := range stack([]column{lead}, cols, t.width) {
		if k > 0 {
			t.line("")
		}
		t.line(t.paint(dim, line(table, -1, nil)))
		for i := range h.rows {
			t.line(line(table, i, nil))
		}
	}
	for _, n := range heldNotes {
		t.para("", "", n, "", "")
	}
	t.line("")
}

// heldMarkdown is the same table.
func (s *sweep) heldMarkdown(out io.Writer) {
	h := s.held()
	if h == nil {
		return
	}
	heads := []string{contestantHead, "after"}
	for k := range h.metrics {
		heads = append(heads, h.head(k))
	}
	fmt.Fprintf(out, "| %s |\n| --- | --- |%s\n", strings.Join(escaped(heads), " | "), strings.Repeat(" --: |", len(h.metrics)))
	for _, r := range h.rows {
		fields := []string{markdownTitle(r.row), escapeMarkdown(r.after)}
		for _, c := range r.cells {
			fields = append(fields, escapeMarkdown(strings.TrimSpace(orElse(c.Value, Missing)+" "+c.Side)))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | "))
	}
	fmt.Fprintln(out)
	for _, n := range heldNotes {
		fmt.Fprintf(out, "%s\n\n", escapeMarkdown(n))
	}
}

// heldPage is the same table in the page; nil for other runs.
func (s *sweep) heldPage() *levelsTable {
	h := s.held()
	if h == nil {
		return nil
	}
	t := &levelsTable{Title: h.title(s.run.Plan.Requests)}
	for k, m := range h.metrics {
		t.Columns = append(t.Columns, pageColumn{Head: m.Title, Unit: strings.TrimPrefix(strings.TrimPrefix(h.head(k), m.Title), ", "), Word: m.Name})
	}
	for _, r := range h.rows {
		p := unjudgedRow(r.row, len(h.metrics))
		p.Meta, p.Cells = r.after, r.cells
		t.Rows = append(t.Rows, p)
	}
	return t
}

// unloadedJSON are the figures of a contestant that was not yet loaded; nil for other runs.
func (s *sweep) unloadedJSON(r row) object {
	var metrics object
	for _, m := range s.metrics {
		if e, _, _ := analysis.Unloaded(s.run, r.Name, m); e.N > 0 {
			u := analysis.UnitNamed(m.Unit).Key
			metrics = append(metrics, field{m.Name, object{{"value_" + u, number(e.Value)}, {"lo_" + u, number(e.Lo)}, {"hi_" + u, number(e.Hi)}, {"epochs", e.N}}})
		}
	}
	return metrics
}
