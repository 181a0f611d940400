package contestant

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Without XDG_CACHE_HOME and HOME, dyno uses no folder that another user could have made.
func TestNoCacheWithoutHome(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("HOME and XDG_CACHE_HOME name the cache on Linux")
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CACHE_HOME", "")
	m := &Manifest{Name: "mine", Toolchain: map[string]string{"go": ">=1.24"}}
	_, errFind := Find(t.Context(), m, FindOptions{Offline: true})
	m.Path = "."
	_, errBuild := Build(t.Context(), m, Toolchain{}, BuildOptions{Root: t.TempDir()})
	_, errCache := Cache()
	for what, err := range map[string]error{"find": errFind, "build": errBuild, "cache": errCache} {
		if err == nil || !strings.Contains(err.Error(), "set XDG_CACHE_HOME to a folder of your own") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestCacheIsOnesOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("XDG_CACHE_HOME names the cache on Linux")
	}
	base := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", base)
	dir, err := Cache()
	st, err2 := os.Stat(dir)
	if err := errors.Join(err, err2); err != nil || st.Mode().Perm() != 0o700 {
		t.Fatalf("%s: %v", dir, err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Cache(); err == nil || !strings.Contains(err.Error(), "other users may write to "+dir) {
		t.Errorf("a folder that all may write to: %v", err)
	}
	if err := errors.Join(os.Remove(dir), os.Symlink(t.TempDir(), dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := Cache(); err == nil {
		t.Error("a link is taken for a folder")
	}
}

// A truncated, changed or removed build is rebuilt, and a note says so.
func TestDamagedProgramIsBuiltAnew(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, server(""))
	var notes []string
	o.Note = func(s string) { notes = append(notes, s) }
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	program := b.Argv[0]
	whole, err := os.ReadFile(program)
	if err != nil || b.unchanged() != nil {
		t.Fatal(err, b.unchanged())
	}
	changed := append([]byte(nil), whole...)
	changed[len(changed)/2] ^= 1
	for name, damage := range map[string]func() error{
		"cut off": func() error { return os.Truncate(program, int64(len(whole)/2)) },
		"changed": func() error { return os.WriteFile(program, changed, 0o755) },
		"removed": func() error { return os.Remove(program) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if err := b.unchanged(); err == nil || !strings.Contains(err.Error(), filepath.Base(program)) {
			t.Errorf("%s: not seen: %v", name, err)
		}
		notes = nil
		if _, err := Build(t.Context(), m, tc, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(program); err != nil || len(got) != len(whole) || b.unchanged() != nil {
			t.Errorf("%s: not built anew: %d bytes of %d, %v", name, len(got), len(whole), err)
		}
		if said := strings.Join(notes, "\n"); strings.Count(said, "is damaged") != 1 {
			t.Errorf("%s: said %q", name, said)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(o.Cache, "built", "*.partial*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Files from a killed build, even one with this process's pid, do not get into the next build.
func TestKilledBuildLeavesNothingInTheNext(t *testing.T) {
	t.Parallel()
	m, tc, o := project(t, server(""))
	b, err := Build(t.Context(), m, tc, o)
	if err != nil {
		t.Fatal(err)
	}
	left := fmt.Sprintf("%s.partial%d", b.Out, os.Getpid())
	err = errors.Join(os.RemoveAll(b.Out), os.Mkdir(left, 0o755),
		os.WriteFile(filepath.Join(left, "half"), []byte("of it"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), m, tc, o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(b.Out, "half")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is in what was built: %v", err)
	}
}

// Symbolic links in a finished folder, such as the program in a Python environment, belong to its contents.
func TestLinksAreContents(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "program")
	err := errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o644), os.Symlink("/bin/true", link), mark(dir))
	if err == nil {
		err = damaged(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func() error{
		func() error { return os.Remove(link) },
		func() error { return os.Symlink("/bin/false", link) },
		func() error { return errors.Join(os.Remove(link), os.WriteFile(link, nil, 0o755)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if err := damaged(dir); err == nil || !strings.Contains(err.Error(), "program ") {
			t.Errorf("not seen: %v", err)
		}
	}
}
