package contestant

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/foreign"
	"dyno/internal/machine"
)

// guess is the usual way to build and start a server in a folder with that file.
type guess struct {
	file         string // a pattern
	tool, floor  string // name of the toolchain
	build, start string // commands; {name} is what find returns
	// find returns a name in the folder dir's file. The error says why there is not exactly one.
	find  func(ctx context.Context, dir, file string) (string, error)
	apart bool // start does not run what build makes
}

var guesses = []guess{
	{"go.mod", "go", ">=1.0", "go build -o .dyno/server {name}", ".dyno/server", goMain, false},
	{"package.json", "node", ">=1.0", "npm {name} && npm run build --if-present", "npm start", npmInstall, true},
	{"Cargo.toml", "cargo", ">=1.0", "cargo build --release --target-dir .dyno/target", ".dyno/target/release/{name}",
		cargoBinary, false},
	{"pom.xml", "mvn", ">=3.0", "mvn -q -DskipTests package", "java -jar target/{name}.jar", mavenJar, false},
	{"*.csproj", "dotnet", ">=8.0", "dotnet publish -c Release -o .dyno/out {name}.csproj",
		"dotnet .dyno/out/{name}.dll --urls http://127.0.0.1:{port}", webAssembly, false},
	{"pyproject.toml", "python3", ">=3.0", "python3 -m venv .dyno/venv && .dyno/venv/bin/pip install --quiet .",
		".dyno/venv/bin/{name}", pythonScript, false},
}

// plainName matches the names that a guess puts into a command.
var plainName = conf.Regexp(`^[A-Za-z0-9.][A-Za-z0-9._/-]*$`)

// guessIn returns the one guess that fits the folder dir. The error says why there is not exactly one.
func guessIn(ctx context.Context, dir string) (*guess, error) {
	var fits []guess
	var files, why []string
	for _, g := range guesses {
		files = append(files, g.file)
		found, err := fs.Glob(foreign.FS(dir), g.file)
		if err != nil || len(found) == 0 {
			continue
		}
		var name string
		if g.file, err = one(g.file, found); err == nil {
			name, err = g.find(ctx, dir, g.file)
		}
		if err == nil && !plainName().MatchString(name) {
			err = fmt.Errorf("%q is a name that dyno puts into no command", name)
		}
		if err != nil {
			why = append(why, fmt.Sprintf("%s: %v", cmp.Or(g.file, files[len(files)-1]), err))
			continue
		}
		g.build, g.start = strings.ReplaceAll(g.build, "{name}", name), strings.ReplaceAll(g.start, "{name}", name)
		fits = append(fits, g)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(fits) == 1:
		return &fits[0], nil
	case len(fits) > 1:
		return nil, fmt.Errorf("%s and %s say two ways", fits[0].file, fits[1].file)
	case len(why) > 0:
		return nil, errors.New(strings.Join(why, "; "))
	}
	return nil, fmt.Errorf("there is no %s", strings.Join(files, ", "))
}

// one returns the only name in names.
func one(what string, names []string) (string, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	return "", fmt.Errorf("%d × %s, not one: %s", len(names), what, strings.Join(names[:min(4, len(names))], ", "))
}

// ask returns what a program prints in dir.
func ask(ctx context.Context, dir string, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := machine.Output(cmd)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	return out, err
}

// goMain returns the one main package; of several the only one at the top or in cmd/.
func goMain(ctx context.Context, dir, _ string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	out, err := ask(ctx, dir, "go", "list", "-e", "-find", "-f", `{{if eq .Name "main"}}{{.Dir}}{{end}}`, "./...")
	var mains, near []string
	for _, at := range strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }) {
		name, _ := filepath.Rel(dir, at)
		if name != "." {
			name = "./" + filepath.ToSlash(name)
		}
		mains = append(mains, name)
		if name == "." || filepath.Dir(name) == "cmd" {
			near = append(near, name)
		}
	}
	if err != nil {
		return "", err
	}
	if len(near) == 1 {
		return near[0], nil
	}
	return one("package main", mains)
}

// npmInstall returns npm's command that installs the packages.
func npmInstall(_ context.Context, dir, file string) (string, error) {
	text, err := fs.ReadFile(foreign.FS(dir), file)
	var pack struct{ Scripts map[string]string }
	if err = cmp.Or(err, json.Unmarshal(text, &pack)); err == nil && pack.Scripts["start"] == "" {
		err = errors.New(`it has no "start" script`)
	}
	for _, other := range []string{"yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"} {
		if isFile(filepath.Join(dir, other)) {
			err = cmp.Or(err, fmt.Errorf("%s is another package manager's", other))
		}
	}
	if isFile(filepath.Join(dir, "package-lock.json")) || isFile(filepath.Join(dir, "npm-shrinkwrap.json")) {
		return "ci", err
	}
	return "install", err
}

// cargoBinary returns the package's default or only binary.
func cargoBinary(ctx context.Context, dir, file string) (string, error) {
	out, err := ask(ctx, dir, "cargo", "metadata", "--no-deps", "--offline", "--format-version", "1")
	var all struct {
		Packages []struct {
			Manifest string `json:"manifest_path"`
			Default  string `json:"default_run"`
			Targets  []struct {
				Name string
				Kind []string
			}
		}
	}
	if err = cmp.Or(err, json.Unmarshal(out, &all)); err != nil {
		return "", err
	}
	here, err := filepath.EvalSymlinks(filepath.Join(dir, file))
	var bins []string
	for _, p := range all.Packages {
		if err != nil || p.Manifest != here {
			continue
		}
		for _, t := range p.Targets {
			if slices.Contains(t.Kind, "bin") && (p.Default == "" || p.Default == t.Name) {
				bins = append(bins, t.Name)
			}
		}
	}
	return one("binary", bins)
}

// mavenJar returns the name of the jar, if a plugin makes it runnable.
func mavenJar(_ context.Context, dir, file string) (string, error) {
	text, err := fs.ReadFile(foreign.FS(dir), file)
	var pom struct {
		Artifact  string   `xml:"artifactId"`
		Version   string   `xml:"version"`
		Inherited string   `xml:"parent>version"`
		Packaging string   `xml:"packaging"`
		Final     string   `xml:"build>finalName"`
		Modules   []string `xml:"modules>module"`
	}
	err = cmp.Or(err, xml.Unmarshal(text, &pom))
	runnable := strings.Contains(string(text), "mainClass>") || strings.Contains(string(text), "spring-boot-maven-plugin")
	if err == nil && (!runnable || len(pom.Modules) > 0 || cmp.Or(pom.Packaging, "jar") != "jar") {
		err = errors.New("it does not say that it makes one runnable jar")
	}
	return cmp.Or(pom.Final, pom.Artifact+"-"+cmp.Or(pom.Version, pom.Inherited)), err
}

// webAssembly returns the name of a web project's assembly.
func webAssembly(_ context.Context, dir, file string) (string, error) {
	text, err := fs.ReadFile(foreign.FS(dir), file)
	if err == nil && (!strings.Contains(string(text), "Microsoft.NET.Sdk.Web") ||
		strings.Contains(string(text), "<AssemblyName>")) {
		err = errors.New("it is not a web project (Microsoft.NET.Sdk.Web) with the name of its file")
	}
	return strings.TrimSuffix(file, ".csproj"), err
}

// pythonScript returns the project's one script.
func pythonScript(_ context.Context, dir, file string) (string, error) {
	var all map[string]any
	_, err := conf.Read(foreign.FS(dir), file, &all)
	project, _ := all["project"].(map[string]any)
	scripts, _ := project["scripts"].(map[string]any)
	if err != nil {
		return "", err
	}
	return one("project.scripts", slices.Sorted(maps.Keys(scripts)))
}
