package terminal

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"dyno/internal/document"
	"dyno/internal/report"
	"dyno/internal/result"
)

// verbs say what a stage does, before the name of a contestant.
var verbs = map[string]string{
	"toolchain": "finding the toolchain of", "build": "building", "verify": "verifying", "built": "built", "calibrate": "calibrating", "launch": "launching",
	"pilot": "piloting", "measure": "measuring", "analyse": "analysing", "done": "done",
}

// lines are what the live part shows now.
func (v *View) lines() []string {
	verb := verbs[v.stage]
	if verb == "" {
		verb = v.stage
	}
	what, text := verb+" "+v.who, v.text
	if len(v.tasks) > 0 {
		what, text = "preparing "+count(len(v.tasks), "contestant"), ""
	}
	head := v.style.faint.Render(fmt.Sprintf("%5s", clock(v.now.Sub(v.started)))) + "  " + v.style.title.Render(strings.TrimSpace(what))
	if text != "" {
		head += "  " + v.style.faint.Render(text)
	}
	lines := []string{head}
	if v.total > 0 {
		progress := v.progress()
		room := v.columns() - len(gutter) - 2 - lipgloss.Width(progress)
		lines = append(lines, gutter+v.style.bar.Render(Bar(v.done, v.total, min(30, max(5, room))))+"  "+progress)
	}
	lines = append(lines, v.taskLines()...)
	lines = append(lines, v.standingLines()...)
	if len(v.failed) > 0 {
		lines = append(lines, gutter+v.style.bad.Render(fmt.Sprintf("%d failed", len(v.failed)))+"  "+strings.Join(v.failed, ", "))
	}
	return lines
}

// taskLines show all that is being built, launched or verified at once.
func (v *View) taskLines() (lines []string) {
	var names []string
	for _, t := range v.tasks {
		names = append(names, t.who)
	}
	for i, t := range v.tasks {
		if i == rowsAtMost-1 && len(v.tasks) > rowsAtMost {
			return append(lines, v.style.faint.Render(gutter+"and "+fmt.Sprint(len(v.tasks)-i)+" more"))
		}
		lines = append(lines, fmt.Sprintf(gutter+"%s  %-9s  %s", padded(t.who, widest(names)), t.stage, v.style.faint.Render(t.text)))
	}
	return lines
}

// standingLines are the interim table, in the order that it came.
func (v *View) standingLines() (lines []string) {
	if len(v.standing) == 0 {
		return nil
	}
	var names, rates, ratios []string
	for i, s := range v.standing {
		if i == rowsAtMost {
			break
		}
		ratio := report.Missing
		if s.Ratio > 0 {
			if s.Hi == 0 {
				s.Hi = math.Inf(1)
			}
			ratio = report.Ratio(s.Ratio, s.Lo, s.Hi)
		}
		names, rates, ratios = append(names, document.Clean(s.Name)), append(rates, fmt.Sprintf("%9s", report.Rate(s.PerSec))), append(ratios, ratio)
	}
	table := [][]string{names, rates, ratios}
	for i, head := range []string{"so far", "rate", "× yardstick"} {
		table[i] = append([]string{head}, table[i]...)
	}
	switch {
	case !slices.ContainsFunc(v.standing, func(s result.Standing) bool { return s.Ratio > 0 }): // a classic run has no yardstick
		table = slices.Delete(table, 2, 3)
	case len(gutter)+wide(table) > v.columns(): // rather than to cut a number off from its interval
		table = slices.Delete(table, 1, 2)
	}
	for i := range table[0] {
		l := gutter
		for _, col := range table {
			l += padded(col[i], widest(col)) + "  "
		}
		if i == 0 {
			l = v.style.faint.Render(l)
		}
		lines = append(lines, l)
	}
	if n := len(v.standing) - len(names); n > 0 {
		lines = append(lines, v.style.faint.Render(gutter+"and "+fmt.Sprint(n)+" more"))
	}
	return lines
}

// gutter stands left of all lines but the first, under its clock.
const gutter = "       "

// wide is the width of a table whose columns stand two apart.
func wide(table [][]string) int {
	n := -2
	for _, col := range table {
		n += widest(col) + 2
	}
	return n
}

func widest(col []string) (w int) {
	for _, s := range col {
		w = max(w, lipgloss.Width(s))
	}
	return w
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-lipgloss.Width(s)))
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// columns is the width to draw in, one less than the terminal's, so that no line makes the cursor wrap.
func (v *View) columns() int {
	w := v.width()
	if w <= 0 {
		w = 80
	}
	return max(1, w-1)
}

// draw replaces the lines that stand by others, in one write. Lines are cut at the width that the terminal has now.
func (v *View) draw(lines []string) {
	var b strings.Builder
	b.WriteString(v.home())
	v.drawn = v.drawn[:0]
	for _, l := range lines {
		l = v.style.line.MaxWidth(v.columns()).Render(l)
		v.drawn = append(v.drawn, lipgloss.Width(l))
		b.WriteString(l + "\x1b[K\n") // EL: erase to the end of the line
	}
	b.WriteString("\x1b[J") // ED: erase what stood below
	io.WriteString(v.out, b.String())
	v.last = v.now
}

// keep writes s for good above the live lines, and draws these anew.
func (v *View) keep(s string) {
	io.WriteString(v.out, v.home()+"\x1b[J"+s+"\n")
	v.drawn = v.drawn[:0]
	v.draw(v.lines())
}

// home moves the cursor to the start of the first live line. A terminal that became narrower since the drawing has broken the longer
// lines, so each counts as the rows that it takes now.
func (v *View) home() string {
	rows, width := 0, v.columns()+1
	for _, w := range v.drawn {
		rows += max(1, (w+width-1)/width)
	}
	if rows == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", rows) // CUU
}

// Bar is a bar of width cells of which done/total is full, in eighths of a cell.
func Bar(done, total, width int) string {
	if width <= 0 {
		return ""
	}
	eighths := 0
	if total > 0 {
		eighths = 8 * width * min(max(done, 0), total) / total
	}
	s := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		s += string([]rune("▏▎▍▌▋▊▉")[part-1])
	}
	return s + strings.Repeat("░", width-len([]rune(s)))
}
