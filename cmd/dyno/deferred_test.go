package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// TestRealDuelOfDeferredWork compares a server with one that queues the same work until it is idle.
// On some machines the queue fills so early that short loads show no lead. No verdict favours it,
// and the check of CPU without load names it; if short loads show a lead, the answer says that it
// is no verdict.
func TestRealDuelOfDeferredWork(t *testing.T) {
	if os.Getenv("DYNO_REAL_DUEL") == "" {
		t.Skip("set DYNO_REAL_DUEL=1 to compare real servers, about a minute")
	}
	dir := t.TempDir()
	self, server, out := filepath.Join(dir, "dyno"), filepath.Join(dir, "server"), filepath.Join(dir, "run")
	build(t, self)
	source, err := os.ReadFile("testdata/deferred.txt")
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
	start(t, self, &stdout, &stderr, "compare", server, server+" idle", "--budget", "1m", "--seed", "1",
		"--run-folder", out)
	t.Logf("%s\n%s", &stderr, &stdout)
	run, err := record.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	loads, why := plan.Long(run)
	if n := len(plan.Epochs(run)); n < 3 || loads == nil {
		t.Skipf("%d valid epochs, %d long loads (%s): the machine was too busy", n, len(loads), why)
	}
	data, deferrer := study.Evaluate(run), run.Plan.Contestants[1]
	for _, p := range data.Analysis.Pairs {
		if p.Better == deferrer && p.Metric != "memory" {
			t.Errorf("a verdict for it: %+v", p)
		}
	}
	if !slices.ContainsFunc(data.Findings, func(f judge.Finding) bool {
		return f.ID == judge.Deferred && f.Contestant == deferrer && f.State >= judge.Warn
	}) {
		t.Error("no warning of its CPU without load")
	}
	p, _ := data.Analysis.Pair(deferrer, run.Plan.Contestants[0], "throughput")
	if p.Long == nil {
		t.Fatalf("the long loads were not compared: %s", data.NoLong)
	}
	if p.Long.Misleads && !strings.Contains(stdout.String(), "short loads mislead here (in loads of 2 s") {
		t.Error("the answer does not say that short loads mislead")
	}
}
