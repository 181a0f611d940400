package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// beside are the tables of a duel's further levels, at which no pair is decided.
func (v *view) beside() *sweep {
	if v.isFamily() || len(v.Levels) == 0 {
		return nil
	}
	s := &sweep{view: v}
	for _, l := range v.Levels {
		s.names = append(s.names, l.Title())
	}
	return s
}

// besideMetrics are those of a level beside a duel: at an open loop all do the same throughput, and response times tell them apart.
func (s *sweep) besideMetrics(i int) (list []analysis.Metric) {
	names := []string{"throughput", "cpu_per_request", "p50"}
	if s.Levels[i].At.Open() {
		names = []string{"response_p50", "response_p99", "cpu_per_request"}
	}
	for _, n := range names {
		if m, ok := analysis.MetricNamed(n); ok {
			list = append(list, m)
		}
	}
	return list
}

// besideTitle says what a level beside a duel is there for.
func (s *sweep) besideTitle(i int) string {
	if s.Levels[i].At.Open() {
		return "At a common rate: " + s.names[i]
	}
	return "At another level: " + s.names[i]
}

// besideScale is the one that a metric of a level is printed with.
func (s *sweep) besideScale(m analysis.Metric, i int) Scale {
	var values []float64
	for _, r := range s.rows {
		if f := s.figure(r, m, i); f.absent == "" {
			values = append(values, f.Value)
		}
	}
	return ScaleOf(m.Unit, values...)
}

// besideNote says what the figures beside a duel are.
func (s *sweep) besideNote(i int) string {
	text := "Shown beside the duel; nothing is decided here. Medians of " + count(s.Levels[i].Analysis.Epochs, "epoch") + ", one trial each; ± is the interval of 95 %."
	if l := s.Levels[i].At; l.RateShare > 0 {
		text += fmt.Sprintf(" The rate is %s of what the slowest contestant bore in the pilots; requests come at random, and their time counts from when they were due.", PerCent(l.RateShare))
	}
	return text
}

// besideText prints them.
func (t *text) besideText() {
	s := t.beside()
	if s == nil {
		return
	}
	for i := range s.Levels {
		rows := slices.DeleteFunc(slices.Clone(s.rows), func(r row) bool { return r.Struck != "" })
		if len(rows) == 0 {
			continue
		}
		for _, l := range wrap(s.besideTitle(i), t.width) {
			t.line(t.paint(bold, l))
		}
		title := column{head: contestantHead}
		for _, r := range rows {
			title.cells = append(title.cells, shorten(r.Title, max(8, min(t.width/3, 32))))
		}
		var cols []column
		for _, m := range s.besideMetrics(i) {
			var values, sides []string
			scale := s.besideScale(m, i)
			for _, r := range rows {
				value, side := s.besideCell(r, m, i, scale)
				values, sides = append(values, value), append(sides, side)
			}
			cols = append(cols, pairColumn(m.HeadIn(scale.Name), values, sides, true))
		}
		for _, table := range stack([]column{title}, cols, t.width) {
			t.line(t.paint(dim, line(table, -1, nil)))
			for i := range rows {
				t.line(line(table, i, nil))
			}
		}
		t.para("", "", s.besideNote(i), "", "")
		t.line("")
	}
}

func (s *sweep) besideCell(r row, m analysis.Metric, i int, scale Scale) (value, side string) {
	f := s.figure(r, m, i)
	if f.absent != "" {
		return Missing, ""
	}
	return Sig3(f.Value / scale.Per), f.side()
}

// besideMarkdown prints them.
func (v *view) besideMarkdown(out io.Writer) {
	s := v.beside()
	if s == nil {
		return
	}
	for i := range s.Levels {
		heads, rule := []string{"contestant"}, []string{"---"}
		for _, m := range s.besideMetrics(i) {
			heads, rule = append(heads, m.HeadIn(s.besideScale(m, i).Name)), append(rule, "--:")
		}
		fmt.Fprintf(out, "**%s**\n\n| %s |\n| %s |\n", escapeMarkdown(s.besideTitle(i)), strings.Join(escaped(heads), " | "), strings.Join(rule, " | "))
		for _, r := range s.rows {
			fields := []string{markdownTitle(r)}
			for _, m := range s.besideMetrics(i) {
				value, side := s.besideCell(r, m, i, s.besideScale(m, i))
				fields = append(fields, escapeMarkdown(strings.TrimSpace(value+" "+side)))
			}
			fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | "))
		}
		fmt.Fprintf(out, "\n%s\n\n", escapeMarkdown(s.besideNote(i)))
	}
}

// besidePage are they in the page.
func (v *view) besidePage() (tables []levelsTable) {
	s := v.beside()
	if s == nil {
		return nil
	}
	for i := range s.Levels {
		t := levelsTable{Title: s.besideTitle(i), Unit: s.besideNote(i)}
		for _, m := range s.besideMetrics(i) {
			t.Columns = append(t.Columns, pageColumn{Head: m.Title, Unit: unitWords(s.besideScale(m, i)), Word: m.Name})
		}
		for _, r := range s.rows {
			p := unjudgedRow(r, len(t.Columns))
			p.Meta = metaOf(r)
			for _, m := range s.besideMetrics(i) {
				f := s.figure(r, m, i)
				cell := pageCell{Absent: f.absent}
				if f.absent == "" {
					cell.Value, cell.Side = s.besideCell(r, m, i, s.besideScale(m, i))
				}
				p.Cells = append(p.Cells, cell)
			}
			t.Rows = append(t.Rows, p)
		}
		tables = append(tables, t)
	}
	return tables
}

// besideCSV writes them, below the duel's own rows.
func (s *sweep) besideCSV(write func([]string) error) {
	for _, r := range s.rows {
		for i := range s.Levels {
			for _, m := range s.besideMetrics(i) {
				f := s.figure(r, m, i)
				fields := []string{r.Name, m.Name + " (" + s.names[i] + ")", m.Unit}
				notes := ""
				if f.absent == "" {
					fields = append(append(fields, csvNumbers(f.Estimate)...), "", "", "", fmt.Sprint(f.N))
				} else {
					fields, notes = append(fields, "", "", "", "", "", "", ""), "absent: "+f.absent
				}
				write(append(fields, "", "", "", "beside", notes))
			}
		}
	}
}
