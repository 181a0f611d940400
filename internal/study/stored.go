package study

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Open reads the run at path, and returns an error if its record cannot be continued or judged.
func Open(path string) (*record.Run, error) {
	run, err := record.Open(path)
	if err == nil {
		if wrong := plan.Check(&run.Plan); wrong != nil {
			err = fmt.Errorf("%s, line 1 of the record: %w", path, wrong)
		}
	}
	return run, err
}

// All reads every study in a project, sorted by name.
func All(fsys fs.FS) ([]*Study, error) {
	slugs, err := Slugs(fsys)
	if err != nil {
		return nil, err
	}
	all := make([]*Study, len(slugs))
	for i, slug := range slugs {
		if all[i], err = Read(fsys, slug); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Committed returns the path of the study's committed trials in the project at root.
func (s *Study) Committed(root string) string {
	return filepath.Join(root, filepath.FromSlash(s.Trials()))
}

// Stored judges the study's claims by a stored run. With the committed trials it includes the
// study's records of long loads.
func (s *Study) Stored(root, from string) (*Judged, error) {
	run, err := Open(from)
	if err != nil {
		return nil, err
	}
	if err := judge.Assert(run); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	name := from
	if rel, err := filepath.Rel(root, from); err == nil && !strings.HasPrefix(rel, "..") {
		name = filepath.ToSlash(rel)
	}
	j, err := s.JudgeClaims(Evaluate(run), name)
	if err == nil && name == s.Trials() {
		j.Classics, err = s.classicRuns(from)
	}
	return j, err
}
