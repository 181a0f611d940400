package main

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// file is a stream that may be a terminal.
type file interface{ Fd() uintptr }

func isTerminal(w io.Writer) bool {
	f, ok := w.(file)
	return ok && term.IsTerminal(f.Fd())
}

// colored reports whether w is a terminal that may show colours.
func colored(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// width returns the terminal's columns, or 100 if there is none.
func width(w io.Writer) int {
	if f, ok := w.(file); ok {
		if cols, _, err := term.GetSize(f.Fd()); err == nil && cols > 20 {
			return cols
		}
	}
	return 100
}
