package contestant

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// put writes files below dir; a content that begins with -> is a link.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, link := strings.CutPrefix(text, "->"); link {
			err = os.Symlink(to, name)
		} else {
			err = os.WriteFile(name, []byte(text), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// repository is a new one with these files, committed and tagged v1.
func repository(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "my repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	gitDo(t, dir, "init", "--quiet", "-b", "main")
	put(t, dir, files)
	gitDo(t, dir, "add", ".")
	gitDo(t, dir, "commit", "--quiet", "-m", "first")
	gitDo(t, dir, "tag", "v1")
	return dir
}

func contentOf(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// checkedOut returns where the side's folder of a revision is checked out; "." is the working tree.
func checkedOut(t *testing.T, dir, name string) (*Revision, string, error) {
	t.Helper()
	r, err := FindRevision(t.Context(), dir, name)
	if name == "." {
		r, err = findRepository(t.Context(), dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if name == "." {
		r.working = true
		if err := r.snapshot(t.Context(), filepath.Join(to, "objects")); err != nil {
			return nil, "", err
		}
	}
	at, err := r.CheckOut(t.Context(), filepath.Join(to, "files"))
	return r, at, err
}

// A checkout has the files of a commit, or those of the working tree that git does not ignore, with its
// links; git works there; and the repository stays as it was.
func TestCheckOut(t *testing.T) {
	dir := repository(t, map[string]string{"api/a file": "old", "api/gone": "", "api/out": "->../../../../etc/passwd",
		".gitignore": "*.log\n", "-x": "", "top": "top"})
	put(t, dir, map[string]string{"api/more": "more"})
	gitDo(t, dir, "add", ".")
	gitDo(t, dir, "commit", "--quiet", "-m", "more")
	gitDo(t, dir, "tag", "v2")
	put(t, dir, map[string]string{"api/a file": "new", "api/untracked": "new", "api/x.log": "ignored"})
	if err := os.Remove(filepath.Join(dir, "api", "gone")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_DIR", "/nowhere")
	before := gitDo(t, dir, "--git-dir=.git", "count-objects") + gitDo(t, dir, "--git-dir=.git", "status", "--porcelain")
	for name, want := range map[string]map[string]string{
		"v1": {"a file": "old", "gone": "", "../top": "top"},
		"v2": {"a file": "old", "more": "more"},
		".":  {"a file": "new", "untracked": "new", "more": "more"},
	} {
		_, at, err := checkedOut(t, filepath.Join(dir, "api"), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for file, text := range want {
			if got := contentOf(t, at, file); got != text {
				t.Errorf("%s: %s holds %q, want %q", name, file, got, text)
			}
		}
		for file, there := range map[string]bool{"gone": name != ".", "untracked": name == ".", "x.log": false} {
			if isFile(filepath.Join(at, file)) != there {
				t.Errorf("%s: is %s there? not %v", name, file, there)
			}
		}
		if to, _ := os.Readlink(filepath.Join(at, "out")); to != "../../../../etc/passwd" {
			t.Errorf("%s: the link leads to %q", name, to)
		}
		described := map[string]string{".": "v2-dirty"}[name]
		if described == "" {
			described = name
		}
		if got, err := git(t.Context(), at, nil, "describe", "--tags", "--dirty"); got != described {
			t.Errorf("%s: git describes it as %q, %v", name, got, err)
		}
	}
	if after := gitDo(t, dir, "--git-dir=.git", "count-objects") + gitDo(t, dir, "--git-dir=.git", "status",
		"--porcelain"); after != before {
		t.Errorf("the repository has changed:\n%s\n%s", before, after)
	}
}

func TestCheckOutRefuses(t *testing.T) {
	lib := repository(t, map[string]string{"lib.txt": "lib"})
	dir := repository(t, map[string]string{"a": ""})
	gitDo(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "api/lib")
	gitDo(t, dir, "commit", "--quiet", "-m", "with a submodule")
	for _, name := range []string{"HEAD", "."} {
		if _, _, err := checkedOut(t, dir, name); err == nil || !strings.Contains(err.Error(), "api/lib is a submodule") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGuess(t *testing.T) {
	const mains, module, start = "package main\n", "module x\n\ngo 1.24\n", `{"scripts":{"start":"node a.js"}}`
	const pom = "<project><artifactId>x</artifactId><version>1</version><build><mainClass>X</mainClass></build></project>"
	for _, c := range []struct {
		files       map[string]string
		build, want string // the start, or the error
	}{
		{map[string]string{"go.mod": module, "main.go": mains}, "go build -o .dyno/server .", ".dyno/server"},
		{map[string]string{"go.mod": module, "cmd/x/main.go": mains, "tools/gen/main.go": mains, "lib.go": "package x\n"},
			"go build -o .dyno/server ./cmd/x", ".dyno/server"},
		{map[string]string{"go.mod": module, "cmd/x/main.go": mains, "cmd/y/main.go": mains}, "", "go.mod: 2 × " +
			"package main, not one: ./cmd/x, ./cmd/y"},
		{map[string]string{"go.mod": module, "a.go": "package a\n", "a_test.go": mains}, "", "0 × package main"},
		{map[string]string{"package.json": start}, "npm install && npm run build --if-present", "npm start"},
		{map[string]string{"package.json": start, "package-lock.json": "{}"}, "npm ci && npm run build " +
			"--if-present", "npm start"},
		{map[string]string{"package.json": start, "yarn.lock": ""}, "", "yarn.lock is another package manager's"},
		{map[string]string{"package.json": "{}"}, "", `package.json: it has no "start" script`},
		{map[string]string{"package.json": "{"}, "", "package.json: unexpected end of JSON"},
		{map[string]string{"package.json": start, "go.mod": module, "main.go": mains}, "", "go.mod and " +
			"package.json say two ways"},
		{map[string]string{"package.json": "{}", "go.mod": module, "main.go": mains}, "go build -o .dyno/server " +
			".", ".dyno/server"},
		{map[string]string{"package.json": "->/etc/passwd"}, "", "there is no go.mod"},
		{map[string]string{"pom.xml": pom}, "mvn -q -DskipTests package", "java -jar target/x-1.jar"},
		{map[string]string{"pom.xml": strings.Replace(pom, ">1<", ">$(touch x)<", 1)}, "", "is a name that dyno " +
			"puts into no command"},
		{map[string]string{"pom.xml": strings.ReplaceAll(pom, "mainClass", "main")}, "", "one runnable jar"},
		{map[string]string{"My.Shop.csproj": `<Project Sdk="Microsoft.NET.Sdk.Web"></Project>`},
			"dotnet publish -c Release -o .dyno/out My.Shop.csproj", "dotnet .dyno/out/My.Shop.dll --urls " +
				"http://127.0.0.1:{port}"},
		{map[string]string{"a.csproj": "", "b.csproj": ""}, "", "2 × *.csproj, not one: a.csproj, b.csproj"},
		{map[string]string{"pyproject.toml": "[project.scripts]\nshop = \"shop:main\"\n"},
			"python3 -m venv .dyno/venv && .dyno/venv/bin/pip install --quiet .", ".dyno/venv/bin/shop"},
		{map[string]string{"pyproject.toml": "[project]\nname = 1\n[tool.x]\ny = 2020-01-01\n"}, "", "0 × project.scripts"},
		{map[string]string{"Makefile": ""}, "", "there is no go.mod, package.json, Cargo.toml, pom.xml, *.csproj, " +
			"pyproject.toml"},
	} {
		dir := t.TempDir()
		put(t, dir, c.files)
		g, err := guessIn(t.Context(), dir)
		switch {
		case c.build == "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: %v; want %q", c.files, err, c.want)
		case c.build != "" && (err != nil || g.build != c.build || g.start != c.want):
			t.Errorf("%v: %+v, %v; want %s, %s", c.files, g, err, c.build, c.want)
		}
	}
}

func TestGuessCargo(t *testing.T) {
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/main.rs": "fn main() {}\n"})
	if g, err := guessIn(t.Context(), dir); err != nil || g.start != ".dyno/target/release/shop" {
		t.Errorf("%+v, %v", g, err)
	}
	put(t, dir, map[string]string{"src/bin/tool.rs": "fn main() {}\n"})
	if _, err := guessIn(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "2 × binary, not one: ") {
		t.Error(err)
	}
}

// What is missing is named at once, and only that.
func TestMissingKeys(t *testing.T) {
	nothing, node := t.TempDir(), t.TempDir()
	put(t, node, map[string]string{"package.json": `{"scripts":{"start":"node a.js"}}`})
	for _, c := range []struct{ dir, build, start, want string }{
		{nothing, "", "", "Pass, for example: --build 'make' --start './server --port {port}'"},
		{nothing, "make", "", "Pass, for example: --start './server --port {port}'"},
		{nothing, "", "./run", ""},
		{nothing, "make", "./run", ""},
		{node, "npm ci", "", ""},
	} {
		r := &Revision{Commit: "0123456789", Build: c.build, Start: c.start}
		m, err := r.manifest(t.Context(), "x", c.dir)
		if c.want == "" && (err != nil || m.Command.Line == "" || r.Build != c.build) ||
			c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%+v: %+v, %v", c, m, err)
		}
	}
}

// A build is kept for equal files, command, tools and compiler settings, and works at its own path.
func TestBuildRevision(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	dir := repository(t, map[string]string{"api/start.sh": "#!/bin/sh\n"})
	gitDo(t, dir, "commit", "--quiet", "--allow-empty", "-m", "the same files")
	o := BuildOptions{Cache: t.TempDir(), Log: filepath.Join(t.TempDir(), "log")}
	build := func(name, line, start string) (*Built, error) {
		r, at, err := checkedOut(t, filepath.Join(dir, "api"), name)
		if err != nil {
			t.Fatal(err)
		}
		r.Build, r.Start = line, start
		m, err := r.manifest(t.Context(), "x", at)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Build(t.Context(), m, Toolchain{}, o)
		if err == nil {
			_, _, err = b.Identify()
		}
		return b, err
	}
	line := "echo x >>" + count + " && pwd >where && git describe --tags >version && cp start.sh server"
	first, err := build("v1", line, "./server {port}")
	if err != nil {
		t.Fatal(err)
	}
	if at := strings.TrimSpace(contentOf(t, first.Dir, "where")); at != first.Dir ||
		contentOf(t, at, "version") != "v1\n" {
		t.Errorf("built in %s, %q; started in %s", at, contentOf(t, first.Dir, "version"), first.Dir)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(first.Dir), ".git")); err == nil {
		t.Error(".git is left")
	}
	same, err := build("HEAD", line, "./server {port} --fast")
	if err != nil || same.Dir != first.Dir || !same.Kept || contentOf(t, count) != "x\n" {
		t.Errorf("the same files: %+v, %v", same, err)
	}
	t.Setenv("CGO_ENABLED", "0")
	other, err := build("HEAD", line, "./server {port}")
	if err != nil || other.Dir == first.Dir || contentOf(t, count) != "x\nx\n" {
		t.Errorf("another environment: %+v, %v", other, err)
	}
	put(t, dir, map[string]string{"api/new": ""})
	if changed, err := build(".", line, "./server {port}"); err != nil || changed.Hash == other.Hash ||
		contentOf(t, count) != "x\nx\nx\n" {
		t.Errorf("another file: %v, %q", err, contentOf(t, count))
	}
	if err := os.WriteFile(filepath.Join(other.Dir, "server"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := build("v1", line, "./server"); err != nil || contentOf(t, count) != "x\nx\nx\nx\n" {
		t.Errorf("a damaged build: %v, %q", err, contentOf(t, count))
	}
	var failed *Failed
	if _, err := build("v1", "echo oh; exit 3", "./server"); !errors.As(err, &failed) || failed.Log != o.Log ||
		!strings.HasSuffix(err.Error(), " in api: echo oh; exit 3: exit status 3") {
		t.Errorf("a failing build: %v", err)
	}
	if _, err := build("v1", "true", "./server {port}"); err != nil {
		t.Errorf("no program until it is started: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Cache, "built", "*")); len(left) != 4 {
		t.Errorf("in the cache: %v", left)
	}
}

// A word that is a revision and something else is refused, with the words for both.
func TestRevisionSides(t *testing.T) {
	dir := repository(t, map[string]string{"server": "", "api/a": "", "sub/contestant.toml": ""})
	gitDo(t, dir, "branch", "server")
	gitDo(t, dir, "branch", "api")
	gitDo(t, dir, "branch", "sh")
	gitDo(t, dir, "tag", "sub")
	t.Chdir(dir)
	o := SideOptions{Folder: func(string) (string, string, bool) { return "", "", false }, Build: "make"}
	for text, want := range map[string]string{
		"server":     "server is a revision, and also ./server; pass refs/heads/server for the revision, or ./server",
		"sub":        "pass refs/tags/sub for the revision, or ./sub",
		"serverr":    `did you mean "server"?`,
		"v1:server":  "v1:server not found",
		"--help":     "--help not found",
		"/nowhere/x": "/nowhere/x not found",
	} {
		if _, err := FindSides(t.Context(), []string{text, "main"}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	texts := []string{"main", "refs/heads/server", "api", "sh", ".", "HEAD", "./server"}
	sides, err := FindSides(t.Context(), texts, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range []SideKind{RevisionSide, RevisionSide, RevisionSide, RevisionSide, FolderSide,
		RevisionSide, CommandSide} {
		if s := sides[i]; s.Kind != kind || (s.revision != nil) != (kind != CommandSide) || s.revision != nil &&
			s.revision.Build != "make" {
			t.Errorf("%s: %+v", texts[i], s)
		}
	}
	if names := sides[1].Name + sides[4].Name; names != "serverworking-tree" {
		t.Error(names)
	}
	o.Dir = "api"
	if sides, err = FindSides(t.Context(), []string{".", "main"}, o); err != nil ||
		sides[0].revision.path != "api" || sides[1].revision.path != "api" {
		t.Errorf("%+v, %v", sides, err)
	}
	o.Dir = "nowhere"
	if _, err := FindSides(t.Context(), []string{".", "main"}, o); err == nil ||
		!strings.Contains(err.Error(), "--dir: there is no folder nowhere") {
		t.Error(err)
	}
}
