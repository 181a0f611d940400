package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"dyno/internal/document"
)

// verbs name a stage's activity, before a contestant's name; other stages are their own verb.
var verbs = map[string]string{
	"toolchain": "finding the toolchain of", "build": "building", "verify": "verifying", "calibrate": "calibrating",
	"launch": "launching", "pilot": "pilot of", "measure": "measuring", "analyse": "analysing",
}

// gutter indents all live lines after the first, which begins with the clock.
const gutter = "       "

// head returns the first live line: the clock, and the current activity.
func (v *TerminalView) head(elapsed time.Duration, what string) string {
	return v.style.faint.Render(fmt.Sprintf("%5s", clock(elapsed))) + "  " + v.style.title.Render(what)
}

// bar returns a line with a bar for done/total, as long as the terminal allows, and the progress in
// words.
func (v *TerminalView) bar(done, total int, progress string) string {
	room := v.columns() - len(gutter) - 2 - lipgloss.Width(progress)
	return gutter + v.style.bar.Render(bar(done, total, min(30, max(5, room)))) + "  " + progress
}

// more returns the line below a list that leaves out n entries.
func (v *TerminalView) more(n int) string {
	return v.style.faint.Render(fmt.Sprintf("%sand %d more", gutter, n))
}

// lines returns the current live lines.
func (v *TerminalView) lines() []string {
	what, text := cmp.Or(verbs[v.stage], v.stage)+" "+v.who, v.text
	if len(v.tasks) > 0 {
		what, text = "preparing "+document.Count(len(v.tasks), "contestant"), ""
	}
	head := v.head(v.now.Sub(v.started), strings.TrimSpace(what))
	if text != "" {
		head += "  " + v.style.faint.Render(text)
	}
	lines := []string{head}
	if v.total > 0 {
		lines = append(lines, v.bar(v.done, v.total, v.progress()))
	}
	lines = append(lines, v.taskLines()...)
	lines = append(lines, v.standingLines()...)
	if len(v.failed) > 0 {
		failed := v.style.bad.Render(fmt.Sprintf("%d failed", len(v.failed)))
		lines = append(lines, gutter+failed+"  "+strings.Join(v.failed, ", "))
	}
	return lines
}

// taskLines list all contestants that are being built, launched or verified at once.
func (v *TerminalView) taskLines() (lines []string) {
	var names []string
	for _, t := range v.tasks {
		names = append(names, t.who)
	}
	for i, t := range v.tasks {
		if i == rowsAtMost-1 && len(v.tasks) > rowsAtMost {
			return append(lines, v.more(len(v.tasks)-i))
		}
		who := padded(t.who, widestIn(names))
		lines = append(lines, fmt.Sprintf(gutter+"%s  %-9s  %s", who, t.stage, v.style.faint.Render(t.text)))
	}
	return lines
}

// standingLines returns the interim table, in the order of the latest event.
func (v *TerminalView) standingLines() (lines []string) {
	if len(v.standing) == 0 {
		return nil
	}
	table := [][]string{{"so far"}, {"requests"}, {v.standing[0].Of}}
	ratios := false
	shown := v.standing[:min(len(v.standing), rowsAtMost)]
	for _, s := range shown {
		ratio := Missing
		if s.Ratio > 0 {
			ratios = true
			if ratio = fmt.Sprintf("%.2f", s.Ratio); s.Lo > 0 && s.Hi > s.Lo && !math.IsInf(s.Hi, 0) {
				ratio += fmt.Sprintf(" (%.2f–%.2f)", s.Lo, s.Hi)
			}
		}
		for i, cell := range []string{document.Clean(s.Name), fmt.Sprintf("%9s", Rate(s.PerSec)), ratio} {
			table[i] = append(table[i], cell)
		}
	}
	width := len(gutter) - 2
	for _, col := range table {
		width += widestIn(col) + 2
	}
	switch {
	case !ratios: // a classic run compares nothing
		table = table[:2]
	case width > v.columns(): // rather than separate a number from its interval
		table = slices.Delete(table, 1, 2)
	}
	for i := range table[0] {
		l := gutter
		for _, col := range table {
			l += padded(col[i], widestIn(col)) + "  "
		}
		if i == 0 {
			l = v.style.faint.Render(l)
		}
		lines = append(lines, l)
	}
	if n := len(v.standing) - len(shown); n > 0 {
		lines = append(lines, v.more(n))
	}
	return lines
}

// widestIn returns a column's width, in terminal cells.
func widestIn(col []string) (w int) {
	for _, s := range col {
		w = max(w, lipgloss.Width(s))
	}
	return w
}

// padded fills s with blanks up to width cells.
func padded(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-lipgloss.Width(s)))
}

// columns returns the width to draw in: one less than the terminal's, so that no line makes the
// cursor wrap.
func (v *TerminalView) columns() int {
	w := v.width()
	if w <= 0 {
		w = 80
	}
	return max(1, w-1)
}

// draw replaces the live lines by others, in one write. It cuts lines at the terminal's present
// width.
func (v *TerminalView) draw(lines []string) {
	var b strings.Builder
	b.WriteString(v.home())
	v.drawn = v.drawn[:0]
	for _, l := range lines {
		l = v.style.line.MaxWidth(v.columns()).Render(l)
		v.drawn = append(v.drawn, lipgloss.Width(l))
		b.WriteString(l + "\x1b[K\n") // EL: erase to the end of the line
	}
	b.WriteString("\x1b[J") // ED: erase everything below
	io.WriteString(v.out, b.String())
	v.last = v.now
}

// keep writes s for good above the live lines, and draws these again.
func (v *TerminalView) keep(s string) {
	io.WriteString(v.out, v.home()+"\x1b[J"+s+"\n")
	v.drawn = v.drawn[:0]
	v.draw(v.lines())
}

// home returns the code that moves the cursor to the start of the first live line. A terminal that
// became narrower since the last drawing has wrapped the longer lines, so each counts as the rows
// that it takes now.
func (v *TerminalView) home() string {
	rows, width := 0, v.columns()+1
	for _, w := range v.drawn {
		rows += max(1, (w+width-1)/width)
	}
	if rows == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", rows) // CUU: up
}

// bar returns a bar with width cells, filled to done/total, in eighths of a cell.
func bar(done, total, width int) string {
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
