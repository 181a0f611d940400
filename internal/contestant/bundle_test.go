package contestant

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"dyno/internal/scenario"
)

var update = flag.Bool("update", false, "write the archive")

func TestArchive(t *testing.T) {
	want, err := pack(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(want) > 3<<20 {
		t.Errorf("the archive has %d bytes; the program shall carry 3 MiB at most", len(want))
	}
	if *update {
		if err := os.WriteFile("bundle.txtar", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(archive, want) {
		t.Error("the archive is not what contestants, scenarios and studies are: make it again by\n" +
			"  go generate ./internal/contestant")
	}
}

// Packing and unpacking preserve any file content.
func TestPackAndUnpack(t *testing.T) {
	files := fstest.MapFS{
		Folder + "/go/a/a.go":            {Data: []byte("package a\n")},
		Folder + "/go/a/no-end":          {Data: []byte("a")},
		Folder + "/go/a/icon":            {Data: []byte("\x00\x01\xff\n")},
		Folder + "/go/a/lines":           {Data: []byte("a\r\nb\r\n")},
		Folder + "/go/a/archive":         {Data: []byte("-- name --\ntext\n")},
		Folder + "/go/a/empty":           {},
		Folder + "/go/a/bin/program":     {Data: []byte("left by a build\n")},
		ServiceFolder + "/b/b.go":        {Data: []byte("package b\n")},
		Folder + "/README.md":            {Data: []byte("a page\n")},
		scenario.Folder + "/c.toml":      {Data: []byte("c\n")},
		"studies" + "/d/study.toml":      {Data: []byte("d\n")},
		"studies" + "/d/README.md":       {Data: []byte("a page\n")},
		"studies" + "/d/trials.jsonl.gz": {Data: []byte("a recording\n")},
		"other/file":                     {Data: []byte("nobody's\n")},
	}
	packed, err := pack(files)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := unpackArchive(packed, dir); err != nil {
		t.Fatal(err)
	}
	for name, f := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		switch left := strings.Contains(name, "/bin/") || strings.HasPrefix(name, "other") ||
			strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".gz"); {
		case left && !errors.Is(err, os.ErrNotExist):
			t.Errorf("%s is in the archive (%v)", name, err)
		case !left && (err != nil || string(got) != string(f.Data)):
			t.Errorf("%s: %q (%v); want %q", name, got, err, f.Data)
		}
	}
	files[Folder+"/go/a/run.sh"] = &fstest.MapFile{Mode: 0o755}
	if _, err := pack(files); err == nil || !strings.Contains(err.Error(), "run.sh is executable") {
		t.Errorf("a file that loses its permission: %v", err)
	}
	if err := unpackArchive([]byte("-- ../outside --\n"), dir); err == nil {
		t.Error("a name that leads out of the folder is taken")
	}
}

// Outside a checkout the project is the embedded one, as it was packed.
func TestFindCarried(t *testing.T) {
	cache := outside(t)
	p, err := FindProject()
	if err != nil {
		t.Fatal(err)
	}
	if !p.Carried || p.Inside || !strings.HasPrefix(p.Root, cache) {
		t.Errorf("%+v; want a folder of %s", p, cache)
	}
	if runtime.GOOS != "windows" {
		if st, err := os.Stat(filepath.Join(cache, "dyno")); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("others may read the cache: %v, %v", st.Mode(), err)
		}
	}
	again, err := pack(os.DirFS(p.Root))
	if err != nil || !bytes.Equal(again, archive) {
		t.Errorf("what was unpacked is not what was packed (%v)", err)
	}
	some := filepath.Join(p.Root, scenario.Folder, "values.toml")
	for name, damage := range map[string]func() error{
		"changed": func() error { return os.WriteFile(some, []byte("title = \"another\"\n"), 0o644) },
		"removed": func() error { return os.Remove(some) },
		"all":     func() error { return os.RemoveAll(p.Root) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if _, err := FindProject(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, err := pack(os.DirFS(p.Root)); err != nil || !bytes.Equal(again, archive) {
			t.Errorf("%s: it is not made anew (%v)", name, err)
		}
	}
}

// outside makes an empty folder the working directory and gives it a separate cache.
func outside(t *testing.T) (cache string) {
	t.Chdir(t.TempDir())
	home := t.TempDir()
	for _, v := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "USERPROFILE"} {
		t.Setenv(v, home)
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv(Variable, "")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

func TestFindCheckout(t *testing.T) {
	outside(t)
	checkout, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(checkout, Folder, "go")
	if err := errors.Join(os.MkdirAll(below, 0o755), os.Mkdir(filepath.Join(checkout, scenario.Folder),
		0o755)); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, checkout)
	if p, err := FindProject(); err != nil || p != (Project{Root: checkout}) {
		t.Errorf("named: %+v, %v", p, err)
	}
	t.Chdir(below)
	for _, named := range []string{checkout, ""} {
		t.Setenv(Variable, named)
		if p, err := FindProject(); err != nil || p != (Project{Root: checkout, Inside: true}) {
			t.Errorf("inside, named %q: %+v, %v", named, p, err)
		}
	}
	t.Setenv(Variable, t.TempDir())
	if _, err := FindProject(); err == nil || !strings.Contains(err.Error(), Variable) {
		t.Errorf("a folder that is none: %v", err)
	}
}

func TestRuns(t *testing.T) {
	outside(t)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	for _, c := range []struct {
		inside       bool
		named, where string
	}{
		{true, state, "runs"},
		{false, state, filepath.Join(state, "dyno", "runs")},
		{false, "", filepath.Join(home, ".local", "state", "dyno", "runs")},
		{false, "relative", filepath.Join(home, ".local", "state", "dyno", "runs")},
	} {
		t.Setenv("XDG_STATE_HOME", c.named)
		if got := (Project{Inside: c.inside}).Runs(); got != c.where {
			t.Errorf("inside %v, XDG_STATE_HOME=%s: %s; want %s", c.inside, c.named, got, c.where)
		}
	}
}
