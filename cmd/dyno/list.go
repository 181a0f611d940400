package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// listWords are words that a row of a list must contain.
type listWords []string

func listCommand() *cobra.Command {
	return command("list", func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && args[0] == "runs" {
			return listRuns(cmd.OutOrStdout(), args[1:])
		}
		p, err := openProject()
		if err != nil {
			return err
		}
		return p.list(cmd.Context(), cmd.OutOrStdout(), args)
	})
}

// holds reports whether every word occurs in one of the texts.
func (words listWords) holds(texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, strings.ToLower(w)) })
}

// list writes contestants, scenarios and studies. It fetches nothing to find out which toolchains
// are available.
func (p *project) list(ctx context.Context, w io.Writer, words listWords) error {
	columns := listWidth(w)
	chosen := slices.DeleteFunc(slices.Clone(p.manifests), func(m *contestant.Manifest) bool {
		return !words.holds(m.Name, m.Title, m.Language, m.Framework, m.Engine, strings.Join(m.Scenarios, " "))
	})
	contestants, here := p.listed(ctx, chosen, columns)
	scenarios, err := p.listedScenarios(words)
	if err != nil {
		return err
	}
	studies, err := p.listedStudies(words)
	if err != nil {
		return err
	}
	if len(contestants)+len(scenarios)+len(studies) == 0 {
		return fmt.Errorf("list: nothing matches %s; run dyno list to see all", strings.Join(words, " "))
	}
	var b strings.Builder
	section(&b, columns, contestants, "CONTESTANT", "LANGUAGE", "FRAMEWORK", "ENGINE", "SCENARIOS")
	b.WriteString(here)
	section(&b, columns, scenarios, "SCENARIO", "REQUESTS", "CONTESTANTS", "TITLE")
	section(&b, columns, studies, "STUDY", "CONTESTANTS", "TITLE")
	_, err = io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// listed returns the contestants' rows, with the toolchains that were found or are missing.
func (p *project) listed(ctx context.Context, chosen []*contestant.Manifest, columns int) (rows [][]string,
	here string) {
	missing := map[string][]string{} // reason -> contestants
	var found []string
	o := contestant.FindOptions{Look: true, Known: map[string]contestant.Toolchain{}}
	for _, m := range chosen {
		tc, err := contestant.Find(ctx, m, o)
		if err != nil {
			reason := document.Clean(err.Error())
			missing[reason] = append(missing[reason], m.Name)
		} else if with := document.Clean(fmt.Sprintf("%s %s (%s)", tc.Name, tc.Version, tc.Origin)); !slices.Contains(
			found, with) {
			found = append(found, with)
		}
		rows = append(rows, []string{m.Name, m.Language, shortFramework(m), m.Engine, strings.Join(m.Scenarios, ", ")})
	}
	if len(found) > 0 {
		here = "\nbuilt with " + strings.Join(found, ", ") + "\n"
	}
	for _, reason := range slices.Sorted(maps.Keys(missing)) {
		here += "\n" + wrapped("not here: "+strings.Join(missing[reason], ", ")+": "+reason, columns) + "\n"
	}
	return rows, here
}

var (
	hostOfModule  = conf.Regexp(`^([\w.-]+\.\w+/(?:.*/)?|Microsoft\.)`)
	majorOfModule = conf.Regexp(`/v\d+$|\.v\d+$`)
	endOfVersion  = conf.Regexp(`^v0\.0\.0-|\d{6}-[0-9a-f]{12}$|\+incompatible$`)
)

// shortFramework returns the framework without its module's host and owner, and its version without
// build metadata.
func shortFramework(m *contestant.Manifest) string {
	name := hostOfModule().ReplaceAllString(majorOfModule().ReplaceAllString(m.Framework, ""), "")
	return strings.TrimSpace(name + " " + endOfVersion().ReplaceAllString(m.Version, ""))
}

// listedScenarios returns the scenarios' rows.
func (p *project) listedScenarios(words listWords) (rows [][]string, err error) {
	names, err := scenario.Names(p.fsys)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s, err := scenario.Read(p.fsys, name)
		if err != nil {
			return nil, err
		}
		if !words.holds(s.Name, s.Title) {
			continue
		}
		serve := 0
		for _, m := range p.manifests {
			if slices.Contains(m.Scenarios, name) {
				serve++
			}
		}
		rows = append(rows, []string{s.Name, fmt.Sprint(len(s.Requests)), fmt.Sprint(serve), s.Title})
	}
	return rows, nil
}

// listedStudies returns the studies' rows.
func (p *project) listedStudies(words listWords) (rows [][]string, err error) {
	studies, err := study.All(p.fsys)
	if err != nil {
		return nil, err
	}
	for _, s := range studies {
		texts := []string{s.Slug, s.Title, s.Scenario}
		for _, l := range s.Levels {
			texts = append(texts, l.Scenario)
		}
		if !words.holds(texts...) {
			continue
		}
		rows = append(rows, []string{s.Slug, fmt.Sprint(len(s.Contestants)), s.Title})
	}
	return rows, nil
}

// listWidth returns the columns for lists: the terminal's, or else enough for any row to be
// complete on one line.
func listWidth(w io.Writer) int {
	if isTerminal(w) {
		return width(w)
	}
	return math.MaxInt16
}

// section writes a table, if it has rows. A row's last cell gets the remaining width, and continues on the next
// line.
func section(b *strings.Builder, columns int, rows [][]string, head ...string) {
	if len(rows) == 0 {
		return
	}
	last := len(head) - 1
	wide, indent := make([]int, last), 0
	for i := range wide {
		for _, r := range append(rows, head) {
			wide[i] = max(wide[i], len(r[i]))
		}
		indent += wide[i] + 2
	}
	room := max(columns-indent, 10)
	b.WriteByte('\n')
	for _, r := range append([][]string{head}, rows...) {
		for i := range wide {
			fmt.Fprintf(b, "%-*s  ", wide[i], r[i])
		}
		text := wrapped(r[last], room)
		b.WriteString(strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", indent)) + "\n")
	}
}
