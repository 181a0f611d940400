//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/record"
)

// serverOf is a server that answers "value" to all, after rounds of work.
const serverOf = `package main

import (
	"crypto/sha256"
	"net/http"
	"os"
)

func main() {
	http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sum := []byte("value")
		for range ROUNDS {
			s := sha256.Sum256(sum)
			sum = s[:]
		}
		w.Header().Set("X-Length", string(rune('0'+len(sum)%10)))
		w.Write([]byte("value"))
	}))
}
`

// action is a repository with two commits, in which action/compare.sh is run.
type action struct {
	t                                   *testing.T
	script, repo, temp, output, summary string
}

func newAction(t *testing.T) *action {
	t.Helper()
	t.Parallel()
	for _, program := range []string{"git", "sh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	script, err := filepath.Abs("../../action/compare.sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a := &action{t: t, script: script, repo: filepath.Join(dir, "repo"), temp: filepath.Join(dir, "temp"),
		output: filepath.Join(dir, "output"), summary: filepath.Join(dir, "summary.md")}
	for _, d := range []string{a.repo, a.temp} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a.git("init", "-q")
	a.commit("base", "10")
	a.commit("head", "1000")
	return a
}

func (a *action) git(args ...string) {
	a.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", a.repo, "-c", "user.name=t", "-c", "user.email=t@example.org"},
		args...)...)
	if b, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("git %v: %v\n%s", args, err, b)
	}
}

// commit commits the server with that much work.
func (a *action) commit(name, rounds string) {
	a.t.Helper()
	for file, content := range map[string]string{"go.mod": "module server\n\ngo 1.24\n",
		"main.go": strings.Replace(serverOf, "ROUNDS", rounds, 1)} {
		if err := os.WriteFile(filepath.Join(a.repo, file), []byte(content), 0o644); err != nil {
			a.t.Fatal(err)
		}
	}
	a.git("add", ".")
	a.git("commit", "-q", "-m", name)
}

// run runs the script with these inputs besides the usual ones.
func (a *action) run(inputs ...string) (code int, stderr string) {
	a.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("sh", a.script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.repo, &out, &errs
	cmd.Env = append(os.Environ(), "DYNO="+program(a.t, "dyno-made"), "RUNNER_TEMP="+a.temp, "GITHUB_OUTPUT="+a.output,
		"GITHUB_STEP_SUMMARY="+a.summary, "INPUT_START=./server", "INPUT_BUILD=go build -o server .",
		"INPUT_BASE=HEAD^1",
		"INPUT_DIRECTORY=.", "INPUT_PATHS=/a\n/b=3\n", "INPUT_PRIMARY=cpu_per_request",
		"INPUT_FAIL_IF=cpu_per_request>5%\n", "INPUT_BUDGET=5m", "INPUT_ARGUMENTS=--wait",
		machine.RuntimeVariable+"="+a.t.TempDir())
	cmd.Env = append(cmd.Env, inputs...)
	err := cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		a.t.Fatal(err)
	}
	a.t.Logf("%s%s", out.String(), errs.String())
	return cmd.ProcessState.ExitCode(), errs.String()
}

func (a *action) read(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		a.t.Error(err)
	}
	return string(b)
}

// TestActionRefuses: the summary says why a comparison is impossible, and the checkout is left as
// it was.
func TestActionRefuses(t *testing.T) {
	a := newAction(t)
	for want, inputs := range map[string][]string{
		"no revision nowhere here: check it out": {"INPUT_BASE=nowhere"},
		"Pass, for example: --start":             {"INPUT_START="},
		"there is no directory elsewhere":        {"INPUT_DIRECTORY=elsewhere"},
		"pass --budget":                          {"INPUT_BUDGET=1s"},
	} {
		code, stderr := a.run(append([]string{"INPUT_BUILD=true"}, inputs...)...)
		if code != 2 || !strings.Contains(stderr, want) || !strings.Contains(a.read(a.output), "exit-code=2\n") {
			t.Errorf("exit %d, %s; want %q", code, stderr, want)
		}
		if len(a.read(a.summary)) == 0 {
			t.Errorf("%s: no summary", want)
		}
	}
}

// TestAction builds and compares two commits. Their loads are made up: the script's use of an
// answer does not depend on this machine.
func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts servers")
	}
	a := newAction(t)
	if code, stderr := a.run("INPUT_BUILD=exit 3"); code != 1 || !strings.Contains(stderr, "base  failed at "+
		"build: commit ") {
		t.Errorf("a failing build: exit %d: %s", code, stderr)
	}
	if err := os.RemoveAll(filepath.Join(a.temp, "dyno-run")); err != nil {
		t.Fatal(err)
	}
	code, stderr := a.run("INPUT_BUILD=", "INPUT_START=") // guessed
	if code != 1 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	folder := filepath.Join(a.temp, "dyno-run")
	if out := a.read(a.output); !strings.Contains(out, "folder="+folder+"\n") ||
		!strings.Contains(out, "exit-code=1\n") {
		t.Errorf("outputs:\n%s", out)
	}
	a.read(filepath.Join(folder, "trials.jsonl"))
	summary := a.read(a.summary)
	for _, want := range []string{"### base → this change", "**A condition failed or is not shown to be kept, " +
		"or there is no result.**",
		"fail-if cpu_per_request>5%  failed", "<details>", "#### "} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in the summary:\n%s", want, summary)
		}
	}
}

// TestIdenticalCommands: two commands are one program if only their files' names differ, and a file's folder,
// which may hold more of the program, does not.
func TestIdenticalCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"srv1": "1", "srv2": "1", "other": "2", "old/srv1": "1", "new/srv1": "1"} {
		os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"./srv1", "./srv1", true}, {"./srv1", "./srv2", true}, {"node srv1 -p 80", "node srv2 -p 80", true},
		{"./srv1", "./other", false}, {"./srv1 --fast", "./srv2 --slow", false}, {"./srv1", "./srv2 --slow", false},
		{"A=1 ./srv1", "A=2 ./srv1", false}, {"./old/srv1", "./new/srv1", false}, {"node srv1", "node other", false},
		{"export A=1 && ./srv1", "export A=2 && ./srv1", false}, {"./srv1 | tee 1", "./srv1 | tee 2", false},
	} {
		r, sides := &record.Run{}, []*contestant.Side(nil)
		for name, line := range map[string]string{"a": c.a, "b": c.b} {
			b := contestant.Commanded(&contestant.Manifest{Command: &contestant.Command{Line: line, Dir: "."}})
			if _, _, err := b.Identify(); err != nil {
				t.Fatal(err)
			}
			r.Contestants = append(r.Contestants, record.Contestant{Name: name, BinaryHash: b.Hash})
			sides = append(sides, &contestant.Side{Name: name, Kind: contestant.CommandSide, Text: line})
		}
		if got := identical(r, sides); strings.Contains(got, "byte for byte") != c.same {
			t.Errorf("%q, %q: %q", c.a, c.b, got)
		}
	}
}

// TestActionTakesRelease: the action takes dyno from its release, refuses one whose checksum is wrong, and
// leaves it to be compiled where there is none.
func TestActionTakesRelease(t *testing.T) {
	for _, p := range []string{"sh", "curl", "sha256sum", "tar"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
	system := map[string]string{"amd64": "linux_amd64", "arm64": "linux_arm64"}[runtime.GOARCH]
	if runtime.GOOS != "linux" || system == "" {
		t.Skip("releases that the action takes are for Linux on amd64 and arm64")
	}
	script, err := filepath.Abs("../../action/release.sh")
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	tarred := tar.NewWriter(zipped)
	const content = "#!/bin/sh\necho I am dyno\n"
	tarred.WriteHeader(&tar.Header{Name: "dyno", Mode: 0o755, Size: int64(len(content))})
	tarred.Write([]byte(content))
	tarred.Close()
	zipped.Close()
	archive := "dyno_1.2.3_" + system + ".tar.gz"
	sums := map[string]string{
		"v1.2.3": fmt.Sprintf("%x  other.tar.gz\n%[1]x  %s\n", sha256.Sum256(packed.Bytes()), archive),
		"v1.2.4": strings.Repeat("0", 64) + "  " + strings.Replace(archive, "1.2.3", "1.2.4", 1) + "\n",
		"v1.2.5": strings.Repeat("0", 64) + "  other.tar.gz\n",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version, file, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch sum, ok := sums[version]; {
		case !ok:
			http.NotFound(w, r)
		case file == "checksums.txt":
			io.WriteString(w, sum)
		default:
			w.Write(packed.Bytes())
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		ref, says string
		fails     bool
	}{
		{"v1.2.3", "checksum right", false},
		{"v1.2.4", "does not have the checksum", true},
		{"v1.2.5", "does not name " + strings.Replace(archive, "1.2.3", "1.2.5", 1), true},
		{"v9.9.9", "could not be fetched; dyno is compiled", false},
		{"main", "it is used at main, which is no release; dyno is compiled", false},
	} {
		dir := t.TempDir()
		cmd := exec.Command("sh", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ACTION_REF="+c.ref, "ACTION_REPOSITORY=o/n", "DYNO_RELEASES="+server.URL,
			"DYNO="+filepath.Join(dir, "dyno"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"), "no_proxy=*")
		said, err := cmd.CombinedOutput()
		if !strings.Contains(string(said), c.says) || c.fails != (err != nil) {
			t.Errorf("%s: %v, %s", c.ref, err, said)
		}
		output, _ := os.ReadFile(filepath.Join(dir, "output"))
		ran, _ := exec.Command(filepath.Join(dir, "dyno")).Output()
		taken := c.ref == "v1.2.3"
		if taken != (string(output) == "taken=true\n") || taken != (string(ran) == "I am dyno\n") {
			t.Errorf("%s: output %q, the program says %q", c.ref, output, ran)
		}
	}
}
