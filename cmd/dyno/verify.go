package main

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/plan"
	"dyno/internal/wire"
)

// verifyFlags are the flags of dyno verify.
type verifyFlags struct {
	offline    bool
	only, seed string
	sample     int
	folders    []string
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [CONTESTANT|FOLDER…]",
		Short: "Build contestants and verify that they keep their contracts",
		Long: `verify builds each contestant, starts it, and sends every request of its scenarios: status,
headers, body, framing, keep-alive, sessions. Then it loads it shortly, over several connections
and with several requests in the pipeline, and checks that its Date advances. It does so in each
protocol that contestant.toml names. A contestant outside
of the project is named by its folder, or by its name beside --folder.

With --sample N it verifies N contestants, chosen by --seed: the same seed chooses the same ones.`,
		Example: "  dyno verify\n" +
			"  dyno verify gin chi --scenario hello\n" +
			"  dyno verify ./my-server",
		RunE: func(cmd *cobra.Command, names []string) error {
			p, err := openProject()
			if err != nil {
				return err
			}
			return f.run(cmd, p, names)
		},
	}
	cmd.Flags().BoolVar(&f.offline, "offline", false, "do not download toolchains")
	cmd.Flags().StringVar(&f.only, "scenario", "", "verify this scenario only")
	folderFlag(cmd, &f.folders, knowFolders+"; without names, all of them are verified")
	cmd.Flags().IntVar(&f.sample, "sample", 0, "verify only this number of contestants, chosen by --seed")
	cmd.Flags().StringVar(&f.seed, "seed", "", "seed of --sample, such as a commit")
	return cmd
}

// run verifies the named contestants.
func (f *verifyFlags) run(cmd *cobra.Command, p *project, names []string) error {
	all, err := f.chosen(p, names)
	if err != nil {
		return err
	}
	end, err := supervised(cmd)
	if err != nil {
		return err
	}
	defer end()
	out := cmd.OutOrStdout()
	setup := bench.VerifySetup{Root: p.root, FS: p.fsys, Manifests: p.manifests, Offline: f.offline,
		Records: plan.DefaultRecords}
	ok, err := setup.Contestants(cmd.Context(), all, f.only, func(o *bench.Outcome) { printVerified(out, o) })
	switch {
	case err != nil:
		return err
	case !ok:
		return exit(exitFailed)
	}
	return nil
}

// chosen returns the manifests of the named contestants that serve the scenario; if none is named,
// those in --folder; if there are none either, all.
func (f *verifyFlags) chosen(p *project, names []string) ([]*contestant.Manifest, error) {
	outside, err := p.knowOnly(f.folders)
	if err != nil {
		return nil, err
	}
	if names, err = p.know(names); err != nil {
		return nil, err
	}
	switch {
	case len(names) > 0:
	case len(outside) > 0:
		names = outside
	default:
		names = p.names()
	}
	for _, n := range names {
		if p.manifest(n) == nil {
			return nil, usagef("no contestant %q%s", n, suggest(n, p.names(), "dyno list"))
		}
	}
	if f.sample < 0 || (f.seed != "") != (f.sample > 0) {
		return nil, usagef("--sample needs a number above 0 and --seed; got --sample %d --seed %q", f.sample, f.seed)
	}
	if f.sample > 0 {
		names = bench.Sample(names, f.sample, f.seed)
	}
	return p.serving(names, f.only)
}

// serving returns the manifests of the named contestants that serve the scenario only, or of all if
// it is "". Their scenarios must exist.
func (p *project) serving(names []string, only string) ([]*contestant.Manifest, error) {
	if only != "" {
		if _, err := p.scenario(only); err != nil {
			return nil, err
		}
	}
	var all []*contestant.Manifest
	for _, n := range names {
		m := p.manifest(n)
		if only != "" && !slices.Contains(m.Scenarios, only) {
			continue
		}
		for _, s := range m.Scenarios {
			if _, err := p.scenario(s); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Join(m.Dir(p.root), "contestant.toml"), err)
			}
		}
		all = append(all, m)
	}
	if len(all) == 0 && only != "" {
		return nil, usagef("--scenario %s: none of these contestants serves it; dyno list shows which do", only)
	}
	return all, nil
}

// named returns the name of an HTTP form; "" for HTTP/1.1 in the clear.
func named(h wire.HTTP) string {
	if h == wire.Clear {
		return ""
	}
	return h.String()
}

// printVerified prints an outcome.
func printVerified(out io.Writer, o *bench.Outcome) {
	fmt.Fprintf(out, "%-18s %-12s ", o.Contestant.Name, strings.TrimSpace(o.Scenario+" "+named(o.HTTP)))
	f := o.Failure
	if f == nil {
		framings := slices.Compact(slices.Sorted(maps.Values(o.Seen.Framing)))
		fmt.Fprintf(out, "ok: %d requests, %s %s, framing %s, head of %d bytes\n", o.Seen.Requests,
			o.Contestant.Framework,
			o.Version, strings.Join(framings, " and "), o.Seen.HeaderBytes)
		for _, d := range o.Seen.Differs {
			fmt.Fprintf(out, "    differs: %s\n", d)
		}
		return
	}
	word := "FAILED"
	if f.Unavailable() {
		word = "unavailable"
	}
	fmt.Fprintf(out, "%s: %s\n", word, strings.ReplaceAll(document.Visible(f.Reason), "\n", "\n    "))
	if f.Hint != "" {
		fmt.Fprintf(out, "    %s\n", document.Visible(f.Hint))
	}
	for _, l := range f.LogTail {
		fmt.Fprintf(out, "    | %s\n", document.Visible(l))
	}
}
