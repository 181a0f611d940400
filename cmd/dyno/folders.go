package main

import (
	"os"
	"slices"
	"strings"

	"dyno/internal/contestant"
	"dyno/internal/report"
)

// know adds the contestants in the folders among values to the project, and returns the values with
// each folder replaced by its contestants' names. A value is a folder if it contains a slash, or if
// it names no contestant and such a folder exists.
func (p *project) know(values []string) (names []string, err error) {
	known := p.names()
	for _, v := range values {
		folder := strings.ContainsAny(v, `/\`) || v == "." || v == ".."
		if !folder && (slices.Contains(known, v) || !contestant.IsDir(v)) {
			names = append(names, v)
			continue
		}
		if !contestant.IsDir(v) {
			return nil, usagef("no folder %s; name a contestant of the project without a slash", v)
		}
		found, err := contestant.ListFolder(v)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if err := p.add(m); err != nil {
				return nil, err
			}
			names = report.AddNew(names, m.Name)
		}
	}
	return names, nil
}

// add adds a contestant, unless its folder is already known.
func (p *project) add(m *contestant.Manifest) error {
	old := p.manifest(m.Name)
	switch {
	case old == nil:
		p.manifests = append(p.manifests, m)
		slices.SortFunc(p.manifests, func(a, b *contestant.Manifest) int { return strings.Compare(a.Name, b.Name) })
	case !sameFolder(old.Dir(p.root), m.Dir(p.root)):
		return usagef(
			"%s: the name %q is already used by %s; rename one of them", m.Dir(p.root), m.Name, old.Dir(p.root))
	}
	return nil
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	y, failed := os.Stat(b)
	return err == nil && failed == nil && os.SameFile(x, y)
}
