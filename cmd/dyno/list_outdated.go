package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/lazy"
)

// outdated writes which packages the contestants name at a version that is not the newest, as their
// registries say today. It fails where a registry cannot be asked.
func (p *project) outdated(ctx context.Context, w io.Writer, chosen []*contestant.Manifest) error {
	named := map[*contestant.Manifest][]contestant.Dependency{}
	ask := map[string][]string{} // by toolchain
	tools := map[string]contestant.Toolchain{}
	for _, m := range chosen {
		deps, err := m.Dependencies(m.FS(p.fsys))
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
		if tools[tool], err = contestant.Find(ctx, m, contestant.FindOptions{Root: p.root, Offline: true}); err != nil {
			return fmt.Errorf("list: the packages of %s: %w; leave its language out by --language", m.Name, err)
		}
	}
	newest := map[string]map[string]contestant.Newest{}
	var failed []error
	for _, tool := range slices.Sorted(maps.Keys(ask)) {
		slices.Sort(ask[tool])
		found, err := contestant.AskNewest(ctx, tools[tool], slices.Compact(ask[tool]))
		if err != nil {
			failed = append(failed, fmt.Errorf("list: %s; is a proxy to be set, or a network missing?",
				document.Clean(err.Error())))
		}
		newest[tool] = found
	}
	var b strings.Builder
	rows, untold := behind(chosen, named, newest)
	section(&b, listWidth(w), rows, "CONTESTANT", "PACKAGE", "HAS", "NEWEST")
	for _, reason := range slices.Sorted(maps.Keys(untold)) {
		b.WriteString("\n" + wrapped("the registry names no release ("+reason+"): "+strings.Join(untold[reason], ", "),
			width(w)) + "\n")
	}
	if len(failed) == 0 {
		fmt.Fprintf(&b, "\n%d of %d contestants name a package that has a newer release under the same name.\n",
			distinct(rows), len(chosen))
	}
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return errors.Join(append(failed, err)...)
}

// refusal matches what a registry answers for a package that it does not serve.
var refusal = lazy.Regexp(`\b4\d\d [A-Z][a-z]+( [A-Z][a-z]+)?`)

// behind returns the rows of the packages that have a newer release, and by reason the contestants
// of those whose registry does not name one.
func behind(chosen []*contestant.Manifest, named map[*contestant.Manifest][]contestant.Dependency,
	newest map[string]map[string]contestant.Newest) (rows [][]string, untold map[string][]string) {
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

// distinct counts the different first cells of rows that are sorted by them.
func distinct(rows [][]string) int {
	return len(slices.CompactFunc(slices.Clone(rows), func(a, b []string) bool { return a[0] == b[0] }))
}
