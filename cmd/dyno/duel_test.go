package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// TestRealDuel runs one short comparison of two Go contestants and a .NET one, with everything
// real, and checks its results, but no timing. It takes minutes and both cores: DYNO_REAL_DUEL=1
// asks for it.
func TestRealDuel(t *testing.T) {
	if os.Getenv("DYNO_REAL_DUEL") == "" {
		t.Skip("set DYNO_REAL_DUEL=1 to run a real duel of some minutes")
	}
	dir := filepath.Join(t.TempDir(), "run")
	self := filepath.Join(t.TempDir(), "dyno") // truth servers are dyno's own program, which a test binary is not
	build(t, self)
	var stdout, stderr bytes.Buffer
	code := start(t, self, &stdout, &stderr, "run", "--contestants", "iris-mvc,net-http,aspnetcore-mvc", "--budget",
		"90s", "--seed", "1", "--offline", "--run-folder", dir)
	t.Logf("%s\n%s", &stderr, &stdout)
	if busy := strings.Contains(stderr.String(), "nothing was measured: "); code != 0 && !(busy && code == exitFailed) {
		t.Fatalf("exit %d", code)
	}
	skipUnavailable(t, stderr.String()+stdout.String())
	for _, want := range []string{"Iris MVC", "net/http", "ASP.NET Core MVC", "seed 1"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table does not speak of %q", want)
		}
	}
	run, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Failures) > 0 || run.End == nil || !slices.Contains([]string{"decided", "last analysis", "budget"},
		run.End.Reason) {
		t.Errorf("failures %+v, end %+v", run.Failures, run.End)
	}
	for _, name := range run.Plan.Contestants {
		checkContestant(t, run, name)
	}
	if n := len(plan.Valid(run)); n == 0 {
		t.Log("every round was discarded: the machine was busy, so no verdict is looked for")
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || !bytes.Contains(page, []byte("<svg")) {
		t.Errorf("report.html: %d bytes, %v", len(page), err)
	}
	leftBehind(t, dir)
}

// TestInterrupt ends a real run in the middle of a round, in every possible way: no process is
// left, and all results are written, unless dyno was killed.
func TestInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a contestant and runs a duel for some seconds, four times")
	}
	t.Parallel()
	self := program(t, "dyno")
	for name, end := range map[string]func(cmd *exec.Cmd, stderr *os.File){
		"SIGINT":  func(cmd *exec.Cmd, _ *os.File) { cmd.Process.Signal(os.Interrupt) },
		"SIGHUP":  func(cmd *exec.Cmd, _ *os.File) { cmd.Process.Signal(syscall.SIGHUP) },
		"SIGPIPE": func(_ *exec.Cmd, stderr *os.File) { stderr.Close() }, // as dyno run 2>&1 | head
		"SIGKILL": func(cmd *exec.Cmd, _ *os.File) { cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := exec.Command(self, "run", "--contestants", "net-http,ref+20%", "--budget", "5m", "--offline",
				"--run-folder", dir)
			cmd.Dir = "../.."
			cmd.Env = append(os.Environ(), machine.RuntimeVariable+"="+t.TempDir()) // they do not lock each other out
			cmd.Stderr = w
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			var told bytes.Buffer
			go io.Copy(&told, r)
			exited := make(chan error, 1)
			go func() { exited <- cmd.Wait() }()
			for trial := false; !trial; {
				select {
				case err := <-exited:
					t.Fatalf("no trial: %v\n%s", err, &told)
				case <-time.After(10 * time.Millisecond):
				}
				b, _ := os.ReadFile(filepath.Join(dir, record.TrialsFile))
				trial = bytes.Contains(b, []byte(`{"trial"`))
			}
			end(cmd, r)
			<-exited
			if name == "SIGKILL" {
				left := []string{"?"}
				for deadline := time.Now().Add(30 * time.Second); len(left) > 0; time.Sleep(10 * time.Millisecond) {
					if left = leftIn(t, dir); time.Now().After(deadline) {
						t.Fatalf("left behind: %v", left)
					}
				}
				return
			}
			if code := cmd.ProcessState.ExitCode(); code != exitFailed {
				t.Errorf("exit %d", code)
			}
			run, err := record.Open(dir)
			if err != nil || run.End == nil || run.End.Reason != "interrupted" || len(run.Trials) == 0 {
				t.Errorf("%v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "report.html")); err != nil {
				t.Error(err)
			}
			leftBehind(t, dir)
		})
	}
}

func checkContestant(t *testing.T, run *record.Run, name string) {
	t.Helper()
	c := run.Contestant(name)
	if c == nil || c.Version == "" || c.BinaryHash == "" || c.Response["get"] == "" {
		t.Errorf("%s: what was built and observed is not recorded: %+v", name, c)
	}
	trials := 0
	for _, tr := range run.Trials {
		if tr.Contestant != name {
			continue
		}
		trials++
		l := tr.Load
		if l.Succeeded == 0 || l.Started != l.Succeeded || l.Established != l.Connections || l.Service == "" {
			t.Errorf("%s: the ledger of a trial: %+v", name, l)
		}
		if tr.Server.CPUNS == nil || *tr.Server.CPUNS == 0 || tr.Server.PrivateBytes == nil || tr.Server.LoggedBytes != 0 {
			t.Errorf("%s: usage of a trial: %+v", name, tr.Server)
		}
	}
	if trials < 3*run.Plan.Rounds {
		t.Errorf("%s: %d trials", name, trials)
	}
}

// leftBehind looks for processes whose home lies in the run folder.
func leftBehind(t *testing.T, dir string) {
	t.Helper()
	for _, p := range leftIn(t, dir) {
		t.Errorf("left behind: %s", p)
	}
}

func leftIn(t *testing.T, dir string) (list []string) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	for _, p := range procs {
		if _, err := strconv.Atoi(p.Name()); err != nil {
			continue
		}
		env, _ := os.ReadFile("/proc/" + p.Name() + "/environ")
		if bytes.Contains(env, []byte("HOME="+dir)) {
			cmd, _ := os.ReadFile("/proc/" + p.Name() + "/cmdline")
			list = append(list, fmt.Sprintf("%s %s", p.Name(), bytes.ReplaceAll(cmd, []byte{0}, []byte{' '})))
		}
	}
	return list
}
