package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// spendthrift copies the contestant net-http into a new folder under dir; times is how many hashes
// its handler makes in vain.
func spendthrift(t *testing.T, dir string, times string) string {
	t.Helper()
	to := filepath.Join(dir, "net-http")
	if err := os.CopyFS(to, os.DirFS("../../contestants/go/net-http")); err != nil {
		t.Fatal(err)
	}
	spend(t, to, times)
	return to
}

// spend makes the handler in the folder hash so many times.
func spend(t *testing.T, folder, times string) {
	t.Helper()
	main := filepath.Join(folder, "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "\tio.WriteString(w, \"value\")", "\tspend()\n\tio.WriteString(w, "+
		"\"value\")", 1)
	if changed == string(text) {
		t.Fatal("the handler of net-http is not as it was")
	}
	more := "package main\n\nimport \"crypto/sha256\"\n\nfunc spend() {\n\tvar sum [32]byte\n\tfor " +
		"range " + times + " {\n\t\tsum = sha256.Sum256(sum[:])\n\t}\n\tspent = sum[0]\n}\n\nvar spent byte\n"
	for name, text := range map[string]string{main: changed, filepath.Join(folder, "spend.go"): more} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRealDuelOfTwoBuilds compares two builds, the second of which spends far more CPU per request,
// and checks that this is found.
func TestRealDuelOfTwoBuilds(t *testing.T) {
	if os.Getenv("DYNO_REAL_DUEL") == "" {
		t.Skip("set DYNO_REAL_DUEL=1 to run a real duel of two builds, about a minute")
	}
	dir := t.TempDir()
	head := spendthrift(t, filepath.Join(dir, "head"), "500")
	self, out := filepath.Join(dir, "dyno"), filepath.Join(dir, "run")
	build(t, self)
	var stdout, stderr bytes.Buffer
	code := start(t, self, &stdout, &stderr, "compare", "contestants/go/net-http", head, "--controls", "none",
		"--budget", "1m30s", "--seed", "1",
		"--fail-if", "cpu_per_request>50%", "--fail-if", "memory>1000%", "--offline", "--run-folder", out)
	t.Logf("%s\n%s", &stderr, &stdout)
	run, err := record.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	leftBehind(t, out)
	open := strings.Contains(stderr.String(), "nothing was measured") || strings.Contains(stdout.String(), "no "+
		"answer") || strings.Contains(stdout.String(), "go/net-http: not separated")
	if n := len(plan.Epochs(run)); open && n < 8 {
		t.Skipf("%d valid epochs: the machine was too busy", n)
	}
	if code != exitFailed {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"fail-if cpu_per_request>50%  failed", "fail-if memory>1000%         passed"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	if len(run.Contestants) != 2 {
		t.Fatalf("%+v", run.Contestants)
	}
	base, changed := run.Contestants[0], run.Contestants[1]
	if base.Version == "" || base.BinaryHash == "" || base.BinaryHash == changed.BinaryHash ||
		base.Title != "go/net-http" || changed.Title != "head/net-http" ||
		!strings.Contains(run.Plan.Title, "head/net-http") {
		t.Errorf("%+v\n%+v", base, changed)
	}
}

// TestCompareRevisions compares two revisions until the first trial, and is interrupted: only the
// record remains.
func TestCompareRevisions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two revisions and begins to let them duel")
	}
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	repo, temp, out := filepath.Join(dir, "repo"), filepath.Join(dir, "temp"), filepath.Join(dir, "run")
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	folder := spendthrift(t, filepath.Join(repo, "servers"), "1")
	git := func(args ...string) string {
		t.Helper()
		b, err := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=t", "-c",
			"user.email=t@example.org"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, b)
		}
		return strings.TrimSpace(string(b))
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "-m", "first")
	first := git("rev-parse", "HEAD")
	if err := os.WriteFile(filepath.Join(folder, "more.go"), []byte("package main\n\nfunc init() { println() "+
		"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("dyno", "compare", "HEAD", ".", "--dir", folder, "--controls", "none", "--offline", "--run-folder", out)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, machine.RuntimeVariable+"="+t.TempDir())
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var ended error
	for waiting := true; waiting; {
		select {
		case ended = <-done:
			t.Fatalf("it ended before its first trial: %v\n%s", ended, &text)
		case <-time.After(10 * time.Millisecond):
			b, _ := os.ReadFile(filepath.Join(out, record.TrialsFile))
			waiting = !bytes.Contains(b, []byte(`{"trial"`))
		}
	}
	cmd.Process.Signal(os.Interrupt)
	if <-done; cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(text.String(), "one of the two has no figure") {
		t.Errorf("%v\n%s", cmd.ProcessState, &text)
	}
	if trees := git("worktree", "list"); strings.Contains(trees, "\n") {
		t.Errorf("a work tree is left:\n%s", trees)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left in the temp folder: %v", left)
	}
	leftBehind(t, out)
	run, err := record.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	base, head := run.Contestant("HEAD"), run.Contestant("working-tree")
	if base == nil || head == nil || base.Title != "HEAD" || head.Title != "working-tree" ||
		run.Plan.Title != "HEAD (net-http @ "+first[:7]+") against working-tree" ||
		base.BinaryHash == head.BinaryHash || base.Commit != first || head.Commit != "" || !strings.Contains(run.Plan.Origin.Command, "dyno "+
		"compare HEAD . --dir "+folder) {
		t.Errorf("%+v\n%+v\n%s", base, head, run.Plan.Origin.Command)
	}
}

// The title describes each side once, if there is room.
func TestAgainst(t *testing.T) {
	command := func(name, text string) *contestant.Side {
		return &contestant.Side{Kind: contestant.CommandSide, Name: name, Text: text}
	}
	js, py := command("a.js", "node a.js"), command("b.py", "python3 b.py")
	for _, c := range []struct {
		sides []*contestant.Side
		want  string
	}{
		{[]*contestant.Side{js, py}, "a.js (node a.js) against b.py (python3 b.py)"},
		{[]*contestant.Side{js, command("app", "uvicorn app:app --workers 4 --no-access-log --port "+
			"{port}")}, "a.js against app"},
		{[]*contestant.Side{js, js, js, py}, "a.js (node a.js) and 3 others"},
	} {
		if got := against(c.sides); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
