package dyno_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestPublish: what .ci/publish makes of a clone can be installed by its public path, here from a module proxy in a
// folder, and its Action and manuals name it.
func TestPublish(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program anew")
	}
	dir := t.TempDir()
	clone, proxy, bin := filepath.Join(dir, "clone"), filepath.Join(dir, "proxy"), filepath.Join(dir, "bin")
	run := func(in string, env []string, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(".git"); err != nil {
		t.Skip("this is no clone")
	}
	run(".", nil, "git", "clone", "-q", ".", clone)
	run(clone, nil, "git", "config", "user.name", "t")
	run(clone, nil, "git", "config", "user.email", "t@example.org")
	owner := fmt.Sprintf("some-owner-%d", os.Getpid()) // the module cache is shared with others who run this test
	run(clone, nil, ".ci/publish", owner+"/bench", "v0.2.0")
	if left := run(clone, nil, "git", "status", "--porcelain"); left != "" {
		t.Errorf("it leaves %s", left)
	}
	for file, want := range map[string]string{
		"README.md":                           "git clone https://github.com/" + owner + "/bench dyno",
		"doc/compare.md":                      "- uses: " + owner + "/bench@v0.2.0 # dyno",
		"examples/workflows/dyno.yml":         "- uses: " + owner + "/bench@v0.2.0 # dyno",
		"examples/workflows/dyno-comment.yml": "with: { repository: " + owner + "/bench, ref: v0.2.0, path: dyno } # dyno",
	} {
		if b, err := os.ReadFile(filepath.Join(clone, file)); err != nil || strings.Count(string(b), want) != 1 {
			t.Errorf("%s has %q %d times, %v", file, want, strings.Count(string(b), want), err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run(clone, nil, self, "-test.run", "Imports|Presets") // the layers know their module

	version := module.Version{Path: "github.com/" + owner + "/bench", Version: "v0.2.0"}
	at := filepath.Join(proxy, filepath.FromSlash(version.Path), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Create(filepath.Join(at, version.Version+".zip"))
	if err == nil {
		err = zip.CreateFromVCS(packed, version, clone, "HEAD", "")
		packed.Close()
	}
	mod, err2 := os.ReadFile(filepath.Join(clone, "go.mod"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for file, content := range map[string]string{"list": version.Version + "\n", version.Version + ".mod": string(mod),
		version.Version + ".info": fmt.Sprintf("{%q: %q, %q: %q}", "Version", version.Version, "Time",
			time.Now().UTC().Format(time.RFC3339))} {
		if err := os.WriteFile(filepath.Join(at, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cache := strings.TrimSpace(run(".", nil, "go", "env", "GOMODCACHE"))
	t.Cleanup(func() {
		os.RemoveAll(filepath.Join(cache, "github.com", owner))
		os.RemoveAll(filepath.Join(cache, "cache", "download", "github.com", owner))
	})
	others := strings.TrimSpace(run(".", nil, "go", "env", "GOPROXY"))
	run(dir, []string{"GOPROXY=file://" + filepath.ToSlash(proxy) + "," + others, "GONOSUMDB=" + version.Path,
		"GOBIN=" + bin, "GOFLAGS=-modcacherw"}, "go", "install", "-ldflags=-s -w", version.Path+"/cmd/dyno@"+version.Version)
	if said := run(dir, nil, filepath.Join(bin, "dyno"), "--version"); !strings.Contains(said, "0.2.0") {
		t.Errorf("the installed program says %q", said)
	}
}
