package contestant

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// Without an engine, or with an unknown image, the error says what to do.
func TestImageRefused(t *testing.T) {
	m := &Manifest{Name: "mine", Command: &Command{Image: "localhost/dyno-no-such-image:1"}}
	t.Setenv(engineVariable, "")
	t.Setenv("PATH", t.TempDir())
	_, err := Contained(t.Context(), m, true, nil)
	if f := AsFailure("mine", err); err == nil ||
		err.Error() != "needs podman or docker, to run an image: neither is on PATH" ||
		!f.Unavailable() || !strings.Contains(f.Hint, engineVariable) {
		t.Errorf("without an engine: %v, %+v", err, AsFailure("mine", err))
	}
	t.Setenv(engineVariable, "no-such-engine --flag run --more")
	if _, err = Contained(t.Context(), m, true, nil); err == nil ||
		!strings.Contains(err.Error(), "needs no-such-engine (DYNO_PODMAN)") {
		t.Errorf("with one that is not there: %v", err)
	}
	fake := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\necho 'Error: no such image' >&2\nexit 125\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(engineVariable, fake+" --storage vfs run --ulimit x")
	_, err = Contained(t.Context(), m, true, nil)
	if err == nil || !strings.Contains(err.Error(), "the image localhost/dyno-no-such-image:1: ") ||
		!strings.HasSuffix(err.Error(), "no such image") {
		t.Errorf("without the image: %v", err)
	}
	b := &Built{Manifest: m, engine: &engine{}}
	*b.engine, _ = findEngine()
	argv, name := b.contain(80, &LaunchOptions{CPUs: []int{0, 2}}, map[string]string{"DYNO_ADDR": "127.0.0.1:80"})
	want := fake + " --storage vfs run --rm --name " + name + " --network host -e PORT=80 -e DYNO_ADDR=127.0.0.1:80 " +
		"--cpuset-cpus 0,2 --ulimit x localhost/dyno-no-such-image:1"
	if got := strings.Join(argv, " "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// An image built FROM scratch runs, is frozen, and leaves nothing.
func TestImage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds an image")
	}
	e, err := findEngine()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": server(""), "go.mod": "module mine\n\ngo 1.24\n",
		"Dockerfile": "FROM scratch\nCOPY server /server\nENTRYPOINT [\"/server\"]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", "server", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("no Go: %v\n%s", err, out)
	}
	const image = "localhost/dyno-test:1"
	if _, err := e.ask(t.Context(), "build", "-q", "-t", image, dir); err != nil {
		t.Skip("images cannot be built here: ", err)
	}
	defer e.ask(t.Context(), "rmi", "-f", image)
	b, err := Contained(t.Context(), &Manifest{Name: "mine", Command: &Command{Image: image}}, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, version, err := b.Identify(); err != nil || len(version) != 12 || len(b.Hash) != 64 {
		t.Errorf("version %q, hash %q, %v", version, b.Hash, err)
	}
	i, _, err := launched(t, b, LaunchOptions{CPUs: []int{0}})
	if failed, ok := err.(*Failed); ok && strings.Contains(strings.Join(failed.Tail, "\n"), "OCI") {
		t.Skip("containers cannot be run here: ", failed.Tail)
	}
	if err != nil {
		t.Fatal(err)
	}
	if members := i.Process.Tree(); len(members) != 1 || members[0] == i.Process.Pid() {
		t.Errorf("the tree is %v, the engine %d", members, i.Process.Pid())
	}
	if err := i.Process.Freeze(); err != nil {
		t.Error(err)
	}
	if err := i.Process.Strayed(); err != nil {
		t.Error(err)
	}
	var u record.Usage
	if err := i.Process.Usage(&u); err != nil || u.Processes != 1 {
		t.Errorf("%+v, %v", u, err)
	}
	before, _ := i.Process.CPU()
	time.Sleep(20 * time.Millisecond)
	if after, err := i.Process.CPU(); err != nil || after != before || after <= 0 {
		t.Errorf("frozen, it went from %v to %v, %v", before, after, err)
	}
	if err := i.Process.Thaw(); err != nil {
		t.Error(err)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	if left, err := e.ask(t.Context(), "ps", "-aq", "--filter", "name="+i.container); err != nil || left != "" {
		t.Errorf("left: %q, %v", left, err)
	}
}
