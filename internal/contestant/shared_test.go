package contestant

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Shared folders are part of the build: a change causes a rebuild, and a missing folder an error.
func TestSharedFiles(t *testing.T) {
	m, _, o := project(t, server(""))
	src := filepath.Join(o.Root, "contestants", "go", "mine")
	shared := filepath.Join(o.Root, "contestants", "shared", "pages")
	m.Shared = []string{"pages"}
	if _, err := m.sharedFolders(o.Root); err == nil || !strings.Contains(err.Error(), filepath.Dir(shared)) {
		t.Errorf("without its shared folder: %v", err)
	}
	if err := os.MkdirAll(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, text := range []string{"one", "two", "two"} {
		if err := os.WriteFile(filepath.Join(shared, "page.html"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		folders, err := m.sharedFolders(o.Root)
		if err != nil {
			t.Fatal(err)
		}
		key, err := m.fingerprint(src, folders)
		if err != nil {
			t.Fatal(err)
		}
		seen[key] = true
	}
	if len(seen) != 2 {
		t.Errorf("%d keys of 2 contents", len(seen))
	}
}

// What a manifest says about a program is none of its sources; how it is built and started is.
func TestFingerprintOfAManifest(t *testing.T) {
	m, _, o := project(t, server(""))
	sum := func() string {
		text, err := m.fingerprint(m.Dir(o.Root), nil)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	was := sum()
	m.Title = "Another"
	file := filepath.Join(m.Dir(o.Root), "contestant.toml")
	if err := os.WriteFile(file, []byte(strings.Replace(good, "title", "# renamed\ntitle", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if sum() != was {
		t.Error("another title makes another program")
	}
	m.Env = map[string]string{"GOGC": "off"}
	if sum() == was {
		t.Error("another environment makes no other program")
	}
}

// shareHarness adds the shared Go module, which m requires, to m's project.
func shareHarness(t *testing.T, m *Manifest, o BuildOptions) {
	t.Helper()
	m.Shared = []string{"harness-go"}
	harness := filepath.Join(o.Root, "contestants", "shared", "harness-go")
	module := "module mine\n\ngo 1.24\n\nrequire dyno/harness v0.0.0\n\nreplace dyno/harness => " +
		"../../shared/harness-go\n"
	if err := errors.Join(
		os.CopyFS(harness, os.DirFS("../../contestants/shared/harness-go")),
		os.WriteFile(filepath.Join(m.Dir(o.Root), "go.mod"), []byte(module), 0o644),
	); err != nil {
		t.Fatal(err)
	}
}

// A contestant's folder that is copied without shared folders is built with the project's: the same program.
func TestBuildOfALoneFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("builds Go programs")
	}
	t.Parallel()
	m, tc, o := project(t, "package main\n\nimport \"dyno/harness\"\n\nfunc main() { harness.Work() }\n")
	shareHarness(t, m, o)
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.CopyFS(dir, os.DirFS(m.Dir(o.Root))); err != nil {
		t.Fatal(err)
	}
	var keys, hashes []string
	for _, root := range []string{"", filepath.Dir(dir)} {
		if m.Root = root; root != "" {
			m.Path = "mine"
		}
		m.Build = []string{"go", "build", "-trimpath", "-o", "{out}/server", "."}
		o.Cache = t.TempDir() // else the second build is skipped
		b, err := Build(t.Context(), m, tc, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Identify(); err != nil {
			t.Fatal(err)
		}
		keys, hashes = append(keys, filepath.Base(b.Out)), append(hashes, b.Hash)
		if left, err := os.ReadDir(filepath.Dir(b.Out)); err != nil || len(left) != 1 {
			t.Errorf("beside what was built lies %v, %v", left, err)
		}
	}
	if keys[0] != keys[1] || hashes[0] != hashes[1] {
		t.Errorf("keys %q, programs %q", keys, hashes)
	}
	if err := os.RemoveAll(filepath.Join(o.Root, "contestants", "shared")); err != nil {
		t.Fatal(err)
	}
	var failed *Failed
	if _, err := Build(t.Context(), m, tc, o); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), `"harness-go"`) {
		t.Errorf("where the project has none either: %v", err)
	}
}
