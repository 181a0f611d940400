package doctor

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"dyno/internal/plan"
)

// Text writes the diagnosis for a terminal with width columns, with ANSI styles if color is set.
func (d *Diagnosis) Text(w io.Writer, color bool, width int) error {
	p := printer{out: bufio.NewWriter(w), color: color, width: width}
	p.print(d)
	return p.out.Flush()
}

type printer struct {
	out   *bufio.Writer
	color bool
	width int // columns
}

// styles are the states' SGR sequences (ECMA-48 8.3.117).
var styles = map[string]string{stateOK: "32", stateNote: "36", stateWarn: "33", stateBad: "31"}

const nameWidth = 20

func (p *printer) print(d *Diagnosis) {
	w := p.out
	group := ""
	for _, f := range d.findings {
		if f.Group != group {
			if group != "" {
				fmt.Fprintln(w)
			}
			group = f.Group
			fmt.Fprintln(w, group)
		}
		text := capital(sentence(f.Value))
		if f.Means != "" {
			text += " " + capital(sentence(f.Means))
		}
		state := fmt.Sprintf("%-4s", f.State)
		if p.color {
			state = "\x1b[" + styles[f.State] + "m" + state + "\x1b[0m"
		}
		const indent = 2 + 4 + 2 + nameWidth + 1
		for i, l := range fold(text, p.width-indent) {
			if i == 0 {
				fmt.Fprintf(w, "  %s  %s %s\n", state, pad(f.Name, nameWidth), l)
			} else {
				fmt.Fprintf(w, "%*s%s\n", indent, "", l)
			}
		}
		if f.Change != "" {
			for i, l := range fold(sentence(f.Change), p.width-indent-len("Change: ")) {
				label := strings.Repeat(" ", len("Change: "))
				if i == 0 {
					label = "Change: "
				}
				fmt.Fprintf(w, "%*s%s%s\n", indent, "", label, l)
			}
		}
	}
	p.table(w, d)
	fmt.Fprintln(w)
	for _, l := range fold(d.answer, p.width) {
		fmt.Fprintln(w, l)
	}
}

// table shows the smallest differences to expect, with a row for each number of contestants.
func (p *printer) table(w io.Writer, d *Diagnosis) {
	all := d.expected
	if len(all) == 0 {
		return
	}
	n := d.calibration.Noise
	_, _, rounds := spread(n)
	if rounds < leastRounds {
		rounds = len(n.Rounds) // all were taken
	}
	fmt.Fprintf(w, "\n"+
		"Smallest difference in throughput that four of five runs detect in the current noise, if restarts do not differ\n")
	fmt.Fprintf(w, "(estimated from %d rounds of %d servers: "+
		"%s)\n", rounds, len(n.Servers), trust(len(n.Servers), rounds))
	fmt.Fprintf(w, "  %-12s  %-38s  %s\n", "contestants", "dyno run", "dyno run --profile full")
	for i := range all {
		if all[i].Profile != plan.Standard {
			continue
		}
		cells := []string{all[i].String(), ""}
		for _, f := range all {
			if f.Profile == "full" && f.Contestants == all[i].Contestants {
				cells[1] = f.String()
			}
		}
		fmt.Fprintf(w, "  %-12d  %s  %s\n", all[i].Contestants, pad(cells[0], 38), cells[1])
	}
}

// sentence returns s with a full stop at the end.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// capital capitalizes the first letter, except in a lone name such as ref or tsc.
func capital(s string) string {
	if first, _, more := strings.Cut(s, " "); !more && first != "" {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// fold breaks s at spaces into lines with at most width runes. A longer word gets its own line and
// is not split, because the user may want to copy it.
func fold(s string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
