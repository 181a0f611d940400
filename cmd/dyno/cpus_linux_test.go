package main

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno/internal/machine"
	"dyno/internal/record"
)

// A real sweep over one contestant, on one CPU and, if the machine has enough CPUs, on two: each
// process has its level's CPUs and knows it, and uses no more. No figure is judged.
func TestRealServerCPUs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a contestant and runs a sweep for half a minute")
	}
	numbers := []int{1, 2}
	if err := machine.RoomForServers(2); err != nil {
		t.Log("on one CPU alone:", err)
		numbers = []int{1}
	}
	if err := machine.RoomForServers(1); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	var asked []string
	for _, n := range numbers {
		asked = append(asked, strconv.Itoa(n))
	}
	var stdout, stderr bytes.Buffer
	code := start(t, program(t, "dyno"), &stdout, &stderr, "run", "--contestants", "net-http", "--scenario",
		"hello", "--protocol",
		"sweep", "--placement", strings.Join(asked, ","), "--epochs", "1", "--seed", "1", "--offline", "--wait",
		"--run-folder", dir)
	t.Logf("%s\n%s", &stderr, &stdout)
	skipUnavailable(t, stdout.String())
	run, err := record.Open(dir)
	if err != nil || len(run.Failures) > 0 {
		t.Fatalf("exit %d: %v, %+v", code, err, run)
	}
	seen := map[int]int{}
	for i := range run.Trials {
		tr := run.Trials[i]
		n := run.Plan.LevelOf(tr).CPUs
		if tr.Contestant == run.Plan.Ceiling {
			continue
		}
		seen[n]++
		at := slices.IndexFunc(run.Launches, func(l record.Launch) bool {
			return l.Contestant == tr.Contestant && l.Epoch == tr.Epoch
		})
		p := run.Launches[at].Processors
		if p == nil || len(p.CPUs) != n || p.Variables["GOMAXPROCS"] != strconv.Itoa(n) || tr.Causes.ServerCPUs != n {
			t.Fatalf("%s at a level of %d CPUs was given %+v, causes %+v", tr.Contestant, n, p, tr.Causes)
		}
		if cpu := tr.Server.CPUNS; cpu != nil && float64(*cpu) > 1.1*float64(n)*float64(tr.ClocksNS) {
			t.Errorf("%s used %d ns of %d CPUs in %d ns", tr.Contestant, *cpu, n, tr.ClocksNS)
		}
		if tr.Load.Network == nil || tr.Load.Network.Link != "" {
			t.Errorf("segments over loopback: %+v", tr.Load.Network)
		}
	}
	for _, n := range numbers {
		if seen[n] == 0 {
			t.Errorf("no trial on %d CPUs: %v", n, seen)
		}
	}
	leftBehind(t, dir)
}
