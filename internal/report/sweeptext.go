package report

import (
	"io"
	"slices"
	"strings"

	"dyno/internal/analysis"
)

// sweepText is Text for a sweep: a table for each metric, rows contestants, columns levels.
func sweepText(w io.Writer, d *Data) error {
	s := newSweep(d)
	t := newText(w, s.view)
	t.unjudgedHead(sentenceCase(s.label()), s.head(), s.familyAnswer())
	t.familyText(s)
	t.heldText(s)
	t.sweepTables(s)
	for _, list := range [][]string{s.marks(), s.gaps(), s.rowNotes()} {
		for _, l := range list {
			t.para("", "", l, "", "")
		}
	}
	t.line("")
	t.unjudgedEnd()
	return t.out.Flush()
}

// sentenceCase makes a sentence of a label.
func sentenceCase(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }

// unjudgedHead prints the title, what kind of run it is, and the facts.
func (t *text) unjudgedHead(label string, facts, more []string) {
	for _, l := range wrap(t.heading(), t.width) {
		t.line(t.paint(bold, l))
	}
	t.para("", "", label, label, yellow)
	t.para("", "", strings.Join(facts, " · "), "", "")
	for _, s := range slices.Concat(more, t.endedEarly()) {
		t.para("", "", s, "", "")
	}
	for _, s := range t.forbidding() {
		t.para("", "", s, "fails check", red)
	}
	t.line("")
}

// crossed marks a row that failed where it cannot be struck out.
func crossed(r row) string {
	if r.Struck != "" {
		return "✗ "
	}
	return ""
}

// unjudgedEnd prints the checks and where the figures come from.
func (t *text) unjudgedEnd() {
	t.findings()
	if len(t.Findings) > 0 {
		t.line("")
	}
	t.origin()
}

func (t *text) sweepTables(s *sweep) {
	all := slices.Concat(s.rows, s.controls)
	if len(all) == 0 {
		t.line("No contestants.")
		t.line("")
		return
	}
	for k, m := range s.shownMetrics() {
		here := s.showing(m)
		standing := slices.Concat(here.rows, here.controls)
		if k > 0 { // who is struck out stands in the first table
			standing = slices.DeleteFunc(standing, func(r row) bool { return r.Struck != "" })
		}
		if len(standing) == 0 {
			return
		}
		t.line(t.paint(bold, m.Title+", "+unitWords(here.sweepScale(m))))
		t.sweepTable(here, m, standing)
		t.line("")
	}
}

// unitWords is what a column counts: "requests per second", "ms".
func unitWords(s Scale) string { return strings.Replace(s.Name, "1/s", "requests per second", 1) }

func (t *text) sweepTable(s *sweep, m analysis.Metric, rows []row) {
	title := column{head: contestantHead}
	for _, r := range rows {
		title.cells = append(title.cells, crossed(r)+shorten(r.Title, max(8, min(t.width/3, 32))))
	}
	var cols []column
	scale := s.sweepScale(m)
	for i, name := range s.names {
		var values, sides []string
		for _, r := range rows {
			value, side := Missing, ""
			switch f := s.figure(r, m, i); {
			case r.Struck != "":
				value = ""
			case f.absent == "":
				value, side = Sig3(f.Value/scale.Per), f.side()
				if f.bound {
					value = "≥ " + value
				}
			}
			values, sides = append(values, value), append(sides, side)
		}
		cols = append(cols, pairColumn(name, values, sides, true))
	}
	for k, table := range stack([]column{title}, cols, t.width) {
		if k > 0 {
			t.line("")
		}
		t.line(t.paint(dim, line(table, -1, nil)))
		for i, r := range rows {
			t.engine(s.view, rows, i)
			if r.Control && (i == 0 || !rows[i-1].Control) {
				t.line(t.paint(dim, "yardstick"))
			}
			if r.Struck != "" {
				if k == 0 {
					t.struckRow(table, i, r)
				}
				continue
			}
			t.line(line(table, i, func(_ int, cell string) string {
				if r.Control {
					return t.paint(dim, cell)
				}
				return cell
			}))
		}
	}
}
