package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/machine"
)

// Dependency is a package that a contestant's go.mod, project file, package.json, requirements.in or Cargo.toml
// names directly, with the version that the contestant uses.
type Dependency struct{ Name, Version string }

// Newest is a package's newest release in the registry, or why the registry names none.
type Newest struct {
	Version string
	Err     error
}

// Behind reports whether the newest release is newer than d.
func (d Dependency) Behind(n Newest) bool {
	canonical := func(version string) string { return "v" + strings.TrimPrefix(version, "v") }
	return n.Err == nil && n.Version != "" && semver.Compare(canonical(d.Version), canonical(n.Version)) < 0
}

// Dependencies returns the packages that m names, sorted by name, without those that the project's folders
// replace. fsys is the project, or m's Root.
func Dependencies(m *contestant.Manifest, fsys fs.FS) (found []Dependency, err error) {
	files, err := fs.Glob(fsys, m.Path+"/*")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		read := readers[path.Base(file)]
		if path.Ext(file) == ".csproj" {
			read = readers[".csproj"]
		}
		if read == nil {
			continue
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		named, err := read(file, text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		found = append(found, named...)
	}
	slices.SortFunc(found, func(a, b Dependency) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

// readers are the functions that read package files.
var readers = map[string]func(file string, text []byte) ([]Dependency, error){
	"go.mod": required, "package.json": installed,
	"requirements.in": matching(conf.Regexp(`(?m)^(\S+)==(\S+)$`)),
	"Cargo.toml":      matching(conf.Regexp(`(?m)^([\w-]+) = (?:\{ version = )?"(\d+\.\d+\.\d+)"`)),
	".csproj":         matching(conf.Regexp(`<PackageReference Include="([^"]+)" Version="\[?([^"\]]+)\]?"`)),
}

// matching returns a reader of package files in which pattern's groups are a package's name and version.
func matching(pattern func() *regexp.Regexp) func(string, []byte) ([]Dependency, error) {
	return func(_ string, text []byte) (found []Dependency, err error) {
		for _, r := range pattern().FindAllSubmatch(text, -1) {
			if string(r[1]) != "version" { // the contestant's own
				found = append(found, Dependency{Name: string(r[1]), Version: string(r[2])})
			}
		}
		return found, nil
	}
}

// installed returns the packages in a package.json.
func installed(_ string, text []byte) (found []Dependency, err error) {
	var npm struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	err = json.Unmarshal(text, &npm)
	for name, version := range npm.Dependencies {
		found = append(found, Dependency{Name: name, Version: version})
	}
	return found, err
}

// required returns the modules that a go.mod requires directly and does not replace.
func required(file string, text []byte) (found []Dependency, err error) {
	mod, err := modfile.Parse(file, text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range mod.Require {
		replaced := slices.ContainsFunc(mod.Replace, func(o *modfile.Replace) bool { return o.Old.Path == r.Mod.Path })
		if !r.Indirect && !replaced {
			found = append(found, Dependency{Name: r.Mod.Path, Version: r.Mod.Version})
		}
	}
	return found, nil
}

// AskNewest asks the registry for the newest release of each name, through tc's client with the user's
// settings. The error says that the registry cannot be asked.
func AskNewest(ctx context.Context, tc contestant.Toolchain, names []string) (map[string]Newest, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var found map[string]Newest
	var err error
	switch tc.Name {
	case "go":
		found, err = newestModules(ctx, tc, names)
	case "node":
		found, err = eachNewest(names, func(name string) (string, error) { return newestOfNPM(ctx, tc, name) })
	case "dotnet":
		found, err = eachNewest(names, func(name string) (string, error) { return newestOfNuGet(ctx, tc, name) })
	case "python3":
		found, err = eachNewest(names, func(name string) (string, error) {
			return printed(ctx, tc, `\((\S+)\)`, "-m", "pip", "index", "versions", name)
		})
	case "cargo":
		found, err = eachNewest(names, func(name string) (string, error) {
			return printed(ctx, tc, `(?m)^version: (\S+)`, "info", name)
		})
	default:
		return nil, fmt.Errorf("dyno knows no registry of packages for %s", tc.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("ask for the newest of %d packages of %s: %w", len(names), tc.Name, err)
	}
	return found, nil
}

// ask runs a client in an empty folder. If it fails, the error contains its stderr.
func ask(ctx context.Context, tc contestant.Toolchain, program string, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "dyno-ask-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if tc.Name == "go" {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module ask\n"), 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, os.Environ()
	for _, name := range slices.Sorted(maps.Keys(tc.Env)) {
		cmd.Env = append(cmd.Env, name+"="+tc.Env[name])
	}
	out, err := machine.Output(cmd)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}

// newestModules asks go for all modules at once. It fails if any answer shows that the proxy cannot be
// reached.
func newestModules(ctx context.Context, tc contestant.Toolchain, names []string) (map[string]Newest, error) {
	args := []string{"list", "-mod=mod", "-m", "-e", "-json=Path,Version,Error"}
	for _, name := range names {
		args = append(args, name+"@latest")
	}
	out, err := ask(ctx, tc, tc.Program, args...)
	if err != nil {
		return nil, err
	}
	found := map[string]Newest{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct {
			Path, Version string
			Error         *struct{ Err string }
		}
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, fmt.Errorf("read what go list writes: %w", err)
		case m.Error != nil && contestant.Unfetched(m.Error.Err) != "" && !gone().MatchString(m.Error.Err):
			return nil, errors.New(m.Error.Err)
		case m.Error != nil:
			found[m.Path] = Newest{Err: errors.New(m.Error.Err)}
		default:
			found[m.Path] = Newest{Version: m.Version}
		}
	}
}

// gone matches a proxy's answer for a module that it does not serve.
var gone = conf.Regexp(`: (403 Forbidden|404 Not Found|410 Gone)`)

// eachNewest asks for one name after the other.
func eachNewest(names []string, newest func(name string) (string, error)) (map[string]Newest, error) {
	found := map[string]Newest{}
	for _, name := range names {
		version, err := newest(name)
		if err != nil && contestant.Unfetched(err.Error()) != "" {
			return nil, err
		}
		found[name] = Newest{Version: version, Err: err}
	}
	return found, nil
}

// printed returns what the group of pattern matches in a client's output.
func printed(ctx context.Context, tc contestant.Toolchain, pattern string, args ...string) (string, error) {
	out, err := ask(ctx, tc, tc.Program, args...)
	if found := regexp.MustCompile(pattern).FindSubmatch(out); err == nil && found != nil {
		return string(found[1]), nil
	}
	return "", cmp.Or(err, errors.New("the registry names no version"))
}

func newestOfNPM(ctx context.Context, tc contestant.Toolchain, name string) (string, error) {
	program := filepath.Join(filepath.Dir(tc.Program), "npm")
	if st, err := os.Stat(program); err != nil || st.IsDir() {
		program = "npm"
	}
	out, err := ask(ctx, tc, program, "view", name, "version")
	return strings.TrimSpace(string(out)), err
}

// newestOfNuGet returns the newest of all releases, because the search lists all.
func newestOfNuGet(ctx context.Context, tc contestant.Toolchain, name string) (string, error) {
	out, err := ask(ctx, tc, tc.Program, "package", "search", name, "--exact-match", "--format", "json")
	if err != nil {
		return "", err
	}
	var found struct {
		SearchResult []struct {
			Problems []struct {
				Text string `json:"text"`
			} `json:"problems"`
			Packages []struct {
				Version string `json:"version"`
			} `json:"packages"`
		} `json:"searchResult"`
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return "", fmt.Errorf("read what dotnet package search writes: %w", err)
	}
	newest, problem := "", ""
	for _, source := range found.SearchResult {
		for _, p := range source.Problems {
			problem = p.Text
		}
		for _, p := range source.Packages {
			if v := "v" + p.Version; semver.Prerelease(v) == "" && semver.Compare(v, "v"+newest) > 0 {
				newest = p.Version
			}
		}
	}
	switch {
	case newest != "":
		return newest, nil
	case problem != "":
		return "", errors.New("error NU1301: " + problem)
	}
	return "", errors.New("the package sources have none of that name")
}
