package contestant

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gitDo runs git in a repository without user configuration.
func gitDo(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c",
		"commit.gpgsign=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Revisions are built from separate work trees, equal sources give equal programs in any folder, and the
// repository stays as it was.
func TestRevisionIsBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds Go programs")
	}
	_, tc, o := project(t, server(""))
	dir := filepath.Join(o.Root, "contestants", "go", "mine")
	main := filepath.Join(dir, "main.go")
	toml := strings.Replace(good, `"build", "-o"`, `"build", "-trimpath", "-o"`, 1)
	if err := os.WriteFile(filepath.Join(dir, "contestant.toml"), []byte(toml), 0o644); err != nil {
		t.Fatal(err)
	}
	gitDo(t, o.Root, "init", "--quiet")
	commit := func(change string) string {
		text, err := os.ReadFile(main)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(main, append(text, change...), 0o644); err != nil {
			t.Fatal(err)
		}
		gitDo(t, o.Root, "add", "contestants")
		gitDo(t, o.Root, "commit", "--quiet", "--allow-empty", "-m", "c")
		return gitDo(t, o.Root, "rev-parse", "HEAD")
	}
	first, second := commit(""), commit("")
	third := commit("\nvar More = 1\n\nfunc init() { println(More) }\n")
	hook := filepath.Join(o.Root, ".git", "hooks", "post-checkout")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_DIR", "/nowhere") // as in a hook that starts dyno
	hashes := map[string]string{}
	for name, rev := range map[string]string{"base": "HEAD~2", "head": "HEAD~1", "last": "HEAD"} {
		r, err := FindRevision(t.Context(), dir, rev)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"base": first, "head": second, "last": third}[name]; r.Commit != want ||
			!strings.HasPrefix(want, r.Short()) {
			t.Errorf("%s is %s, want %s", rev, r.Commit, want)
		}
		tree := filepath.Join(t.TempDir(), name)
		at, err := r.CheckOut(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ReadFolder(at)
		if err != nil {
			t.Fatal(err)
		}
		m.Name = name
		b, err := Build(t.Context(), m, tc, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.Identify(); err != nil {
			t.Fatal(err)
		}
		hashes[name] = b.Hash
	}
	if hashes["base"] != hashes["head"] || hashes["base"] == hashes["last"] || hashes["base"] == "" {
		t.Errorf("the first two are one source, the third another: %v", hashes)
	}
	os.Unsetenv("GIT_DIR")
	if trees := gitDo(t, o.Root, "worktree", "list"); strings.Count(trees, "\n") != 0 {
		t.Errorf("work trees are left:\n%s", trees)
	}
	if changes := gitDo(t, o.Root, "status", "--porcelain", "--untracked-files=no"); changes != "" {
		t.Errorf("changed:\n%s", changes)
	}
}

func TestFindRevisionRefuses(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "contestants", "go", "mine")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := FindRevision(t.Context(), dir, "HEAD"); err == nil || errors.Is(err, ErrNoRevision) ||
		!strings.Contains(err.Error(), "git") {
		t.Errorf("no repository: %v", err)
	}
	gitDo(t, root, "init", "--quiet")
	gitDo(t, root, "commit", "--quiet", "--allow-empty", "-m", "before it was there")
	for _, name := range []string{"HEAD~1", "nothing", "--help", ""} {
		if _, err := FindRevision(t.Context(), dir, name); !errors.Is(err, ErrNoRevision) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := FindRevision(t.Context(), dir, "HEAD"); err == nil ||
		!strings.Contains(err.Error(), "has no folder contestants/go/mine") {
		t.Errorf("before it was there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindRevision(ctx, dir, "HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "another name")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	toml := filepath.Join(dir, "contestant.toml")
	if err := os.WriteFile(toml, []byte(good), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := ReadFolder(dir)
	if err != nil || m.Name != "mine" || filepath.Join(m.Root, m.Path) != dir {
		t.Errorf("%+v, %v", m, err)
	}
	if err := os.WriteFile(toml, []byte(strings.Replace(good, `name = "mine"`, `name = ""`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(dir); err == nil || !strings.Contains(err.Error(), `a contestant needs "name"`) {
		t.Error(err)
	}
}
