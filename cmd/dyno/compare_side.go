package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"dyno/internal/contestant"
)

// side is one of the two that are compared.
type side struct {
	name     string // base, head
	again    string // what names it in a command that is typed later
	label    string // what it is, for its title; open knows that of a folder
	folder   string // of the contestant
	program  string // that is built already
	revision *contestant.Revision
	manifest *contestant.Manifest // from open on
}

// findSide says what the text stands for: a folder, a program, or a revision.
func findSide(ctx context.Context, pr *project, named, name, text string) (*side, error) {
	s := &side{name: name, again: text}
	place := strings.ToUpper(name)
	if text == "" {
		return nil, usagef("%s is empty", place)
	}
	st, statErr := os.Stat(text)
	if statErr == nil && st.IsDir() && isContestant(text) {
		s.folder = text
		return s, nil
	}
	dir := ""
	if named != "" {
		var err error
		if dir, err = contestantFolder(pr, named); err != nil {
			return nil, err
		}
	}
	switch {
	case text == "." && dir != "":
		s.folder, s.label = dir, "@ working tree"
		return s, nil
	case statErr == nil && st.Mode().IsRegular():
		return s, s.takeProgram(dir, text, st)
	case dir == "" && statErr == nil && st.IsDir():
		return nil, usagef("%s: no contestant.toml in %s; a revision or a program wants --contestant", place, text)
	case dir == "":
		return nil, usagef("%s: there is no %s; if it is a revision, give --contestant", place, text)
	}
	r, err := contestant.FindRevision(ctx, dir, text)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, contestant.ErrNoRevision):
		return nil, usagef("%s: %q is no contestant's folder, no program, and no revision of the git repository of %s", place, text, dir)
	case err != nil:
		return nil, usagef("%s: %w", place, err)
	}
	s.revision, s.again, s.label = r, r.Commit, "@ "+r.Short()
	return s, nil
}

func (s *side) takeProgram(dir, text string, st os.FileInfo) (err error) {
	place := strings.ToUpper(s.name)
	switch {
	case dir == "":
		return usagef("%s: %s is a file; if it is a program, give --contestant", place, text)
	case runtime.GOOS != "windows" && st.Mode().Perm()&0o111 == 0:
		return usagef("%s: %s is not executable", place, text)
	}
	s.folder, s.label = dir, "from "+shortened(text, "")
	s.program, err = filepath.Abs(text)
	return err
}

// open checks a revision out into the new folder dir, and reads the manifest.
func (s *side) open(ctx context.Context, dir string) (err error) {
	if s.revision != nil {
		if s.folder, err = s.revision.CheckOut(ctx, dir); err != nil {
			return err
		}
	}
	m, err := contestant.ReadFolder(s.folder)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.ToUpper(s.name), err)
	}
	if s.label == "" {
		s.label = "in " + shortened(s.folder, m.Name)
	}
	m.Title = fmt.Sprintf("%s (%s %s)", s.name, m.Name, s.label)
	m.Name, m.Program = s.name, s.program
	s.manifest = m
	return nil
}

// remove takes away what open made.
func (s *side) remove() error {
	if s.revision == nil {
		return nil
	}
	return s.revision.Remove()
}

// contestantFolder is the folder of the contestant that is named by its name or its folder.
func contestantFolder(pr *project, named string) (string, error) {
	if isDir(named) && isContestant(named) {
		return named, nil
	}
	if m := pr.manifest(named); m != nil {
		return filepath.Join(pr.root, filepath.FromSlash(m.Path)), nil
	}
	if isDir(named) {
		return "", usagef("--contestant: no contestant.toml in %s", named)
	}
	return "", usagef("--contestant: no contestant %q%s", named, suggest(named, pr.names(), "dyno list"))
}

func isContestant(dir string) bool {
	st, err := os.Stat(filepath.Join(dir, "contestant.toml"))
	return err == nil && st.Mode().IsRegular()
}

// shortened is a path that a title has room for: its end tells more than its beginning, but not where that is the known name.
func shortened(path, known string) string {
	path = filepath.Clean(path)
	if filepath.Base(path) == known && filepath.Dir(path) != "." {
		path = filepath.Dir(path)
	}
	path = filepath.ToSlash(path)
	runes := []rune(path)
	if len(runes) <= 20 {
		return path
	}
	end := runes[len(runes)-19:]
	if i := slices.Index(end, '/'); i >= 0 { // from the beginning of a folder's name
		end = end[i:]
	}
	return "…" + string(end)
}
