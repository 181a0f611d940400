package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	manual "dyno"
)

// entry is a row in doc/glossary.md.
type entry struct{ heading, name, meaning string }

// terms returns the glossary's terms that users meet, in its order.
func terms() (all []entry) {
	heading := ""
	page, _ := manual.Manuals.ReadFile("doc/glossary.md")
	for line := range strings.Lines(strings.ReplaceAll(string(page), "`", "")) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "## "); ok {
			heading = text
		}
		row := strings.Split(strings.Trim(line, "|"), "|")
		if len(row) < 2 || heading == "The code" || strings.HasPrefix(row[0], "-") {
			continue
		}
		if name := strings.TrimSpace(row[0]); name != "term" {
			all = append(all, entry{heading, name, strings.TrimSpace(row[1])})
		}
	}
	return all
}

// listedTerms formats terms as help lines, which begin with a space.
func listedTerms(all []entry) string {
	wide := 0
	for _, t := range all {
		wide = max(wide, utf8.RuneCountInString(t.name))
	}
	var b strings.Builder
	indent := "\n" + strings.Repeat(" ", wide+4)
	for _, t := range all {
		text := wrapped(t.meaning, helpWidth-wide-4)
		fmt.Fprintf(&b, "  %-*s  %s\n", wide, t.name, strings.ReplaceAll(text, "\n", indent))
	}
	return b.String()
}

// termsTopic is the topic dyno help terms.
func termsTopic() *cobra.Command {
	text := "The words of dyno's output and manuals.\n"
	for all := terms(); len(all) > 0; {
		n := slices.IndexFunc(all, func(t entry) bool { return t.heading != all[0].heading })
		if n < 0 {
			n = len(all)
		}
		text += "\n" + all[0].heading + ":\n" + listedTerms(all[:n])
		all = all[n:]
	}
	return &cobra.Command{Use: "terms", Short: "Explain the words of the output", Long: strings.TrimSuffix(text, "\n")}
}
