// Command pages writes what is made of the committed trials: the pages of each study, as dyno check STUDY --write does,
// and studies/findings.md and coverage.md of all studies:
//
//	go run ./scripts/pages
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"dyno/internal/study"
)

func main() {
	files, err := pages(".")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err = errors.Join(err, os.WriteFile(filepath.FromSlash(name), files[name], 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

// pages returns the files that are made of the committed trials in the checkout at root, by name.
func pages(root string) (map[string][]byte, error) {
	fsys, files := os.DirFS(root), map[string][]byte{}
	studies, err := study.All(fsys)
	if err != nil {
		return nil, err
	}
	var all []*study.Judged
	for _, s := range studies {
		j, err := s.Stored(root, s.Committed(root))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		own, err := study.Pages(j)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Slug, err)
		}
		for name, page := range own {
			files[s.Trials()+"/"+name] = page
		}
		if len(j.Claims.Outcomes) > 0 {
			all = append(all, j)
		}
	}
	c, err := cover(fsys, studies, all)
	if err != nil {
		return nil, err
	}
	for name, write := range map[string]func(io.Writer) error{
		study.Folder + "/findings.md": func(w io.Writer) error { return findingsPage(w, all) },
		study.Folder + "/coverage.md": func(w io.Writer) error { return coveragePage(w, c) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return nil, err
		}
		files[name] = b.Bytes()
	}
	return files, nil
}

// count counts the published claims, each figure once: those with one of the outcomes, or all.
func count(c *study.Claims, only ...study.Verdict) (n int) {
	for i := range c.Outcomes {
		if o := &c.Outcomes[i]; o.Claim.Counts() && (len(only) == 0 || slices.Contains(only, o.Verdict)) {
			n++
		}
	}
	return n
}
