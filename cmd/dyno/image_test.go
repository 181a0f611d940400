//go:build linux

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lastStage returns the Dockerfile from its stage FROM scratch on; a folder replaces the previous
// stage's output.
func lastStage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, stage, found := strings.Cut(string(text), "\nFROM scratch")
	if !found {
		t.Fatal("the Dockerfile has no stage FROM scratch")
	}
	return "FROM scratch" + strings.ReplaceAll(stage, "--from=build ", "")
}

// TestImage builds the last stage of the Dockerfile around a program that is built here, because
// tests fetch no images, and runs dyno in it.
func TestImage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an image")
	}
	if _, err := exec.LookPath("podman"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	context := filepath.Join(dir, "context")
	if err := os.MkdirAll(filepath.Join(context, "empty", "tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(context, "Dockerfile"), []byte(lastStage(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CGO_ENABLED", "0")
	build(t, filepath.Join(context, "dyno"))

	podman := func(args ...string) (string, error) {
		all := []string{"--storage-driver=vfs", "--cgroup-manager=cgroupfs", "--root", filepath.Join(dir, "root"),
			"--runroot", filepath.Join(dir, "runroot")}
		if _, err := exec.LookPath("runc"); err == nil {
			all = append(all, "--runtime=runc")
		}
		out, err := exec.Command("podman", append(all, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := podman("info"); err != nil {
		t.Skipf("podman does not work here: %v\n%s", err, out)
	}
	if out, err := podman("build", "-t", "dyno-test", context); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Cleanup(func() { podman("rmi", "--force", "dyno-test") })
	run := func(args ...string) (string, error) {
		return podman(append([]string{"run", "--rm", "--network", "host",
			"--ulimit", "nofile=1000:1000", "--ulimit", "nproc=1000:1000", "dyno-test"}, args...)...)
	}
	out, err := run("version")
	if err != nil && strings.Contains(out, "OCI") {
		t.Skipf("no container starts here: %s", out)
	}
	if err != nil || !strings.HasPrefix(out, "dyno ") {
		t.Fatalf("%v\n%s", err, out)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.Write([]byte("value"))
	}))
	defer server.Close()
	if out, err := run("load", "-n", "100", "-c", "2", server.URL); err != nil || !strings.Contains(out, "100 succeeded") {
		t.Errorf("load: %v\n%s", err, out)
	}
	// what the program carries, unpacked below /tmp
	if out, err := run("list", "gin"); err != nil || !strings.Contains(out, "\ngin ") {
		t.Errorf("list: %v\n%s", err, out)
	}
}
