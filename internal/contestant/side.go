package contestant

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"

	"dyno/internal/scenario"
)

// The arguments of dyno compare are a URL, a command, an image, a folder, a name, a revision or a program each.
// FindSides interprets an argument, and OpenSides makes a manifest from it, which the bench builds and starts like any
// other.

// SideKind says how a side is given.
type SideKind string

// The kinds of sides.
const (
	URL          SideKind = "URL"        // a running server
	CommandSide  SideKind = "command"    // a line for the shell, or an executable file
	FolderSide   SideKind = "folder"     // a folder with a contestant.toml, or in a git repository
	Contestant   SideKind = "contestant" // a contestant in the project, by name
	RevisionSide SideKind = "revision"   // a revision in the repository of --dir
	Image        SideKind = "image"      // image:NAME:TAG or compose:FILE#SERVICE, run by podman or docker
)

// Side is one of the compared servers.
type Side struct {
	Kind     SideKind
	Text     string    // the side's text, as given
	Name     string    // name in output: short and unique
	Manifest *Manifest // set by OpenSides

	target   *scenario.Target // parsed URL; nil for other sides
	command  Command          // start command, for a command or an image
	folder   string           // the contestant's folder
	label    string           // describes a side with a manifest; OpenSides completes it
	revision *Revision
}

// Built reports whether dyno builds the side.
func (s *Side) Built() bool { return s.Kind != CommandSide && s.Kind != Image && s.Kind != URL }

// OneProgram reports whether all sides are revisions of one folder in one repository.
func OneProgram(sides []*Side) bool {
	first := sides[0].revision
	return !slices.ContainsFunc(sides, func(s *Side) bool {
		return first == nil || s.revision == nil || s.revision.repo != first.repo || s.revision.path != first.path
	})
}

// Path returns a URL's path with query and placeholders; "" for other sides.
func (s *Side) Path() string {
	if s.target == nil {
		return ""
	}
	return s.target.Path
}

// workingTree is the label of a folder as it is, next to its revisions.
const workingTree = "@ working tree"

// The smallest and largest number of sides.
const (
	FewestSides = 2
	most        = 20
)

// OpenSides makes the manifests for sides; revisions are checked out below the temporary folder dir, which must stay
// until they are built.
func OpenSides(ctx context.Context, sides []*Side, dir string) error {
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
	case CommandSide, Image:
		c := &s.command
		c.Dir, err = filepath.Abs(".")
		s.Manifest = &Manifest{Name: s.Name, Title: s.Name, Language: c.Language(), Framework: c.Program(), Command: c}
		return err
	}
	if r := s.revision; r != nil {
		if r.working {
			err = r.snapshot(ctx, dir+".objects")
		}
		if err == nil {
			s.folder, err = r.CheckOut(ctx, dir)
		}
		if err == nil && (r.Build+r.Start != "" || !IsFolder(s.folder)) {
			if s.label = r.Short(); r.working {
				s.label = ""
			}
			if s.Manifest, err = r.manifest(ctx, s.Name, s.folder); err == nil && !r.working {
				s.Manifest.Commit = r.Commit
			}
			return err
		}
		if err != nil {
			return err
		}
	}
	m, err := ReadFolder(s.folder)
	if err != nil {
		return err
	}
	switch {
	case s.label == workingTree && s.Name == "working-tree":
		s.label = ""
	case s.label != "":
		s.label = m.Name + " " + s.label
	case s.Kind != Contestant:
		s.label = m.Name + " in " + clipped(strings.TrimSuffix(filepath.ToSlash(filepath.Clean(s.folder)), "/"+m.Name))
	}
	m.Name, m.Title = s.Name, s.Name
	if s.Manifest = m; s.revision != nil && !s.revision.working {
		m.Commit = s.revision.Commit
	}
	return nil
}

// Label returns the side's name and, if the name does not say it, a description: "a.js (node a.js)".
func (s *Side) Label() string {
	what := s.label
	switch s.Kind {
	case CommandSide:
		what = s.Text
	case Image:
		what = strings.TrimPrefix(s.Text, imagePrefix)
	case URL:
		what = strings.TrimSuffix(strings.TrimPrefix(s.target.URL, "http://"), "/")
	}
	if what == "" || what == s.Name {
		return s.Name
	}
	return fmt.Sprintf("%s (%s)", s.Name, what)
}

// SideScenario returns the first side's first scenario that all others serve too; "" if a side has no contestant.toml,
// because its scenarios are unknown.
func SideScenario(sides []*Side) (string, error) {
	if slices.ContainsFunc(sides, func(s *Side) bool { return s.Manifest.Command != nil || s.Manifest.URL != nil }) {
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
