package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"dyno/internal/analysis"
)

// driven prints the loads of an external load generator beside ours, and what to make of them.
func (t *text) driven(d *driven) {
	if d == nil {
		return
	}
	head, typed := d.head()
	t.para("", "", head, "", "")
	if typed != "" {
		t.para("  as: ", "", typed, "", "")
	}
	heads, rows := d.table()
	lead, cols := column{head: heads[0] + ", " + heads[1]}, make([]column, len(heads)-2)
	for _, r := range rows {
		lead.cells = append(lead.cells, shorten(r[0], max(8, min(t.width/3, 32)))+", "+r[1])
		for i := range cols {
			cols[i].cells = append(cols[i].cells, r[i+2])
		}
	}
	for i := range cols {
		cols[i].head, cols[i].right = heads[i+2], i < len(cols)-1
	}
	for k, table := range stack([]column{lead}, cols, t.width) {
		if k > 0 {
			t.line("")
		}
		t.line(t.paint(dim, line(table, -1, nil)))
		for i := range rows {
			t.line(line(table, i, nil))
		}
	}
	t.line("")
	for _, l := range d.said() {
		t.para("  ", "", l, "", "")
	}
	t.para("  ", "", d.waysHead()+":", "", "")
	for _, l := range d.ways() {
		t.para("  - ", "", l, "", "")
	}
	t.line("")
}

func (d *driven) markdown(out io.Writer) {
	if d == nil {
		return
	}
	head, typed := d.head()
	fmt.Fprintf(out, "#### %s\n\n", escapeMarkdown(head))
	if typed != "" {
		fmt.Fprintf(out, "as %s\n\n", escapeMarkdown(typed))
	}
	heads, rows := d.table()
	rule := []string{"---", "---"}
	for range heads[2:] {
		rule = append(rule, "--:")
	}
	fmt.Fprintf(out, "| %s |\n| %s |\n", strings.Join(escaped(heads), " | "), strings.Join(rule, " | "))
	for _, fields := range rows {
		fmt.Fprintf(out, "| %s |\n", strings.Join(escaped(fields), " | "))
	}
	fmt.Fprintln(out)
	for _, l := range d.said() {
		fmt.Fprintf(out, "%s\n\n", escapeMarkdown(l))
	}
	fmt.Fprintf(out, "%s:\n\n", escapeMarkdown(d.waysHead()))
	for _, l := range d.ways() {
		fmt.Fprintf(out, "- %s\n", escapeMarkdown(l))
	}
	fmt.Fprintln(out)
}

// csv writes the rows of the external load generator, and of both at the ceiling's server, in the columns of classicCSV.
func (d *driven) csv(out *csv.Writer, at []string) {
	if d == nil {
		return
	}
	for i := range d.rows {
		r := &d.rows[i]
		if r.driver == "" && r.contestant != d.run.Plan.Ceiling {
			continue // it stands above
		}
		answers, errs := r.counts()
		for _, m := range drivenMetrics {
			v, state := r.value(m), "measured"
			numbers := csvNumbers(analysis.Estimate{Value: v, Lo: v, Hi: v})
			if math.IsNaN(v) {
				state, numbers = "absent", []string{"", "", ""}
			}
			fields := append(append([]string{classicLabel, r.contestant}, at...), m.Name, m.Unit)
			fields = append(append(fields, numbers...), strconv.Itoa(len(r.loads)), strings.ReplaceAll(answers, ",", ""), errs, state, "", r.by())
			out.Write(fields)
		}
	}
}

func (d *driven) json() any {
	if d == nil {
		return nil
	}
	list := []object{}
	for i := range d.rows {
		r := &d.rows[i]
		var metrics object
		for _, m := range drivenMetrics {
			metrics = append(metrics, field{m.Name + "_" + analysis.UnitNamed(m.Unit).Key, number(r.value(m))})
		}
		o := object{{"contestant", r.contestant}, {"driver", r.by()}, {"metrics", metrics}, {"of_ceiling", number(d.share(r))}}
		told := []any{}
		for k := range r.loads {
			if t := r.loads[k].Told; t != nil {
				told = append(told, t)
			}
		}
		if r.driver != "" {
			o = append(o, field{"told", told})
		}
		list = append(list, o)
	}
	return object{{"name", d.name}, {"rows", list}, {"words", append(d.said(), d.ways()...)}}
}

// page is the table as one of the page's.
func (d *driven) page() levelsTable {
	heads, rows := d.table()
	t := levelsTable{Said: append(d.said(), d.waysHead()+":"), Ways: d.ways()}
	t.Title, t.Typed = d.head()
	for _, h := range heads[1:] {
		word := "driver"
		if strings.Contains(h, "CPU") {
			word = "cpu_per_request"
		}
		c := pageColumn{Head: sentenceCaseWord(h), Word: word}
		if i := strings.LastIndexByte(c.Head, ' '); i > 0 && h != "of ceiling" { // a unit
			c.Head, c.Unit = c.Head[:i], c.Head[i+1:]
		}
		t.Columns = append(t.Columns, c)
	}
	for i, r := range rows {
		p := pageRow{Title: r[0]}
		if d.rows[i].contestant == d.run.Plan.Ceiling {
			p.Class = "control"
		}
		for _, cell := range r[1:] {
			c := pageCell{Value: cell}
			if cell == Missing {
				c = pageCell{Absent: "it is not told"}
			}
			p.Cells = append(p.Cells, c)
		}
		t.Rows = append(t.Rows, p)
	}
	return t
}
