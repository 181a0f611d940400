package judge

import (
	"testing"

	"dyno/internal/record"
)

func TestOnCPUs(t *testing.T) {
	run := &record.Run{Plan: record.Plan{Levels: []record.Level{{}, {CPUs: 2}, {AsPublished: true}}},
		Host: record.Host{CPUs: 4, ServerCPUs: []int{1}, GeneratorCPUs: []int{2, 3}, Pinned: true}}
	for level, want := range []string{" on one CPU", " on 2 CPUs", " on 4 CPUs shared with the load generator", ""} {
		if got := OnCPUs(run, level); got != want {
			t.Errorf("level %d: %q, want %q", level, got, want)
		}
	}
	run.Host.Pinned = false
	if got := OnCPUs(run, 0); got != "" {
		t.Errorf("not pinned: %q", got)
	}
	run.Host.CPUs = 1
	if got, free := OnCPUs(run, 0), OnCPUs(run, 2); got != OnOneCPU || free != OnOneCPU+" shared with the load generator" {
		t.Errorf("a machine with one CPU: %q, %q", got, free)
	}
}
