// Package contestant reads manifests, finds toolchains, builds and launches programs, and verifies which
// program answers.
//
// A contestant is ready when it answers its scenario's probe, and the listening process is in the started
// process tree.
package contestant

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Folder is the folder for contestants in a project, by language; ServiceFolder is the folder for their
// services.
const (
	Folder        = "contestants"
	ServiceFolder = "services"
)

// Manifest is a contestant.toml, or the service.toml of a program that contestants call. A service has no
// scenarios.
type Manifest struct {
	Name      string            `toml:"name"`
	Title     string            `toml:"title"`
	Language  string            `toml:"language"`
	Framework string            `toml:"framework"`
	Version   string            `toml:"version"` // the measured version ("v12.2.11"), or a floor (">=10.0")
	Engine    string            `toml:"engine"`
	Protocols []wire.HTTP       `toml:"protocols"` // measurable protocols that it serves; empty in the file: http
	Delay     bool              `toml:"delay"`     // handlers wait DYNO_DELAY before they respond
	Scenarios []string          `toml:"scenarios"`
	Shared    []string          `toml:"shared"` // folders in contestants/shared that the build needs
	CPUs      int               `toml:"cpus"`   // server CPUs that it needs to be meaningful; 0: one
	Tuning    []string          `toml:"tuning"`
	Differs   []string          `toml:"differs"` // declared differences, each "key: reason"
	Build     []string          `toml:"build"`
	Run       []string          `toml:"run"`
	BuildEnv  map[string]string `toml:"build_env"`
	Env       map[string]string `toml:"env"`
	Toolchain map[string]string `toml:"toolchain"` // name -> floor
	Paths     map[string]string `toml:"paths"`     // a scenario's path -> the contestant's, for scenario.At

	Services []scenario.Service `toml:"service"` // beside the scenario's; Dir is the contestant's folder, as Path

	Path     string           `toml:"-"` // folder of the manifest, relative to the project or to Root
	Root     string           `toml:"-"` // absolute; empty if the folder is in the project
	Command  *Command         `toml:"-"` // starts a contestant without a build or a manifest file; else nil
	Revision *Revision        `toml:"-"` // what Build builds, and Command starts; else nil
	Commit   string           `toml:"-"` // hash of the compared revision; "" for other sides
	Relink   int              `toml:"-"` // seed of the first layout, later layouts count up; 0: the linker's default order
	URL      *scenario.Target `toml:"-"` // a running server that dyno does not start; else nil
}

// differences are the keys for declared differences that scenario.Verify supports.
var differences = []string{"chunked", "no-content-type", "no-date"}

// managed are the languages whose runtime compiles while it serves, and therefore needs a longer warm-up.
var managed = []string{"csharp", "java", "kotlin", "scala", "javascript", "typescript",
	"python (pypy)", "ruby", "julia", imageLanguage}

// Managed reports whether the contestant runs on a managed runtime.
func (m *Manifest) Managed() bool { return slices.Contains(managed, m.Language) }

// Dir returns the contestant's folder. It is absolute if root, the project's folder, is.
func (m *Manifest) Dir(root string) string {
	return filepath.Join(cmp.Or(m.Root, root), filepath.FromSlash(m.Path))
}

// Called returns the services in the manifest.
func (m *Manifest) Called() []scenario.Service {
	all := slices.Clone(m.Services)
	for i := range all {
		all[i].Dir = m.Dir("") // absolute outside of the project
	}
	return all
}

// readNamed reads the contestant.toml in the project's folder dir. Errors carry file:line:column.
func readNamed(fsys fs.FS, dir string) (*Manifest, error) { return named(fsys, dir, "contestant") }

// ReadService reads a service's service.toml from a project. Errors carry file:line:column.
func ReadService(fsys fs.FS, name string) (*Manifest, error) {
	return named(fsys, path.Join(ServiceFolder, name), "service")
}

// named reads a manifest, and returns an error unless the folder has the same name.
func named(fsys fs.FS, dir, what string) (*Manifest, error) {
	m, f, err := read(fsys, dir, what)
	if err == nil && m.Name != path.Base(dir) {
		err = f.Errorf("name", "the %s is named %q, but its folder %q; use one name", what, m.Name, path.Base(dir))
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// read reads a contestant's or service's manifest in a folder with any name.
func read(fsys fs.FS, dir, what string) (*Manifest, *conf.File, error) {
	m := &Manifest{Path: dir}
	f, err := conf.Read(fsys, path.Join(dir, what+".toml"), m)
	if err != nil {
		return nil, nil, err
	}
	if err := m.readProtocols(f); err != nil {
		return nil, nil, err
	}
	if err := m.check(f, what); err != nil {
		return nil, nil, err
	}
	if err := scenario.ReadServices(f, dir, m.Services); err != nil {
		return nil, nil, err
	}
	return m, f, nil
}

// readProtocols converts the names in the file to forms of HTTP.
func (m *Manifest) readProtocols(f *conf.File) error {
	if !f.Has("protocols") {
		m.Protocols = []wire.HTTP{wire.Clear}
		return nil
	}
	for i, name := range m.Protocols {
		h, err := wire.ParseHTTP(string(name))
		if err == nil && slices.Contains(m.Protocols[:i], h) {
			err = fmt.Errorf("%q is named twice", name)
		}
		if err != nil {
			return f.Errorf(fmt.Sprintf("protocols[%d]", i), "%v", err)
		}
		m.Protocols[i] = h
	}
	if !slices.Contains(m.Protocols, wire.Clear) {
		return f.Errorf("protocols", "%q is missing: a contestant serves HTTP/1.1 in the clear, at DYNO_ADDR, and "+
			"whatever else the list names", wire.Clear)
	}
	return nil
}

// check returns an error if a manifest lacks a key or has an invalid value.
func (m *Manifest) check(f *conf.File, what string) error {
	for _, required := range []struct {
		key   string
		there bool
	}{
		{"name", m.Name != ""}, {"title", m.Title != ""}, {"language", m.Language != ""},
		{"framework", m.Framework != ""}, {"version", m.Version != ""}, {"engine", m.Engine != ""},
		{"scenarios", len(m.Scenarios) > 0 || what != "contestant"},
		{"build", len(m.Build) > 0}, {"run", len(m.Run) > 0},
	} {
		if !required.there {
			return f.Errorf(required.key, "a %s needs %q", what, required.key)
		}
	}
	if what != "contestant" && len(m.Services) > 0 {
		return f.Errorf("service", "a %s calls no services; omit it", what)
	}
	for i, d := range m.Differs {
		key, reason, ok := strings.Cut(d, ":")
		if !ok || strings.TrimSpace(reason) == "" || !slices.Contains(differences, key) {
			return f.Errorf(fmt.Sprintf("differs[%d]", i), "%q: want \"key: reason\", where key is one of %s",
				d, strings.Join(differences, ", "))
		}
	}
	for i, t := range m.Tuning {
		if !strings.Contains(t, ": ") {
			return f.Errorf(fmt.Sprintf("tuning[%d]", i), "%q: want \"flag: reason\"", t)
		}
	}
	for _, from := range slices.Sorted(maps.Keys(m.Paths)) {
		to := m.Paths[from]
		key := fmt.Sprintf("paths.%q", from)
		switch below := strings.HasSuffix(from, "/") && from != "/"; {
		case !strings.HasPrefix(from, "/") || !strings.HasPrefix(to, "/") || strings.ContainsAny(from+to, "? "):
			return f.Errorf(key,
				"%q = %q: want the scenario's path and the contestant's own, both starting with / and without a query",
				from, to)
		case below && !strings.HasSuffix(to, "/"):
			return f.Errorf(key,
				"%q = %q: a path that ends in / means all paths below it; both must end in /", from, to)
		}
	}
	if len(m.Toolchain) != 1 {
		return f.Errorf("toolchain", "want one toolchain, such as go = \">=1.24\"")
	}
	for name, floor := range m.Toolchain {
		if !programName().MatchString(name) {
			return f.Errorf("toolchain",
				"%q is not a toolchain: want go, dotnet, node, python3, cargo, or the name of a program with a --version flag",
				name)
		}
		if !strings.HasPrefix(floor, ">=") || !isVersion().MatchString(floor[2:]) {
			return f.Errorf("toolchain."+name, "%q: want a minimum version such as \">=1.24\"", floor)
		}
	}
	if !isVersion().MatchString(strings.TrimPrefix(strings.TrimPrefix(m.Version, ">="), "v")) {
		return f.Errorf("version", "%q: want a version such as \"v1.2.3\", or a minimum such as \">=10.0\"",
			m.Version)
	}
	return nil
}

// List reads all contestants' manifests in a project, sorted by name.
func List(fsys fs.FS) ([]*Manifest, error) { return list(fsys, Folder+"/*/*/contestant.toml") }

// list reads the manifests that match pattern, sorted by name.
func list(fsys fs.FS, pattern string) ([]*Manifest, error) {
	files, err := fs.Glob(fsys, pattern)
	if err != nil {
		return nil, err
	}
	var all []*Manifest
	for _, file := range files {
		m, err := readNamed(fsys, path.Dir(file))
		if err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(all, func(o *Manifest) bool { return o.Name == m.Name }); i >= 0 {
			return nil, fmt.Errorf("%s:1:1: the name %q is already used by %s", file, m.Name, all[i].Path)
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *Manifest) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
