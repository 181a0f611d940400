package main

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"dyno/internal/document"

	manual "dyno"
)

// manuals returns the names of the manuals for users, which dyno help prints.
func manuals() (names []string) {
	pages, _ := manual.Manuals.ReadDir("doc")
	for _, p := range pages {
		if name := strings.TrimSuffix(p.Name(), ".md"); name != "design" {
			names = append(names, name)
		}
	}
	return names
}

// showManual prints a manual; on a terminal through PAGER, or less.
func showManual(w io.Writer, name string) error {
	page, err := manual.Manuals.ReadFile("doc/" + name + ".md")
	if err != nil {
		return err
	}
	columns := min(width(w), helpWidth)
	show := func(w io.Writer) error { return document.Manual(w, string(page), columns, manualLink) }
	if !isTerminal(w) {
		return show(w)
	}
	pager := exec.Command("/bin/sh", "-c", cmp.Or(os.Getenv("PAGER"), "less"))
	pager.Env = append(os.Environ(), "LESS="+cmp.Or(os.Getenv("LESS"), "FRX")) // -F: a short page needs no key
	pager.Stdout, pager.Stderr = w, io.Discard
	to, err := pager.StdinPipe()
	if err != nil || pager.Start() != nil {
		return show(w)
	}
	wrote := show(to)
	to.Close()
	if pager.Wait() != nil && wrote != nil { // there is no such program
		return show(w)
	}
	return nil // a reader who leaves the pager early closes the pipe
}

// manualLink returns the text by which a manual names a link's target.
func manualLink(text, address string) string {
	file, _, _ := strings.Cut(path.Base(address), "#")
	name := strings.TrimSuffix(file, ".md")
	switch {
	case !strings.HasSuffix(text, ".md"):
		return text
	case slices.Contains(manuals(), name) && !strings.Contains(address, "/"):
		return "dyno help " + name
	}
	return text
}
