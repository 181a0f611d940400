package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// project is a folder that holds contestants/, scenarios/ and studies/.
type project struct {
	root      string
	fsys      fs.FS
	manifests []*contestant.Manifest
}

// projectVariable names the project for those who work outside of it.
const projectVariable = "DYNO_PROJECT"

// openProject finds the project at or above the working directory, or the folder that DYNO_PROJECT names, and reads its manifests.
func openProject() (*project, error) {
	dir, err := filepath.Abs(os.Getenv(projectVariable)) // of nothing: the working directory
	if err != nil {
		return nil, err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if isDir(filepath.Join(at, "contestants")) && isDir(filepath.Join(at, scenario.Folder)) {
			p := &project{root: at, fsys: os.DirFS(at)}
			p.manifests, err = contestant.List(p.fsys)
			return p, err
		}
		if at == filepath.Dir(at) {
			return nil, usagef("no folders contestants/ and scenarios/ at or above %s: run dyno inside a checkout of it, or set %s to one", dir, projectVariable)
		}
	}
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

func (p *project) names() []string {
	var names []string
	for _, m := range p.manifests {
		names = append(names, m.Name)
	}
	return names
}

// manifest returns the named contestant's, or nil.
func (p *project) manifest(name string) *contestant.Manifest {
	for _, m := range p.manifests {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func (p *project) scenario(name string) (*scenario.Scenario, error) {
	names, err := scenario.Names(p.fsys)
	if err != nil {
		return nil, err
	}
	s, err := scenario.Read(p.fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("no scenario %q%s", name, suggest(name, names, "dyno list"))
	}
	return s, err
}

func (p *project) study(slug string) (*study.Study, error) {
	slugs, err := study.Slugs(p.fsys)
	if err != nil {
		return nil, err
	}
	s, err := study.Read(p.fsys, slug)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("no study %q%s", slug, suggest(slug, slugs, "dyno list"))
	}
	return s, err
}

// suggest names the nearest word, and where all stand; or all, where they are few.
func suggest(word string, among []string, all string) string {
	if near := conf.Nearest(word, among); near != "" {
		return fmt.Sprintf("; did you mean %q? (%s shows all)", near, all)
	}
	if len(among) > 20 {
		return fmt.Sprintf(" (%s shows all %d)", all, len(among))
	}
	return fmt.Sprintf(" (%s shows all: %s)", all, strings.Join(among, ", "))
}
