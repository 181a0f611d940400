package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

func listCommand() *cobra.Command {
	var folders []string
	var markdown bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List contestants, scenarios and studies, and whether they can be had here",
		Args:  arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := openProject()
			if err != nil {
				return err
			}
			if _, err := p.knowOnly(folders); err != nil {
				return err
			}
			if markdown {
				return p.table(cmd.OutOrStdout())
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			if err := p.list(cmd.Context(), w); err != nil {
				return err
			}
			return w.Flush()
		},
	}
	contestantsFlag(cmd, &folders, knowFolders)
	cmd.Flags().BoolVar(&markdown, "markdown", false, "write the contestants as the table of doc/contestants.md")
	return cmd
}

// table writes the contestants as a Markdown table, by language and engine: what their manifests
// declare, and how many lines of code they have.
func (p *project) table(w io.Writer) error {
	all := slices.Clone(p.manifests)
	slices.SortStableFunc(all, func(a, b *contestant.Manifest) int {
		return cmp.Or(strings.Compare(a.Language, b.Language), strings.Compare(a.Engine, b.Engine))
	})
	fmt.Fprintln(w, "| contestant | framework | version | engine | HTTP/2 | scenarios | lines "+
		"|\n|---|---|---|---|---|---|---|")
	for _, m := range all {
		fsys := p.fsys
		if m.Root != "" {
			fsys = os.DirFS(m.Root)
		}
		lines, err := m.CountLines(fsys)
		if err != nil {
			return err
		}
		http2 := "no"
		if m.HTTP2 {
			http2 = "yes"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %d |\n", m.Name, m.Framework, m.Version, m.Engine, http2,
			strings.Join(m.Scenarios, ", "), lines)
	}
	return nil
}

// list writes contestants, scenarios and studies. It fetches nothing to find out what is available.
func (p *project) list(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "CONTESTANT\tLANGUAGE\tFRAMEWORK\tENGINE\tSCENARIOS\tAVAILABLE")
	for _, m := range p.manifests {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", m.Name, m.Language, strings.TrimSpace(m.Framework+" "+m.Version),
			m.Engine,
			strings.Join(m.Scenarios, ", "), document.Clean(bench.Availability(ctx, p.root, m)))
	}
	fmt.Fprintln(w, "\nSCENARIO\tREQUESTS\tTITLE")
	names, err := scenario.Names(p.fsys)
	if err != nil {
		return err
	}
	for _, name := range names {
		s, err := scenario.Read(p.fsys, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%d\t%s\n", s.Name, len(s.Requests), s.Title)
	}
	fmt.Fprintln(w, "\nSTUDY\tCONTESTANTS\tTITLE")
	studies, err := study.All(p.fsys)
	if err != nil {
		return err
	}
	for _, s := range studies {
		fmt.Fprintf(w, "%s\t%d\t%s\n", s.Slug, len(s.Contestants), s.Title)
	}
	return nil
}
