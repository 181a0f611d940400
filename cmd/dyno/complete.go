package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/scenario"
	"dyno/internal/study"
)

// words lists the possible values for a flag or a command's argument, after the arguments args.
type words func(p *project, args []string) []string

// completed are the lists in commands.toml.
var completed = map[string]words{
	"contestants": (*project).contestantWords, "levels": (*project).levelWords,
	"scenarios": func(p *project, _ []string) (names []string) {
		if p != nil {
			names, _ = scenario.Names(p.fsys)
		}
		return names
	},
	"runs": func(p *project, args []string) (names []string) {
		if p != nil && len(args) == 0 {
			all, _ := storedRuns(p.found.Runs())
			for _, r := range all {
				names = append(names, r.name)
			}
		}
		return names
	},
	"studies": func(p *project, args []string) (slugs []string) { // the first argument alone
		if p != nil && len(args) == 0 {
			slugs, _ = study.Slugs(p.fsys)
		}
		return slugs
	},
}

// complete lets the shell complete the flag's values.
func (f *flagRow) complete(cmd *cobra.Command) {
	list := completed[f.Complete]
	if f.Words != nil {
		list = func(*project, []string) []string { return f.Words }
	}
	if list == nil {
		return
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if strings.HasSuffix(f.Value, ",…") {
		directive |= cobra.ShellCompDirectiveNoSpace // a comma may follow
	}
	if f.Name == "contestants" {
		directive &^= cobra.ShellCompDirectiveNoFileComp // folders
	}
	cmd.RegisterFlagCompletionFunc(f.Name, completion(list, directive))
}

// completion completes one word. In a list with commas it completes the last entry.
func completion(list words, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		p, _ := openProject() // nil outside a checkout
		before := begun[:strings.LastIndex(begun, ",")+1]
		var found []string
		for _, w := range list(p, args) {
			if strings.HasPrefix(before+w, begun) {
				found = append(found, before+w)
			}
		}
		return found, directive
	}
}

func (p *project) contestantWords(args []string) (names []string) {
	if p != nil {
		names = slices.DeleteFunc(p.names(), func(name string) bool { return slices.Contains(args, name) })
	}
	return names
}

// levelWords returns the levels of the named study, or of the default study.
func (p *project) levelWords(args []string) (names []string) {
	if p == nil {
		return nil
	}
	st, err := study.Read(p.fsys, append(args, defaultStudy)[0])
	if err != nil {
		return nil
	}
	for _, l := range st.Levels {
		names = append(names, l.Name)
	}
	return names
}
