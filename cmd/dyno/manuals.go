package main

import (
	"io"
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

// showManual prints a manual.
func showManual(w io.Writer, name string) error {
	page, err := manual.Manuals.ReadFile("doc/" + name + ".md")
	if err != nil {
		return err
	}
	return document.Manual(w, string(page), min(width(w), helpWidth), manualLink)
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
