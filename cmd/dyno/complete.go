package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/plan"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// words lists the possible values for a flag or a command's argument, after the arguments args.
type words func(p *project, args []string) []string

// completed are the flags whose values the shell completes, by name.
var completed = map[string]words{
	"contestants": (*project).contestantWords,
	"of":          (*project).contestantWords,
	"from":        (*project).contestantWords,
	"scenario":    (*project).scenarioWords,
	"level":       (*project).levelWords,
	"protocol":    fixed(plan.Names()...),
	"profile":     fixed("standard", "full", "lab"),
	"primary":     fixed("throughput", "cpu_per_request", "p50", "memory", "p99"),
	"controls":    fixed("none", "ref", "ref'", "ref+5%"),
	"arrivals":    fixed("constant", "poisson"),
	"engine":      fixed("epoll", "gonet"),
	"role":        fixed("server", "generator", "backend"),
}

// completedArguments are the commands whose arguments the shell completes. Other commands take
// files.
var completedArguments = map[string]words{
	"run": firstOf((*project).studyWords), "check": firstOf((*project).studyWords),
	"verify": (*project).contestantWords, "compare": (*project).contestantWords,
}

// ofFiles are flags with a completed name that take a file in this command.
var ofFiles = map[string]string{"load": "scenario", "refserver": "scenario"}

// completions lets the shell complete all commands' flags and arguments.
func completions(cmd *cobra.Command) {
	if list := completedArguments[cmd.Name()]; list != nil {
		cmd.ValidArgsFunction = completion(list, cobra.ShellCompDirectiveDefault)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		list := completed[f.Name]
		if list == nil || ofFiles[cmd.Name()] == f.Name {
			return
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if strings.HasSuffix(f.Value.Type(), "Slice") {
			directive |= cobra.ShellCompDirectiveNoSpace // a comma may follow
		}
		if f.Name == "contestants" {
			directive &^= cobra.ShellCompDirectiveNoFileComp // folders
		}
		cmd.RegisterFlagCompletionFunc(f.Name, completion(list, directive))
	})
	for _, c := range cmd.Commands() {
		completions(c)
	}
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

// fixed completes words that do not depend on the project.
func fixed(all ...string) words { return func(*project, []string) []string { return all } }

// firstOf completes only the first argument, by list.
func firstOf(list words) words {
	return func(p *project, args []string) []string {
		if len(args) > 0 {
			return nil
		}
		return list(p, args)
	}
}

func (p *project) contestantWords(args []string) (names []string) {
	if p != nil {
		names = slices.DeleteFunc(p.names(), func(name string) bool { return slices.Contains(args, name) })
	}
	return names
}

func (p *project) scenarioWords([]string) (names []string) {
	if p != nil {
		names, _ = scenario.Names(p.fsys)
	}
	return names
}

func (p *project) studyWords([]string) (slugs []string) {
	if p != nil {
		slugs, _ = study.Slugs(p.fsys)
	}
	return slugs
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
