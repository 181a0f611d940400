package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/foreign"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// project is a command's data: a folder with contestants/, scenarios/ and studies/, and further
// contestants that flags name.
type project struct {
	found     contestant.Project
	root      string // the path of found
	fsys      fs.FS  // files in root
	manifests []*contestant.Manifest
	typed     *scenario.Scenario // the scenario on the command line; may be nil
	services  []scenario.Service // beside those of scenarios
}

// openProject opens the checkout around the working directory, the one that DYNO_PROJECT names, or
// else the embedded files, and reads the manifests.
func openProject() (*project, error) {
	found, err := contestant.FindProject()
	if err != nil {
		return nil, err
	}
	p := &project{found: found, root: found.Root, fsys: foreign.FS(found.Root)}
	p.manifests, err = contestant.List(p.fsys)
	return p, err
}

// openRun opens a stored run. If there is none, the error says where runs are.
func openRun(name string) (*record.Run, error) {
	run, err := study.Open(name)
	if p, found := contestant.FindProject(); errors.Is(err, fs.ErrNotExist) && found == nil {
		return nil, fmt.Errorf("no run in %s: %s", name, lastOf(p.Runs()))
	}
	return run, err
}

// lastOf says where runs are recorded, and which is the latest.
func lastOf(folder string) string {
	all := storedRuns(folder)
	if len(all) == 0 {
		return "runs are recorded in " + folder + ", where there is none yet"
	}
	return "the last one that is recorded here is " + all[0].path + "; dyno list runs shows all"
}

func (p *project) names() []string {
	var names []string
	for _, m := range p.manifests {
		names = append(names, m.Name)
	}
	return names
}

// manifest returns the contestant's manifest, or nil.
func (p *project) manifest(name string) *contestant.Manifest {
	for _, m := range p.manifests {
		if m.Name == name {
			return m
		}
	}
	return nil
}

func (p *project) scenario(name string) (*scenario.Scenario, error) {
	s, err := p.plainScenario(name)
	if err != nil || len(p.services) == 0 {
		return s, err
	}
	with := *s
	with.Services, err = scenario.Join(s.Services, p.services)
	return &with, err
}

// call adds the services of a study, if it has a file, and of contestants to those of scenarios.
func (p *project) call(slug string, contestants []string) error {
	var doc struct {
		study.Study
		Services []scenario.Service `toml:"service"`
	}
	dir := path.Join(study.Folder, slug)
	file, err := conf.Read(p.fsys, path.Join(dir, "study.toml"), &doc)
	switch {
	case err == nil:
		err = scenario.ReadServices(file, dir, doc.Services)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	p.services = append(p.services, doc.Services...)
	for _, name := range contestants {
		if m := p.manifest(name); err == nil && m != nil {
			p.services, err = scenario.Join(p.services, m.Called())
		}
	}
	return err
}

// plainScenario returns a scenario with its own services.
func (p *project) plainScenario(name string) (*scenario.Scenario, error) {
	if p.typed != nil && p.typed.Name == name {
		return p.typed, nil
	}
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

// suggest names the nearest word and the command that lists all words. Without a near word it lists
// all, if they are few.
func suggest(word string, among []string, all string) string {
	if near := conf.Nearest(word, among); near != "" {
		return fmt.Sprintf("; did you mean %q? (%s shows all)", near, all)
	}
	if len(among) > 20 {
		return fmt.Sprintf(" (%s shows all %d)", all, len(among))
	}
	return fmt.Sprintf(" (%s shows all: %s)", all, strings.Join(among, ", "))
}
