package contestant

import (
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
		key, err := m.fingerprint(m.Dir(root), shared)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if a, b := sum(m, root), sum(own, dir); a != b {
		t.Errorf("its sources are %s here and %s there", a, b)
	}
}

// A copy has what a build needs, and nothing that a build has left.
func TestCopyOfGo(t *testing.T) {
	root, base := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, Folder), map[string]string{
		"go/mine/contestant.toml": strings.Replace(good, "build", "shared = [\"pages\"]\nbuild", 1),
		"go/mine/go.mod":          "module mine\n\ngo 1.24\n",
		"go/mine/obj/left.txt":    "by a build",
		"go/notes.txt":            "no builder looks for this",
		"shared/pages/a.txt":      "a",
	})
	from, err := readNamed(os.DirFS(root), "contestants/go/mine")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.Copy(root, base); err != nil {
		t.Fatal(err)
	}
	base = filepath.Join(base, Folder)
	for _, name := range []string{"it/mine/go.mod", "shared/pages/a.txt"} {
		if _, err := os.Stat(filepath.Join(base, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"it/mine/obj", "it/notes.txt"} {
		if _, err := os.Stat(filepath.Join(base, name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
	dir := filepath.Join(base, "it", "mine")
	for _, folder := range []string{base, dir} {
		if found, err := ListFolder(folder); err != nil || len(found) != 1 || found[0].Dir("") != dir {
			t.Errorf("%s: %+v, %v", folder, found, err)
		}
	}
	if _, err := ListFolder(t.TempDir()); err == nil {
		t.Error("an empty folder has contestants")
	}
}
