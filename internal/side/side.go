// Package side turns the words of dyno compare into contestants: a URL, a command, an image, a
// folder, a name, a revision, a program. Find interprets a word, and Open makes a manifest from it,
// which the bench builds and starts like any other.
package side

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/adhoc"
	"dyno/internal/conf"
	"dyno/internal/contestant"
)

// Kind says what a side is given as.
type Kind string

// The kinds of sides.
const (
	URL        Kind = "URL"        // of a server that runs already
	Command    Kind = "command"    // a line for the shell, or an executable file
	Folder     Kind = "folder"     // one with a contestant.toml
	Contestant Kind = "contestant" // of the project, by its name
	Revision   Kind = "revision"   // of the repository of --of
	Image      Kind = "image"      // image:NAME:TAG, run by podman or docker
	Program    Kind = "program"    // an executable file, in place of what --of builds
)

// Side is one of those that are compared.
type Side struct {
	Kind     Kind
	Text     string               // as it was given
	Name     string               // in output: short, and no other side has it
	Again    string               // names it in a command that is typed later
	Manifest *contestant.Manifest // from Open on

	target   *adhoc.Target // of a URL
	line     string        // of a command, for the shell
	image    string        // its name and tag
	folder   string        // of the contestant
	program  string        // absolute; that is built already
	label    string        // what it is, if it has a manifest; Open knows that of a folder
	revision *contestant.Revision
}

// Built reports whether dyno builds the side, or the side replaces a build: its manifest lists the
// scenarios that it serves.
func (s *Side) Built() bool { return s.Kind != Command && s.Kind != Image && s.Kind != URL }

// Path returns the path of a URL, with its query and placeholders; "" of another side.
func (s *Side) Path() string {
	if s.target == nil {
		return ""
	}
	return s.target.Path
}

// workingTree is the label of a folder as it is, beside its revisions.
const workingTree = "@ working tree"

// The fewest and the most sides that are compared.
const (
	Fewest = 2
	most   = 20
)

// Open makes the manifests of sides; revisions are checked out below the folder dir. Whoever calls
// it calls Close, whether it fails or not.
func Open(ctx context.Context, sides []*Side, dir string) error {
	for i, s := range sides {
		if err := s.open(ctx, filepath.Join(dir, fmt.Sprint(i+1))); err != nil {
			return fmt.Errorf("%s: %w", s.Text, err)
		}
	}
	return nil
}

func (s *Side) open(ctx context.Context, dir string) (err error) {
	switch s.Kind {
	case URL:
		return s.openURL(ctx)
	case Command, Image:
		s.Manifest, err = commandManifest(s)
		return err
	}
	if s.revision != nil {
		if s.folder, err = s.revision.CheckOut(ctx, dir); err != nil {
			return err
		}
	}
	m, err := contestant.ReadFolder(s.folder)
	if err != nil {
		return err
	}
	switch {
	case s.label == workingTree && s.Name == "working-tree":
		s.label = ""
	case s.label != "":
		s.label = m.Name + " " + s.label
	case s.Kind != Contestant:
		s.label = m.Name + " in " + shortened(s.folder, m.Name)
	}
	m.Name, m.Title, m.Program = s.Name, s.Name, s.program
	s.Manifest = m
	return nil
}

// commandManifest returns the manifest of a command or an image, with what is known before it runs:
// the program, and its language if that compiles while it serves.
func commandManifest(s *Side) (*contestant.Manifest, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	c := &contestant.Command{Line: s.line, Image: s.image, Dir: here}
	m := &contestant.Manifest{Name: s.Name, Title: s.Name, Language: c.Language(), Framework: c.Program(), Processes: 1,
		Command: c}
	return m, nil
}

// Label is the name of the side and, where that does not say it, what it is: "a.js (node a.js)".
func (s *Side) Label() string {
	what := s.label
	switch s.Kind {
	case Command:
		what = s.Text
	case Image:
		what = s.image
	case URL:
		what = strings.TrimSuffix(strings.TrimPrefix(s.target.URL, "http://"), "/")
	}
	if what == "" || what == s.Name {
		return s.Name
	}
	return fmt.Sprintf("%s (%s)", s.Name, what)
}

// Close takes away what Open made.
func Close(sides []*Side) (err error) {
	for _, s := range sides {
		if s.revision != nil {
			err = errors.Join(err, s.revision.Remove())
		}
	}
	return err
}

// Scenario returns the first scenario of the first side that all others serve too; "" if a side is
// started as given, because its scenarios are unknown.
func Scenario(sides []*Side) (string, error) {
	if slices.ContainsFunc(sides, func(s *Side) bool { return !s.Built() }) {
		return "", nil
	}
	for _, name := range sides[0].Manifest.Scenarios {
		if !slices.ContainsFunc(sides, func(s *Side) bool { return !slices.Contains(s.Manifest.Scenarios, name) }) {
			return name, nil
		}
	}
	return "", conf.Usagef(
		"they have no scenario in common; dyno list shows what each serves, and --path sends a request of your own")
}
