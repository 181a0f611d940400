package side

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/contestant"
)

// workspace is a folder with two contestants and some files, as the working directory.
func workspace(t *testing.T) Options {
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
	return Options{
		Taken: func(name string) bool { return name == "ref" },
		Folder: func(name string) (string, string, bool) {
			return "before/mine", "; did you mean \"mine\"?", name == "mine"
		},
	}
}

func TestFind(t *testing.T) {
	o := workspace(t)
	texts := []string{"node a.js", "./server", "after/mine", "mine", "sh"}
	sides, err := Find(t.Context(), texts, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		kind Kind
		name string
	}{{Command, "a.js"}, {Command, "server"}, {Folder, "mine-2"}, {Contestant, "mine"}, {Command, "sh"}} {
		if s := sides[i]; s.Kind != want.kind || s.Text != texts[i] || s.Built() == (want.kind == Command) {
			t.Errorf("%q: %+v; want %+v", texts[i], s, want)
		}
	}
	o.Contestant = "mine"
	if sides, err = Find(t.Context(), []string{".", "./server"}, o); err != nil || sides[0].folder != "before/mine" ||
		sides[0].Name != "working-tree" || sides[1].Kind != Program || !filepath.IsAbs(sides[1].program) {
		t.Errorf("with --of: %+v, %v", sides, err)
	}
}

func TestFindRefuses(t *testing.T) {
	o := workspace(t)
	for text, want := range map[string]string{
		"":        "a side is empty",
		"  ":      "a side is empty",
		"a.js":    "a.js is not executable; pass the command that starts it, in quotes, such as 'node a.js'",
		"image:":  "want the name of an image",
		"before":  "before has no contestant.toml",
		"nowhere": `nowhere not found: it is not a folder with a contestant.toml, a file, a program on PATH or a contestant; did you mean "mine"?`,
	} {
		if _, err := Find(t.Context(), []string{text, "mine"}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	for n := range 30 {
		_, err := Find(t.Context(), make([]string, n), o)
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
		{[]string{"node a.js --fast", "node a.js --slow"}, nil, []string{"a.js---fast", "a.js---slow"}},
		{[]string{"./server", "build/server"}, nil, []string{"./server", "build/server"}},
		{[]string{"before/mine", "after/mine"}, nil, []string{"before/mine", "after/mine"}},
		{[]string{"uvicorn app:app --port {port}", "cd x && FOO=1 ./ref"}, nil, []string{"uvicorn", "ref-2"}},
		{[]string{"image:docker.io/library/nginx:1.29", "image:mine:2"}, nil, []string{"nginx:1.29", "mine:2"}},
		{[]string{"java -jar x.jar", "python3 -m http.server {port}"}, nil, []string{"x.jar", "http.server"}},
		{[]string{"node a.js", "node b.js", "node c.js"}, []string{"old", "new"}, []string{"old", "new", "c.js"}},
	} {
		sides, err := Find(t.Context(), c.texts, Options{Taken: o.Taken, Folder: o.Folder, Names: c.given})
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
		{[]string{"a:b", "a+b"}, "two sides cannot have the same name"}, // one name of a file
		{[]string{"ref"}, "a reference server has this name"},
		{[]string{"a b"}, "without spaces"},
		{[]string{""}, "want 1 to"},
		{[]string{"a", "b", "c"}, "3 names for 2 sides"},
	} {
		o.Names = c.given
		if _, err := Find(t.Context(), []string{"node a.js", "node b.js"}, o); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v; want %q", c.given, err, c.want)
		}
	}
}

// A label says what a side is where its name does not.
func TestLabels(t *testing.T) {
	o := workspace(t)
	texts := []string{"node a.js", "./server", "sh", "image:docker.io/library/nginx:1.29",
		"http://127.0.0.1:3000/", "http://127.0.0.1:4000/users/7"}
	sides, err := Find(t.Context(), texts, o)
	if err != nil {
		t.Fatal(err)
	}
	sides = append(sides, &Side{Kind: Revision, Name: "HEAD", label: "net-http @ 1a2b3c4"},
		&Side{Kind: Contestant, Name: "gin"})
	for i, want := range []string{"a.js (node a.js)", "server (./server)", "sh",
		"nginx:1.29 (docker.io/library/nginx:1.29)", "127.0.0.1:3000", "127.0.0.1:4000 (127.0.0.1:4000/users/7)",
		"HEAD (net-http @ 1a2b3c4)", "gin"} {
		if got := sides[i].Label(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What is started as given serves nobody knows what; what is built says so.
func TestScenario(t *testing.T) {
	serving := func(kind Kind, names ...string) *Side {
		return &Side{Kind: kind, Manifest: &contestant.Manifest{Scenarios: names}}
	}
	for _, c := range []struct {
		sides []*Side
		want  string
		fails bool
	}{
		{[]*Side{serving(Folder, "a", "b"), serving(Revision, "b", "a")}, "a", false},
		{[]*Side{serving(Folder, "a", "b"), serving(Revision, "b"), serving(Program, "b")}, "b", false},
		{[]*Side{serving(Folder, "a"), serving(Revision, "b")}, "", true},
		{[]*Side{serving(Folder, "a"), serving(Command)}, "", false},
	} {
		if got, err := Scenario(c.sides); got != c.want || (err != nil) != c.fails {
			t.Errorf("%q, %v; want %q", got, err, c.want)
		}
	}
}
