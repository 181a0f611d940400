// Command outdated reports which contestants use a package that has a newer release:
//
//	go run ./scripts/outdated [LANGUAGE...]
//
// It asks the registries for Go, npm, NuGet, PyPI and crates.io, with the user's settings. It does not find a newer major
// version with another name.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/document"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "outdated:", err)
		os.Exit(1)
	}
}

// run checks the contestants in this checkout in the given languages, or in all.
func run(ctx context.Context, languages []string) error {
	all, err := contestant.List(os.DirFS("."))
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(all, func(m *contestant.Manifest) bool {
		return len(languages) > 0 && !slices.Contains(languages, m.Language)
	})
	if len(chosen) == 0 {
		return errors.New("no contestants: run it in the checkout, and name languages such as go, csharp, javascript, " +
			"python, rust")
	}
	return outdated(ctx, os.Stdout, ".", chosen)
}

// outdated lists the packages whose version in a contestant is not the newest in the registry. It fails if a
// registry cannot be asked.
func outdated(ctx context.Context, w io.Writer, root string, chosen []*contestant.Manifest) error {
	fsys := os.DirFS(root)
	named := map[*contestant.Manifest][]Dependency{}
	ask := map[string][]string{} // by toolchain
	tools := map[string]contestant.Toolchain{}
	for _, m := range chosen {
		deps, err := Dependencies(m, fsys)
		if err != nil {
			return err
		}
		if named[m] = deps; len(deps) == 0 {
			continue
		}
		tool := slices.Collect(maps.Keys(m.Toolchain))[0]
		for _, d := range deps {
			ask[tool] = append(ask[tool], d.Name)
		}
		if tools[tool], err = contestant.Find(ctx, m, contestant.FindOptions{Offline: true}); err != nil {
			return fmt.Errorf("the packages of %s: %w", m.Name, err)
		}
	}
	newest := map[string]map[string]Newest{}
	var failed []error
	for _, tool := range slices.Sorted(maps.Keys(ask)) {
		slices.Sort(ask[tool])
		found, err := AskNewest(ctx, tools[tool], slices.Compact(ask[tool]))
		if err != nil {
			failed = append(failed, fmt.Errorf("%s; check the network and proxy settings",
				document.Clean(err.Error())))
		}
		newest[tool] = found
	}
	var b strings.Builder
	rows, untold := behind(chosen, named, newest)
	for _, row := range append([][]string{{"CONTESTANT", "PACKAGE", "HAS", "NEWEST"}}, rows...) {
		fmt.Fprintln(&b, strings.Join(row, "\t"))
	}
	for _, reason := range slices.Sorted(maps.Keys(untold)) {
		fmt.Fprintf(&b, "\nthe registry names no release (%s): %s\n", reason, strings.Join(untold[reason], ", "))
	}
	if len(failed) == 0 {
		fmt.Fprintf(&b, "\n%d of %d contestants name a package that has a newer release under the same name.\n",
			distinct(rows), len(chosen))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, err := io.WriteString(t, b.String())
	err = errors.Join(err, t.Flush())
	return errors.Join(append(failed, err)...)
}

// refusal matches a registry's answer for a package that it does not serve.
var refusal = conf.Regexp(`\b4\d\d [A-Z][a-z]+( [A-Z][a-z]+)?`)

// behind returns the rows for packages with a newer release and, by reason, the contestants and packages for
// which the registry names no release.
func behind(chosen []*contestant.Manifest, named map[*contestant.Manifest][]Dependency,
	newest map[string]map[string]Newest) (rows [][]string, untold map[string][]string) {
	untold = map[string][]string{}
	for _, m := range chosen {
		for tool := range m.Toolchain {
			for _, d := range named[m] {
				n := newest[tool][d.Name]
				switch {
				case n.Err != nil:
					reason := document.Clean(n.Err.Error())
					reason = cmp.Or(refusal().FindString(reason), reason)
					untold[reason] = append(untold[reason], m.Name+" ("+d.Name+")")
				case d.Behind(n):
					rows = append(rows, []string{m.Name, d.Name, d.Version, n.Version})
				}
			}
		}
	}
	return rows, untold
}

// distinct counts the different first cells in rows, which must be sorted by them.
func distinct(rows [][]string) int {
	return len(slices.CompactFunc(slices.Clone(rows), func(a, b []string) bool { return a[0] == b[0] }))
}
