package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/study"
)

// TestSameOnFleet: of ten comparisons of a server with itself over four hosts one finds a difference at most.
// DYNO_FLEET_SAME is how many are made. Those that are in the folder DYNO_FLEET_SAME_FOLDER are not made again.
func TestSameOnFleet(t *testing.T) {
	n, folder := number(t, "DYNO_FLEET_SAME", 0), os.Getenv("DYNO_FLEET_SAME_FOLDER")
	if n == 0 || folder == "" {
		t.Skip("set DYNO_FLEET_SAME=10 and DYNO_FLEET_SAME_FOLDER=/… to compare a server with itself ten times over " +
			"several hosts, two minutes each, on a machine on which nothing else runs")
	}
	f := newFour(t)
	sides := []string{"--name", "one", "--name", "other"}
	for _, side := range []string{"one", "other"} {
		copied := filepath.Join(t.TempDir(), side, "net-http")
		if err := os.CopyFS(copied, os.DirFS("../../contestants/go/net-http")); err != nil {
			t.Fatal(err)
		}
		sides = append(sides, copied)
	}
	differences, whole := 0, 0
	for i := range n {
		f.out = filepath.Join(folder, fmt.Sprint(i+1))
		run, err := record.Open(f.out)
		if err != nil || run.End == nil || run.End.Reason == plan.Interrupted {
			if err := os.RemoveAll(f.out); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"compare", "--fleet", f.file, "--run-folder", f.out, "--controls", "none", "--budget", "90s",
				"--seed", fmt.Sprint(i + 1), "--connections", "8", "--offline"}, sides...)
			c, said := f.begin(args...)
			if err := c.Wait(); err != nil && !strings.Contains(said.String(), busyMachine) {
				t.Fatalf("%v\n%s\n%s", err, said, f.logs["srv1"])
			}
			if run, err = record.Open(f.out); err != nil {
				t.Fatal(err)
			}
		}
		discarded, all := plan.Discarded(run)
		if 2*discarded > all {
			if err := os.RemoveAll(f.out); err != nil {
				t.Fatal(err)
			}
			t.Skipf("%d of %d trials of comparison %d were discarded: other programs use this machine; call this again when "+
				"they do not", discarded, all, i+1)
		}
		for _, p := range study.Analyse(run).Pairs {
			if p.Metric != run.Plan.Primary {
				continue
			}
			t.Logf("%d: %s of %s against %s: %.4f (%.4f to %.4f), %v; %d epochs, %d of %d trials discarded", i+1, p.Metric,
				p.A, p.B, p.Ratio.Value, p.Ratio.Lo, p.Ratio.Hi, p.Verdict, len(plan.Epochs(run)), discarded, all)
			if whole++; p.Better != "" {
				differences++
			}
		}
	}
	t.Logf("%d differences in %d comparisons", differences, whole)
	if whole < n || differences > max(1, n/10) {
		t.Errorf("%d differences in %d of %d comparisons", differences, whole, n)
	}
}
