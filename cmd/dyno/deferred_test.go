package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/checks"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/study"
)

// TestRealDuelOfDeferredWork compares a server with one that queues the same work until it is idle: its lead is no
// verdict, and the check of CPU without load tells of it.
func TestRealDuelOfDeferredWork(t *testing.T) {
	if os.Getenv("DYNO_REAL_DUEL") == "" {
		t.Skip("set DYNO_REAL_DUEL=1 to compare real servers, about two minutes")
	}
	t.Chdir("../..")
	dir := t.TempDir()
	self, server, out := filepath.Join(dir, "dyno"), filepath.Join(dir, "server"), filepath.Join(dir, "run")
	build(t, self)
	source, err := os.ReadFile("cmd/dyno/testdata/deferred.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(server+".go", source, 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("go", "build", "-o", server, server+".go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var stdout, stderr bytes.Buffer
	start(t, self, &stdout, &stderr, "compare", server, server+" idle", "--budget", "2m", "--seed", "1", "--out", out)
	t.Logf("%s\n%s", &stderr, &stdout)
	run, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	loads, why := plan.Long(run)
	if n := len(plan.Epochs(run)); n < 6 || loads == nil {
		t.Skipf("%d valid epochs, %d long loads (%s): the machine was too busy", n, len(loads), why)
	}
	data := study.Evaluate(run)
	for _, p := range data.Analysis.Pairs {
		if p.Better != "" && p.Metric != "memory" {
			t.Errorf("a verdict on it: %+v", p)
		}
	}
	if state, made := checks.StateOf(data.Findings, checks.Deferred); state < checks.Warn {
		t.Errorf("CPU without load: %v, made: %v", state, made)
	}
	if !strings.Contains(stdout.String(), "No verdict: in loads of 2 s") {
		t.Error("the answer has a verdict")
	}
}
