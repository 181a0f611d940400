// Package contestant reads manifests, finds the toolchains they need, builds and launches the
// programs, and verifies which program answers.
//
// A contestant is ready when it answers its scenario's probe, and the process that listens is in
// the tree that was started.
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

	"dyno/internal/adhoc"
	"dyno/internal/conf"
	"dyno/internal/foreign"
	"dyno/internal/protocol"
)

// Folder is the folder of contestants within a project, by language; BackendFolder that of the
// programs that they call.
const (
	Folder        = "contestants"
	BackendFolder = "backends"
)

// Manifest is a contestant.toml, or the backend.toml of a program that contestants call, which
// has no scenarios.
type Manifest struct {
	Name      string            `toml:"name"`
	Title     string            `toml:"title"`
	Language  string            `toml:"language"`
	Framework string            `toml:"framework"`
	Version   string            `toml:"version"` // what is measured ("v12.2.11"), or a floor (">=10.0")
	Engine    string            `toml:"engine"`
	HTTP2     bool              `toml:"http2"`     // the engine, as it comes, can serve HTTP/2
	Protocols []protocol.HTTP   `toml:"protocols"` // that it serves, of those dyno measures; empty in the file: http
	Delay     bool              `toml:"delay"`     // its handlers wait DYNO_DELAY before they answer
	Scenarios []string          `toml:"scenarios"`
	Sources   []string          `toml:"sources"`
	Shared    []string          `toml:"shared"` // folders of contestants/shared that go into the build
	Processes int               `toml:"processes"`
	CPUs      int               `toml:"cpus"` // that the servers must have for it to mean anything; 0: one
	Tuning    []string          `toml:"tuning"`
	Differs   []string          `toml:"differs"` // "key: reason"
	Build     []string          `toml:"build"`
	Run       []string          `toml:"run"`
	BuildEnv  map[string]string `toml:"build_env"`
	Env       map[string]string `toml:"env"`
	Toolchain map[string]string `toml:"toolchain"` // name -> floor
	Paths     map[string]string `toml:"paths"`     // a scenario's path -> its own, for scenario.At

	Path    string        `toml:"-"` // of its folder within the project, or within Root
	Root    string        `toml:"-"` // absolute; empty unless the folder lies elsewhere than in the project
	Program string        `toml:"-"` // absolute; of one that was built elsewhere and is started instead: see Prebuilt
	Command *Command      `toml:"-"` // that starts one which is not built, and then all that is known of it; else nil
	Relink  int           `toml:"-"` // the seed of its first layout, the next ones follow; 0: that has the linker's own order
	URL     *adhoc.Target `toml:"-"` // where it runs already, which dyno does not start; else nil
}

// differences are the keys of declared differences that scenario.Verify supports.
var differences = []string{"chunked", "no-content-type", "no-date"}

// managed are the languages whose runtime compiles while it serves, and therefore needs a longer
// warm-up.
var managed = []string{"csharp", "java", "kotlin", "scala", "javascript", "typescript",
	"python (pypy)", "ruby", "julia", imageLanguage}

// Serves reports whether the contestant serves a form of HTTP. One without a manifest that lists
// any serves HTTP/1.1 in the clear.
func (m *Manifest) Serves(h protocol.HTTP) bool {
	return slices.Contains(m.Protocols, h) || len(m.Protocols) == 0 && h == protocol.Clear
}

// Managed reports whether the contestant runs on a managed runtime.
func (m *Manifest) Managed() bool { return slices.Contains(managed, m.Language) }

// Dir returns the folder of the contestant. It is absolute if root, the folder of the project, is.
func (m *Manifest) Dir(root string) string {
	return filepath.Join(cmp.Or(m.Root, root), filepath.FromSlash(m.Path))
}

// FS returns the file system that Path is a folder of: the manifest's own root, else project.
func (m *Manifest) FS(project fs.FS) fs.FS {
	if m.Root != "" {
		return foreign.FS(m.Root)
	}
	return project
}

// readNamed reads the contestant.toml in the folder dir of a project. Errors carry file:line:column.
func readNamed(fsys fs.FS, dir string) (*Manifest, error) {
	return named(fsys, dir, "contestant")
}

// ReadBackend reads the backend.toml of the named backend of a project. Errors carry
// file:line:column.
func ReadBackend(fsys fs.FS, name string) (*Manifest, error) {
	return named(fsys, path.Join(BackendFolder, name), "backend")
}

// named reads a manifest, and returns an error if its name is not that of its folder.
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

// read reads a manifest, of a contestant or a backend, in a folder of any name.
func read(fsys fs.FS, dir, what string) (*Manifest, *conf.File, error) {
	m := &Manifest{Path: dir}
	f, err := conf.Read(fsys, path.Join(dir, what+".toml"), m)
	if err != nil {
		return nil, nil, err
	}
	if m.Processes == 0 {
		m.Processes = 1
	}
	if err := m.readProtocols(f); err != nil {
		return nil, nil, err
	}
	if err := m.check(f, what); err != nil {
		return nil, nil, err
	}
	return m, f, nil
}

// readProtocols turns the names in the file into forms of HTTP.
func (m *Manifest) readProtocols(f *conf.File) error {
	if !f.Has("protocols") {
		m.Protocols = []protocol.HTTP{protocol.Clear}
		return nil
	}
	for i, name := range m.Protocols {
		h, err := protocol.Parse(string(name))
		if err == nil && slices.Contains(m.Protocols[:i], h) {
			err = fmt.Errorf("%q is named twice", name)
		}
		if err != nil {
			return f.Errorf(fmt.Sprintf("protocols[%d]", i), "%v", err)
		}
		m.Protocols[i] = h
	}
	if !slices.Contains(m.Protocols, protocol.Clear) {
		return f.Errorf("protocols", "%q is missing: a contestant serves HTTP/1.1 in the clear, at DYNO_ADDR, and "+
			"whatever else the list names", protocol.Clear)
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
		{"scenarios", len(m.Scenarios) > 0 || what != "contestant"}, {"sources", len(m.Sources) > 0},
		{"build", len(m.Build) > 0}, {"run", len(m.Run) > 0},
	} {
		if !required.there {
			return f.Errorf(required.key, "a %s needs %q", what, required.key)
		}
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
				"%q is not a toolchain: want go, dotnet, or the name of a program with a --version flag",
				name)
		}
		if !strings.HasPrefix(floor, ">=") || !isVersion(floor[2:]) {
			return f.Errorf("toolchain."+name, "%q: want a minimum version such as \">=1.24\"", floor)
		}
	}
	if !isVersion(strings.TrimPrefix(strings.TrimPrefix(m.Version, ">="), "v")) {
		return f.Errorf("version", "%q: want a version such as \"v1.2.3\", or a minimum such as \">=10.0\"",
			m.Version)
	}
	return nil
}

// List reads all manifests of a project, sorted by name.
func List(fsys fs.FS) ([]*Manifest, error) {
	return list(fsys, Folder+"/*/*/contestant.toml")
}

// list reads the manifests that the pattern finds, sorted by name.
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
