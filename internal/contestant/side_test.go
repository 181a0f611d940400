package contestant

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workspace is a folder with two contestants and some files, as the working directory.
func workspace(t *testing.T) SideOptions {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, mode := range map[string]os.FileMode{
		"before/mine/contestant.toml": 0o644, "after/mine/contestant.toml": 0o644, "a.js": 0o644, "server": 0o755,
		"build/server": 0o755,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	return SideOptions{
		Taken: func(name string) bool { return name == "ref" },
		Folder: func(name string) (string, string, bool) {
			return "before/mine", "; did you mean \"mine\"?", name == "mine"
		},
	}
}

func TestFind(t *testing.T) {
	o := workspace(t)
	texts := []string{"node a.js", "./server", "after/mine", "mine", "sh"}
	sides, err := FindSides(t.Context(), texts, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		kind SideKind
		name string
	}{{CommandSide, "a.js"}, {CommandSide, "server"}, {FolderSide, "mine-2"}, {Contestant, "mine"}, {CommandSide, "sh"}} {
		if s := sides[i]; s.Kind != want.kind || s.Text != texts[i] || s.Built() == (want.kind == CommandSide) {
			t.Errorf("%q: %+v; want %+v", texts[i], s, want)
		}
	}
	o.Dir = "before/mine"
	if sides, err = FindSides(t.Context(), []string{".", "./server"}, o); err != nil || sides[0].folder != "before/mine" ||
		sides[0].Name != "working-tree" || sides[1].Kind != CommandSide {
		t.Errorf("with --dir: %+v, %v", sides, err)
	}
}

func TestFindRefuses(t *testing.T) {
	o := workspace(t)
	for text, want := range map[string]string{
		"":        "a side is empty",
		"  ":      "a side is empty",
		"a.js":    "a.js is not executable; pass the command that starts it, in quotes, such as 'node a.js'",
		"image:":  "want the name of an image",
		"before":  "before: there is no contestant.toml, and it is in no git repository; to start a server there, pass",
		"nowhere": `nowhere not found: it is not a folder, a file, a program on PATH, a contestant or a revision (this folder is in no git repository; --dir names a folder in one); did you mean "mine"?`,
	} {
		if _, err := FindSides(t.Context(), []string{text, "mine"}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	for n := range 30 {
		_, err := FindSides(t.Context(), make([]string, n), o)
		if refused := err != nil && strings.Contains(err.Error(), "want 2 to 20"); refused != (n < 2 || n > 20) {
			t.Errorf("%d sides: %v", n, err)
		}
	}
}

func TestNames(t *testing.T) {
	o := workspace(t)
	for _, c := range []struct{ texts, given, want []string }{
		{[]string{"node a.js", "python3 b.py"}, nil, []string{"a.js", "b.py"}},
		{[]string{"node a.js", "node a.js"}, nil, []string{"a.js", "a.js-2"}},
		{[]string{"node a.js --fast", "node a.js --slow"}, nil, []string{"a.js-fast", "a.js-slow"}},
		{[]string{"./server", "build/server"}, nil, []string{"server", "build/server"}},
		{[]string{"before/mine", "after/mine"}, nil, []string{"before/mine", "after/mine"}},
		{[]string{"uvicorn app:app --port {port}", "cd x && FOO=1 ./ref"}, nil, []string{"uvicorn", "ref-2"}},
		{[]string{"image:docker.io/library/nginx:1.29", "image:mine:2"}, nil, []string{"nginx:1.29", "mine:2"}},
		{[]string{"java -jar x.jar", "python3 -m http.server {port}"}, nil, []string{"x.jar", "python3-http.server"}},
		{[]string{"uvicorn a:app --port {port}", "uvicorn b:app --port " +
			"{port}"}, nil, []string{"uvicorn-a:app", "uvicorn-b:app"}},
		{[]string{"cd old && ./server {port}", "cd new && ./server {port}"}, nil, []string{"server-old", "server-new"}},
		{[]string{"node v1/main.js", "node v2/main.js", "node v2/main.js --fast"}, nil,
			[]string{"v1/main.js", "v2/main.js", "v2/main.js-fast"}},
		{[]string{"serve --workers 2", "serve --workers 4", "serve " +
			"-q"}, nil, []string{"serve-workers-2", "serve-workers-4", "serve-q"}},
		{[]string{"npm run preview", "npm run preview -- --port {port}"}, nil, []string{"npm-preview", "npm-preview-port"}},
		{[]string{"GOGC=50 ./server", "GOGC=off ./server"}, nil, []string{"server-GOGC=50", "server-GOGC=off"}},
		{[]string{"docker run --rm -p {port}:80 nginx:1.29", "docker run --rm -p {port}:80 caddy:2"}, nil,
			[]string{"docker-nginx:1.29", "docker-caddy:2"}},
		{[]string{"python3 -m http.server {port}", "python3 -m http.server {port} --protocol HTTP/1.1"}, nil,
			[]string{"python3-http.server", "…protocol-HTTP/1.1"}},
		{[]string{"nginx -g 'daemon off; worker_processes 1;'", "nginx -g 'daemon off; worker_processes 4;'"}, nil,
			[]string{"nginx-1", "nginx-4"}},
		{[]string{"node a.js", "node b.js", "node c.js"}, []string{"old", "new"}, []string{"old", "new", "c.js"}},
		{[]string{"node contestants/go/net-http.js", "node /tmp/duel-of-two-builds/001/head/net-http.js"}, nil,
			[]string{"go/net-http.js", "head/net-http.js"}},
		{[]string{"node a/b/main.js", "node c/a/b/main.js", "node d/b/main.js"}, nil,
			[]string{"a/b/main.js", "c/a/b/main.js", "d/b/main.js"}},
	} {
		sides, err := FindSides(t.Context(), c.texts, SideOptions{Taken: o.Taken, Folder: o.Folder, Names: c.given})
		if err != nil {
			t.Error(err)
			continue
		}
		for i, s := range sides {
			if s.Name != c.want[i] {
				t.Errorf("%q is named %q; want %q", s.Text, s.Name, c.want[i])
			}
		}
	}
	for _, c := range []struct {
		given []string
		want  string
	}{
		{[]string{"a", "a"}, "two sides cannot have the same name"},
		{[]string{"a:b", "a+b"}, "two sides cannot have the same name"}, // the same file name
		{[]string{"ref"}, "a reference server has this name"},
		{[]string{"a b"}, "without spaces"},
		{[]string{""}, "want 1 to"},
		{[]string{"a", "b", "c"}, "3 names for 2 sides"},
	} {
		o.Names = c.given
		if _, err := FindSides(t.Context(), []string{"node a.js", "node b.js"}, o); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.given, err, c.want)
		}
	}
}

// A command gets the name that a person would use, and none that begins with a dash.
func TestCommandNames(t *testing.T) {
	for line, want := range map[string]string{
		"node a.js":                                   "a.js",
		"node --inspect=0 dist/main.mjs {port}":       "main.mjs",
		"nodejs server":                               "nodejs-server",
		"deno run -A serve.ts":                        "serve.ts",
		"npm start":                                   "npm-start",
		"java -cp 'classes:lib/*' HelloWorld":         "java-HelloWorld",
		"npm run dev":                                 "npm-dev",
		"python3 b.py":                                "b.py",
		"python3.12 manage.py runserver {port}":       "manage.py",
		"python3 -m http.server {port}":               "python3-http.server",
		"uvicorn app:app --port {port}":               "uvicorn",
		"gunicorn -c conf.py app:app":                 "gunicorn",
		"java -Xmx1g -jar x.jar --server.port={port}": "x.jar",
		"dotnet out/Api.dll":                          "Api.dll",
		"bundle exec puma -p {port}":                  "bundle-puma",
		"go run ./cmd/api":                            "go-api",
		"go run .":                                    "go-run",
		"php -S 127.0.0.1:{port} index.php":           "index.php",
		"./bin/server -x":                             "server",
		"./server --config a.json":                    "server",
		"/usr/sbin/nginx -c /etc/nginx.conf":          "nginx",
		"docker run --rm -p {port}:80 nginx:1.29":     "docker-nginx:1.29",
		"podman run -p 3000:80 -e A=1 caddy":          "podman-caddy",
		"env VAR=1 cmd -x":                            "cmd",
		"VAR='a b' ./server":                          "server",
		"nice -n 5 node a.js":                         "a.js",
		"cd ../base && ./server":                      "server",
		"cd sub; exec ./server 2>&1 | tee log":        "server",
		"sh -c 'cd sub && exec node a.js'":            "a.js",
		"sh start.sh":                                 "start.sh",
		"'my server/run me' -x":                       "run-me",
		`my\ server/run`:                              "run",
		`node "my app/main file.js"`:                  "main-file.js",
		"-m x":                                        "x",
		"-- --":                                       "side",
		"''":                                          "side",
	} {
		s := &Side{Kind: CommandSide, Text: line, command: Command{Line: line}}
		if err := (&SideOptions{}).name([]*Side{s}); err != nil || s.Name != want {
			t.Errorf("%s is named %q, want %q; %v", line, s.Name, want, err)
		}
	}
}

// A file is started even if the shell would split its path into words, or search it on PATH.
func TestFilesAsCommands(t *testing.T) {
	o := workspace(t)
	if err := os.MkdirAll("my folder", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("my folder/it's", []byte("#!/bin/sh\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	sides, err := FindSides(t.Context(), []string{"my folder/it's", "server"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := OpenSides(t.Context(), sides, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`'my folder/it'\''s'`, "'./server'"} {
		if got := sides[i].Manifest.Command.Line; got != want {
			t.Errorf("the command of %s is %s, want %s", sides[i].Text, got, want)
		}
	}
	if sides[0].Name != "it-s" || sides[1].Name != "server" {
		t.Errorf("they are named %q and %q", sides[0].Name, sides[1].Name)
	}
	var failed *exec.ExitError
	if err := exec.Command("sh", "-c", sides[0].Manifest.Command.Line).Run(); !errors.As(err, &failed) ||
		failed.ExitCode() != 3 {
		t.Error(err)
	}
}

// A label describes a side if the name does not.
func TestLabels(t *testing.T) {
	o := workspace(t)
	texts := []string{"node a.js", "./server", "sh", "image:docker.io/library/nginx:1.29",
		"http://127.0.0.1:3000/", "http://127.0.0.1:4000/users/7"}
	sides, err := FindSides(t.Context(), texts, o)
	if err != nil {
		t.Fatal(err)
	}
	sides = append(sides, &Side{Kind: RevisionSide, Name: "HEAD", label: "net-http @ 1a2b3c4"},
		&Side{Kind: Contestant, Name: "gin"})
	for i, want := range []string{"a.js (node a.js)", "server (./server)", "sh",
		"nginx:1.29 (docker.io/library/nginx:1.29)", "127.0.0.1:3000", "127.0.0.1:4000 (127.0.0.1:4000/users/7)",
		"HEAD (net-http @ 1a2b3c4)", "gin"} {
		if got := sides[i].Label(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Sides without a contestant.toml have unknown scenarios; others list theirs.
func TestScenario(t *testing.T) {
	serving := func(kind SideKind, names ...string) *Side {
		return &Side{Kind: kind, Manifest: &Manifest{Scenarios: names}}
	}
	command := &Side{Kind: RevisionSide, Manifest: &Manifest{Command: &Command{}}}
	for _, c := range []struct {
		sides []*Side
		want  string
		fails bool
	}{
		{[]*Side{serving(FolderSide, "a", "b"), serving(RevisionSide, "b", "a")}, "a", false},
		{[]*Side{serving(FolderSide, "a", "b"), serving(RevisionSide, "b")}, "b", false},
		{[]*Side{serving(FolderSide, "a"), serving(RevisionSide, "b")}, "", true},
		{[]*Side{serving(FolderSide, "a"), command}, "", false},
	} {
		if got, err := SideScenario(c.sides); got != c.want || (err != nil) != c.fails {
			t.Errorf("%q, %v; want %q", got, err, c.want)
		}
	}
}
