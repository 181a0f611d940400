package contestant

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes files below dir.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCopyOfAService: the copy for another machine is a project with the same sources.
func TestCopyOfAService(t *testing.T) {
	root, dir := "../..", t.TempDir()
	m, err := ReadService(os.DirFS(root), "records")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Copy(root, dir); err != nil {
		t.Fatal(err)
	}
	own, err := ReadService(os.DirFS(dir), "records")
	if err != nil {
		t.Fatal(err)
	}
	sum := func(m *Manifest, root string) string {
		shared, err := m.sharedFolders(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range shared {
			if !s.near {
				t.Errorf("%s is not where go.mod looks for it", s.dir)
			}
		}
		key, err := fingerprint(m.Dir(root), shared, Toolchain{})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if a, b := sum(m, root), sum(own, dir); a != b {
		t.Errorf("its sources are %s here and %s there", a, b)
	}
}

func TestCopyOfGo(t *testing.T) {
	root, base := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, Folder), map[string]string{
		"go/mine/contestant.toml": strings.Replace(good, "sources", "shared = [\"pages\"]\nsources", 1),
		"go/mine/go.mod":          "module mine\n\ngo 1.24\n",
		"go/mine/main.go": "// Command mine answers.\npackage main\n\nimport (\n\t\"fmt\"\n\tr " +
			"\"mine/record\" // \"mine/record\"\n)\n\nfunc main() { fmt.Println(r.X, \"mine/record\") }\n",
		"go/mine/record/record.go": "package record\n\nconst X = \"mine\"\n",
		"go/mine/within/go.mod":    "module within\n",
		"go/mine/obj/left.txt":     "by a build",
		"go/notes.txt":             "no builder looks for this",
		"go/global.json":           "{}",
		"shared/pages/a.txt":       "a",
	})
	from, err := readNamed(os.DirFS(root), "contestants/go/mine")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := Copy(from, root, base, "go", "other")
	if err != nil || dir != filepath.Join(base, "go", "other") {
		t.Fatalf("%s, %v", dir, err)
	}
	for name, want := range map[string]string{
		"go/other/go.mod": "module other\n\ngo 1.24\n",
		"go/other/main.go": "// Command other answers.\npackage main\n\nimport (\n\t\"fmt\"\n\tr " +
			"\"other/record\" // \"mine/record\"\n)\n\nfunc main() { fmt.Println(r.X, \"mine/record\") }\n",
		"go/other/record/record.go": "package record\n\nconst X = \"mine\"\n",
		"go/other/within/go.mod":    "module within\n",
		"go/global.json":            "{}",
		"shared/pages/a.txt":        "a",
	} {
		if got, err := os.ReadFile(filepath.Join(base, filepath.FromSlash(name))); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	for _, name := range []string{"go/other/obj", "go/notes.txt"} {
		if _, err := os.Stat(filepath.Join(base, name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
	found, err := ListFolder(base)
	if err != nil || len(found) != 1 || found[0].Name != "other" || found[0].Title != "other" ||
		found[0].Dir("") != dir {
		t.Fatalf("%+v, %v", found, err)
	}
	if one, err := ListFolder(dir); err != nil || len(one) != 1 || one[0].Dir("") != dir {
		t.Errorf("its own folder: %+v, %v", one, err)
	}
	if _, err := Copy(from, root, base, "go", "other"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("once more: %v", err)
	}
	if got := Languages(base); len(got) != 1 || got[0] != "go" {
		t.Errorf("languages %q", got)
	}
	if _, err := ListFolder(t.TempDir()); err == nil {
		t.Error("an empty folder has contestants")
	}
}

func TestCopyOfDotnet(t *testing.T) {
	const root = "../.."
	all, err := List(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	for _, m := range all {
		if m.Language != "csharp" {
			continue
		}
		dir, err := Copy(m, root, base, "dotnet", m.Name+"-2x")
		if err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		c, err := ReadFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		given := strings.TrimPrefix(c.Run[0], "{out}/")
		if !strings.HasSuffix(given, "2x") || c.Build[2] != given+".csproj" {
			t.Errorf("%s: run %q, build %q", m.Name, c.Run, c.Build)
		}
		if _, err := os.Stat(filepath.Join(dir, given+".csproj")); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(base, "shared", "harness-dotnet", "Contestant.props")); err != nil {
		t.Errorf("without it a build asks the package source: %v", err)
	}
}

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"mine": true, "my-server": true, "h2o": true, "2fast": true, "": false, "Mine": false, "my server": false,
		"-x": false, "a--b": false, "a-": false,
		"../x": false, "a.b": false, strings.Repeat("a", 41): false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
