package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"dyno/internal/analysis"
)

// Markdown writes a table, the verdicts and the machine, in GitHub's dialect, as for a README.
func Markdown(w io.Writer, d *Data) error {
	if write := d.unjudged("markdown"); write != nil {
		return errors.Join(write(w, d), claimsMarkdown(w, d))
	}
	v := newView(d)
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "### %s\n\n%s\n\n", escapeMarkdown(v.heading()), escapeMarkdown(strings.Join(v.answer(), " ")))
	v.markdownTable(out)
	v.besideMarkdown(out)
	fmt.Fprintf(out, "%s.\n\n", escapeMarkdown(strings.Join(v.head(), ", ")))
	all, neighbours := v.pairs()
	if len(all) > matrixFrom {
		all = neighbours
	}
	for _, p := range all {
		s := v.sentence(p)
		fmt.Fprintf(out, "- %s**%s**%s\n", escapeMarkdown(s.Claim), escapeMarkdown(s.Verdict), escapeMarkdown(s.Rest))
	}
	if len(all) > 0 {
		fmt.Fprintln(out)
	}
	canary, _ := v.canary()
	fmt.Fprintf(out, "A/A check: %s. Power: %s.\n\n", escapeMarkdown(canary), escapeMarkdown(v.mde()))
	v.markdownEnd(out)
	return errors.Join(out.Flush(), claimsMarkdown(w, d))
}

// markdownEnd writes what the checks found, the machine, and how to repeat the run.
func (v *view) markdownEnd(out io.Writer) {
	v.questionsMarkdown(out)
	command := command(v.run.Plan.Command)
	fence := strings.Repeat("`", max(3, longestRun(command, '`')+1))
	machine := v.machine() + "."
	if c := v.companionText(); c != "" {
		machine += " Companion: " + c + "."
	}
	if absent := v.unmeasured(); absent != "" {
		machine += " Not measured here: " + absent + "."
	}
	fmt.Fprintf(out, "Machine: %s Seed %d. To repeat:\n\n%ssh\n%s\n%s\n", escapeMarkdown(machine), v.run.Plan.Seed,
		fence, orElse(command, "# the command was not recorded"), fence)
}

// questionsMarkdown writes the six questions with their answers.
func (v *view) questionsMarkdown(out io.Writer) {
	for _, q := range v.questions() {
		fmt.Fprintf(out, "- %s %s\n", escapeMarkdown(q.Question), escapeMarkdown(q.text()))
		if !v.Verbose {
			continue
		}
		for _, f := range q.All {
			fmt.Fprintf(out, "  - %s %s %s\n", f.State, f.ID, escapeMarkdown(v.finding(f)))
		}
	}
	if len(v.Findings) > 0 {
		fmt.Fprintln(out)
	}
}

func (v *view) markdownTable(out io.Writer) {
	if len(v.rows) == 0 {
		return
	}
	heads, rule := []string{"rank", "contestant"}, []string{"---", "---"}
	add := func(head string) { heads, rule = append(heads, head), append(rule, "--:") }
	for _, m := range v.shown() {
		add(m.HeadIn(v.scale(m).Name))
		if m.Name == v.primary().Name {
			add("× " + v.yardstick())
		}
	}
	shown := v.startsShown()
	for _, c := range shown {
		add(c.Head + " " + v.startScale(c).Name)
	}
	if v.warmed() {
		heads, rule = append(heads, "warm-up class"), append(rule, "---")
	}
	line := func(fields []string) { fmt.Fprintf(out, "| %s |\n", strings.Join(fields, " | ")) }
	line(escaped(append(heads, "notes")))
	line(append(rule, "---"))
	for _, r := range append(append([]row(nil), v.rows...), v.controls...) {
		title, rank := escapeMarkdown(r.Title), rankText(r)
		switch {
		case r.Struck != "":
			title, rank = "~~"+title+"~~", ""
		case r.Control:
			title = "*" + title + "*"
		}
		fields := append([]string{rank, title}, escaped(v.markdownNumbers(r))...)
		for _, c := range shown {
			value, side := startParts(c.Of(r.Starts), v.startScale(c))
			if r.Struck != "" {
				value, side = Missing, ""
			}
			fields = append(fields, strings.TrimSpace(value+" "+side))
		}
		if v.warmed() {
			fields = append(fields, map[bool]string{true: classesText(r.Starts), false: Missing}[r.Struck == ""])
		}
		notes := r.Notes
		if r.Struck != "" {
			notes = append([]string{r.Struck}, notes...)
		}
		line(append(fields, escapeMarkdown(strings.Join(notes, "; "))))
	}
	fmt.Fprintln(out)
}

func (v *view) markdownNumbers(r row) (fields []string) {
	for _, m := range v.shown() {
		c := v.cell(r.Name, m.Name)
		primary := m.Name == v.primary().Name
		level, ratio := Missing, Missing
		if r.Struck == "" && c.Absent == "" {
			value, side := levelParts(c.Level, v.scale(m))
			level = value + " " + side
			ratio = v.ratioOf(r, c)
		}
		fields = append(fields, level)
		if primary {
			fields = append(fields, ratio)
		}
	}
	return fields
}

// ratioOf prints how a cell stands to the yardstick: its own is 1.
func (v *view) ratioOf(r row, c analysis.Cell) string {
	switch {
	case v.isYardstick(r):
		return "1"
	case c.Ratio.N > 0:
		return Ratio(c.Ratio.Value, c.Ratio.Lo, c.Ratio.Hi)
	}
	return Missing
}

// escapeMarkdown makes s plain text in GitHub's dialect, in a table or out of one; s is clean already. Links that GitHub makes of bare addresses remain.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '<':
			b.WriteString("&lt;")
			continue
		case '>':
			b.WriteString("&gt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		case '\\', '`', '*', '_', '[', ']', '#', '|', '~':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func escaped(list []string) []string {
	for i := range list {
		list[i] = escapeMarkdown(list[i])
	}
	return list
}

func longestRun(s string, c byte) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
