package main

import (
	"errors"
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
	"dyno/internal/wire"
)

// verifyFlags are the flags of dyno verify.
type verifyFlags struct {
	Offline  bool
	Scenario string
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	return command("verify", func(cmd *cobra.Command, names []string) error {
		p, err := openProject()
		if err != nil {
			return err
		}
		return f.run(cmd, p, names)
	}, &f)
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
	o := bench.LocalOptions{Root: p.root, FS: p.fsys, Manifests: p.manifests, Offline: f.Offline, Scenario: f.Scenario}
	verified := 0
	ok, err := bench.Verify(cmd.Context(), o, all, func(o *bench.Outcome) {
		printVerified(out, o)
		if o.Failure == nil {
			verified++
		}
	})
	switch {
	case err != nil:
		return err
	case !ok:
		return exit(exitFailed)
	case verified == 0:
		return errors.New("nothing was verified: none of these contestants can be built and started here")
	}
	return nil
}

// chosen returns the manifests of the named contestants that serve the scenario; if none is named, of all.
func (f *verifyFlags) chosen(p *project, names []string) ([]*contestant.Manifest, error) {
	names, err := p.know(names)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		names = p.names()
	}
	for _, n := range names {
		if p.manifest(n) == nil {
			return nil, usagef("no contestant %q%s", n, suggest(n, p.names(), "dyno list"))
		}
	}
	return p.serving(names, f.Scenario)
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
