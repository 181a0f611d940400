package main

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// width is the number of columns of a terminal, or 100 where there is none.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if cols, _, err := term.GetSize(f.Fd()); err == nil && cols > 20 {
			return cols
		}
	}
	return 100
}
