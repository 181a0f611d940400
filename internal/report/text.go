package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dyno/internal/analysis"
	"dyno/internal/checks"
)

// Text writes what a person sees in a terminal at the end of a run: at most d.Width columns (100 if 0) of UTF-8, with ANSI styles
// only if d.Color. Columns that do not fit go into further tables below; longer sentences are wrapped, never cut.
func Text(w io.Writer, d *Data) error {
	if write := d.unjudged("text"); write != nil {
		return errors.Join(write(w, d), claimsText(w, d))
	}
	t := newText(w, newView(d))
	t.head()
	t.standings()
	t.besideText()
	t.verdicts()
	t.checks()
	t.origin()
	return errors.Join(t.out.Flush(), claimsText(w, d))
}

type text struct {
	*view
	width int
	out   *bufio.Writer
}

func newText(w io.Writer, v *view) *text {
	t := &text{view: v, width: v.Width, out: bufio.NewWriter(w)}
	if t.width <= 0 {
		t.width = 100
	}
	return t
}

// Styles are the few SGR parameters that Text uses (ECMA-48 8.3.117).
const (
	bold   = "1"
	dim    = "2"
	strike = "2;9"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (t *text) paint(style, s string) string {
	if !t.Color || style == "" || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (t *text) line(s string) { fmt.Fprintln(t.out, s) }

// para writes s wrapped, after a label and with the further lines under its text. In it the word, if any, gets a style.
func (t *text) para(label, labelStyle, s, word, style string) {
	indent := cells(label)
	if indent > t.width/2 { // a label that leaves no room stands on a line of its own
		for _, l := range wrap(label, t.width) {
			t.line(t.paint(labelStyle, l))
		}
		label, indent = "  ", 2
	}
	for i, l := range wrap(s, t.width-indent) {
		if word != "" {
			l = strings.Replace(l, word, t.paint(style, word), 1)
		}
		lead := strings.Repeat(" ", indent)
		if i == 0 {
			name := strings.TrimRight(label, " ")
			lead = t.paint(labelStyle, name) + label[len(name):]
		}
		t.line(lead + l)
	}
}

func (t *text) head() {
	for _, l := range wrap(t.heading(), t.width) {
		t.line(t.paint(bold, l))
	}
	t.para("", "", strings.Join(t.view.head(), " · "), "", "")
	if t.run.End == nil || t.run.End.Reason != "decided" {
		t.para("", "", t.ended(), "", "")
	}
	t.para("", "", t.forced(), "", "")
	for _, f := range t.troubles() {
		if f.State == checks.Fail && f.Contestant == "" {
			t.para("This run must not be quoted: ", red, Clean(f.Text), "", "")
		}
	}
	t.line("")
}

func (t *text) standings() {
	if len(t.rows)+len(t.controls) == 0 {
		t.line("No contestants.")
		t.line("")
		return
	}
	all := slices.Concat(t.rows, t.controls)
	tables := t.tables(all)
	for k, table := range tables {
		if k > 0 {
			t.line("")
		}
		t.line(t.paint(dim, line(table, -1, nil)))
		for i, r := range all {
			if i == len(t.rows) {
				t.line(t.paint(dim, "yardstick"))
			}
			if r.Struck != "" {
				if k == 0 {
					t.struckRow(table, i, r)
				}
				continue
			}
			t.line(line(table, i, func(col int, s string) string {
				switch {
				case r.Control:
					return t.paint(dim, s)
				case table[col].head == contestantHead && r.Place.Tier == 1:
					return t.paint(bold, s)
				}
				return s
			}))
			if k == 0 && len(r.Notes) > 0 {
				t.para(strings.Repeat(" ", leadWidth(table)), "", strings.Join(r.Notes, "; "), "", "")
			}
		}
	}
	if t.open() {
		t.para("", "", "∞: too few epochs for an interval.", "", "")
	}
	t.line("")
}

// struckRow shows a contestant without a figure: its title struck out, and why on the lines below it.
func (t *text) struckRow(table []column, i int, r row) {
	var lead []column
	for _, c := range table {
		lead = append(lead, c)
		if c.head == contestantHead {
			break
		}
	}
	t.line(line(lead, i, func(col int, s string) string {
		if lead[col].head == contestantHead {
			title := strings.TrimRight(s, " ")
			return t.paint(strike, title) + s[len(title):]
		}
		return t.paint(dim, s)
	}))
	word, indent := strings.SplitN(r.Struck, ":", 2)[0], strings.Repeat(" ", leadWidth(table))
	t.para(indent, "", r.Struck, word, red)
	if r.Failure != nil {
		for _, l := range lastLines(r.Failure) {
			t.line(indent + t.paint(dim, shorten("| "+strings.TrimRight(command(strings.ReplaceAll(l, "\t", "    ")), " "), t.width-len(indent))))
		}
	}
}

const contestantHead = "contestant"

// leadWidth is how far the titles of a table are indented.
func leadWidth(table []column) int {
	w := 0
	for _, c := range table {
		if c.head == contestantHead {
			break
		}
		w += c.width() + 2
	}
	return w + 2
}

// tables lays out the columns: tier, rank and title, then the primary metric with its ratio, then the others.
func (t *text) tables(rows []row) [][]column {
	tier, rank, title := column{head: "tier", right: true}, column{head: "rank"}, column{head: contestantHead}
	for _, r := range rows {
		a, b := tierText(r), rankText(r)
		tier.cells, rank.cells = append(tier.cells, a), append(rank.cells, b)
		title.cells = append(title.cells, r.Title)
	}
	var cols []column
	for _, m := range t.shown() {
		cols = append(cols, t.levelColumn(rows, m))
		if m.Name == t.primary().Name {
			cols = append(cols, t.ratioColumn(rows, m))
		}
	}
	cols = append(cols, t.startTextColumns(rows)...)
	room := t.width - 12
	for _, c := range cols {
		room = min(room, t.width-c.width()-2-12)
	}
	for i, s := range title.cells {
		title.cells[i] = shorten(s, max(8, min(room, 32)))
	}
	return stack([]column{tier, rank, title}, cols, t.width)
}

func (t *text) levelColumn(rows []row, m analysis.Metric) column {
	scale := t.scale(m)
	var levels, sides []string
	for _, r := range rows {
		c := t.cell(r.Name, m.Name)
		level, side := Missing, ""
		if r.Struck != "" {
			level = ""
		} else if c.Absent == "" {
			level, side = levelParts(c.Level, scale)
		}
		levels, sides = append(levels, level), append(sides, side)
	}
	return pairColumn(m.HeadIn(scale.Name), levels, sides, true)
}

func (t *text) ratioColumn(rows []row, m analysis.Metric) column {
	var values, intervals []string
	for _, r := range rows {
		c := t.cell(r.Name, m.Name)
		value, interval := Missing, ""
		switch {
		case r.Struck != "":
			value = ""
		case t.isYardstick(r):
			value = "1"
		case c.Absent == "" && c.Ratio.N > 0:
			value, interval = ratioParts(c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi)
		}
		values, intervals = append(values, value), append(intervals, interval)
	}
	return pairColumn("× "+t.yardstick(), values, intervals, false)
}

func tierText(r row) string {
	switch {
	case r.Control:
		return ""
	case r.Struck != "":
		return "✗"
	case r.Place.Tier == 0:
		return Missing
	}
	return fmt.Sprint(r.Place.Tier)
}

func rankText(r row) string {
	p := r.Place
	switch {
	case r.Control || r.Struck != "":
		return ""
	case p.Lo == 0:
		return Missing
	case p.Lo == p.Hi:
		return fmt.Sprint(p.Lo)
	}
	return fmt.Sprintf("%d–%d", p.Lo, p.Hi)
}

var verdictStyle = map[analysis.Verdict]string{
	analysis.Different:  green,
	analysis.Negligible: cyan,
	analysis.Tie:        cyan,
	analysis.Undecided:  yellow,
}

func (t *text) verdicts() {
	all, show := t.pairs()
	if len(all) == 0 {
		return
	}
	if len(all) > matrixFrom {
		t.matrix()
	} else {
		show = all
	}
	for _, p := range show {
		s := t.sentence(p)
		t.para("  ", "", s.String(), s.Verdict, verdictStyle[s.Kind])
	}
	t.line("")
}

// matrix shows every pair once, the upper row against a lower one as the column.
func (t *text) matrix() {
	rows := t.ranked()
	lead := column{head: "row ÷ column"}
	short := max(8, min(24, t.width/3))
	for i, r := range rows[:len(rows)-1] {
		lead.cells = append(lead.cells, fmt.Sprintf("%d %s", i+1, shorten(r.Title, short)))
	}
	var cols []column
	for j := 1; j < len(rows); j++ {
		c := column{head: fmt.Sprint(j + 1), right: true}
		for i := range rows[:len(rows)-1] {
			s := ""
			if p, ok := t.a.Pair(rows[i].Name, rows[j].Name, t.primary().Name); ok && i < j {
				value, _ := ratioParts(p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi)
				s = value + " " + strings.ReplaceAll(PlusMinus(p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi), " ", "") + " " + mark(p)
			}
			c.cells = append(c.cells, s)
		}
		cols = append(cols, c)
	}
	for _, table := range stack([]column{lead}, cols, t.width) {
		t.line(t.paint(dim, line(table, -1, nil)))
		for i := range rows[:len(rows)-1] {
			t.line(line(table, i, nil))
		}
	}
	t.para("", "", markLegend, "", "")
	t.para("", "", fmt.Sprintf("Columns are numbered as the rows; %d is %s.", len(rows), rows[len(rows)-1].Title), "", "")
	t.line("")
}

var stateStyle = map[checks.State]string{checks.Warn: yellow, checks.Fail: red}

func (t *text) checks() {
	s, state := t.canary()
	t.para("A/A check: ", stateStyle[state], s+".", "", "")
	for _, o := range t.others() {
		t.para("Control: ", "", o+".", "", "")
	}
	t.para("Power: ", "", t.mde()+".", "", "")
	t.findings()
	t.line("")
}

// findings are the six questions with their answers.
func (t *text) findings() {
	more := false
	for _, q := range t.questions() {
		more = more || q.More
		t.para(fmt.Sprintf("%-17s", q.Question), stateStyle[q.State], q.text(), "", "")
		if !t.Verbose {
			continue
		}
		for _, f := range q.All {
			t.para("  "+f.State.String()+" "+f.ID+" ", stateStyle[f.State], t.finding(f), "", "")
		}
	}
	if more && !t.Verbose {
		t.para("", "", "dyno report --verbose shows all that the checks found.", "", "")
	}
}

func (t *text) origin() {
	p := &t.run.Plan
	t.para("Machine: ", "", t.machine()+".", "", "")
	if c := t.companionText(); c != "" {
		t.para("Companion: ", "", c+".", "", "")
	}
	if absent := t.unmeasured(); absent != "" {
		t.para("Not measured here: ", "", absent+".", "", "")
	}
	t.para("Seed: ", "", fmt.Sprint(p.Seed)+".", "", "")
	t.line("Repeat: " + orElse(command(p.Command), "the command was not recorded")) // not wrapped: it is there to be copied
}
