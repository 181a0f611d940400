package document

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes text from a record safe on one line in any form: titles, reasons and log lines are
// written by others, and an escape code must not reach a terminal. Escape codes are dropped, other
// control characters become spaces; replacement characters and characters that change the text
// direction are dropped.
func Clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case r == unicode.ReplacementChar, unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, ansi.Strip(s))), " ")
}

// Visible returns s without terminal control codes. It keeps lines and their indentation.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// CSVCell returns a CSV cell that a spreadsheet takes for text, never for a formula: a cell that
// begins like a formula and is no number gets an apostrophe in front.
func CSVCell(s string) string {
	s = Clean(s)
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// Command returns a command line to copy, with all its spaces but without control characters.
func Command(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, s)
}

// visible returns the text without control characters. It keeps lines.
func (c Code) visible() string { return visible(strings.Split(c.Text, "\n")) }

func (l Log) visible() string { return visible(l.Lines) }

func visible(lines []string) string {
	lines = slices.Clone(lines)
	for i, l := range lines {
		lines[i] = strings.TrimRight(Command(ansi.Strip(strings.ReplaceAll(l, "\t", "    "))), " ")
	}
	return strings.Join(lines, "\n")
}

// spaced is like Clean, but keeps spaces at both ends, because spans are parts of a sentence.
func spaced(s string) string {
	clean := Clean(s)
	if clean == "" {
		return strings.Repeat(" ", min(len(s), 1))
	}
	if strings.HasPrefix(s, " ") {
		clean = " " + clean
	}
	if strings.HasSuffix(s, " ") {
		clean += " "
	}
	return clean
}

// tight keeps a number, its unit and its interval on one line.
func tight(s string) string { return tighter.Replace(unitAfter.ReplaceAllString(s, "$1\u00a0$2")) }

var (
	unitAfter = regexp.MustCompile(`([0-9∞–]) (×|%|ns|µs|ms|s|min|B|KiB|MiB|GiB|TiB|bytes)`)
	tighter   = strings.NewReplacer("× (", "×\u00a0(", " = ", "\u00a0=\u00a0", " < ", "\u00a0<\u00a0")
)
