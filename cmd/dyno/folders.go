package main

import (
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/contestant"
)

// asFolder returns a folder's path in a form that cannot be mistaken for a name.
func asFolder(folder string) string {
	if strings.ContainsAny(folder, `/\`) || folder == "." || folder == ".." {
		return folder
	}
	return "." + string(filepath.Separator) + folder
}

// know adds the contestants in the folders among values to the project, and returns the values with
// each folder replaced by its contestants' names. A value is a folder if it contains a slash, or if
// it names no contestant and such a folder exists.
func (p *project) know(values []string) (names []string, err error) {
	known := p.names()
	for _, v := range values {
		if asFolder(v) != v && (slices.Contains(known, v) || !isDir(v)) {
			names = append(names, v)
			continue
		}
		if !isDir(v) {
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
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names, nil
}

// knowOnly does the same as know for a flag that accepts only folders.
func (p *project) knowOnly(folders []string) ([]string, error) {
	for _, f := range folders {
		if !isDir(f) {
			return nil, usagef("--folder: no folder %s", f)
		}
	}
	values := make([]string, len(folders))
	for i, f := range folders {
		values[i] = asFolder(f)
	}
	return p.know(values)
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
	x, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	y, err := filepath.EvalSymlinks(b)
	return err == nil && x == y
}
