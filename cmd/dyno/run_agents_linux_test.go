package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno/internal/record"
)

// agentsInWindows: while a window of ten seconds lasts, the agent of the servers' machine uses 0.1 % of a CPU at
// most. That of a generator is its event loops, and what Go's runtime does for their threads.
func agentsInWindows(t *testing.T) {
	const most = 0.001
	windows := number(t, "DYNO_WINDOWS", 1)
	f := newFour(t)
	c, said := f.begin("run", "--contestants", "ref,ref+50%", "--delay", "500ms", "--budget", "30m", "--seed", "1",
		"--controls", "none", "--connections", "256", "--offline", "--fleet", f.file, "--run-folder", f.out)
	ended := make(chan struct{})
	go func() { c.Wait(); close(ended) }()
	var samples []used
	for trials := 0; trials < windows; {
		select {
		case <-ended:
			t.Fatalf("it ended after %d trials\n%s", trials, said)
		case <-time.After(200 * time.Millisecond):
		}
		samples = append(samples, f.used())
		data, _ := os.ReadFile(filepath.Join(f.out, record.TrialsFile))
		trials = bytes.Count(data, []byte("\n{\"trial\":"))
	}
	c.Process.Kill()
	<-ended
	run, err := record.Open(f.out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Trials {
		tr := run.Trials[i]
		// of the trial's time; the window is somewhere within
		beside := tr.EndedUnixNS - tr.StartedUnixNS - tr.Load.WindowNS
		if tr.Load.WindowNS < 9e9 || beside > 6e9 {
			t.Fatalf("a window of %d ns in a trial that is %d longer", tr.Load.WindowNS, beside)
		}
		for host, threads := range inside(samples, tr.StartedUnixNS+beside, tr.EndedUnixNS-beside) {
			sum := 0.
			for _, share := range threads {
				sum += share
			}
			t.Logf("trial %d: the agent of %s used %.3f %% of a CPU, its busiest threads %.3f", i, host, 100*sum,
				threads[:min(4, len(threads))])
			if host == "srv1" && sum > most {
				t.Errorf("the agent of %s used %.4f %% of a CPU in a window", host, 100*sum)
			}
		}
	}
}

// used is the CPU time, in ns, of all threads of the agents, and of what they started but the contestants.
type used struct {
	at  int64                     // Unix ns
	cpu map[string]map[int]uint64 // by host and thread
}

func (h *hosts) used() used {
	u := used{time.Now().UnixNano(), map[string]map[int]uint64{}}
	for _, host := range h.names() {
		u.cpu[host] = map[int]uint64{}
		agents := []string{fmt.Sprint(h.agents[host].Process.Pid)}
		for _, other := range h.left(host) {
			if pid, name, _ := strings.Cut(other, " "); !strings.Contains(name, "refserver") {
				agents = append(agents, pid)
			}
		}
		for _, pid := range agents {
			threads, _ := filepath.Glob("/proc/" + pid + "/task/*/schedstat")
			for _, file := range threads {
				text, _ := os.ReadFile(file) // of a thread that has ended: none
				words := strings.Fields(string(text))
				id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
				if len(words) == 0 || err != nil {
					continue
				}
				if ns, err := strconv.ParseUint(words[0], 10, 64); err == nil {
					u.cpu[host][id] = ns
				}
			}
		}
	}
	return u
}

// inside returns which shares of a CPU the threads of each host's agent used between two times, the largest first.
func inside(samples []used, from, to int64) map[string][]float64 {
	samples = slices.DeleteFunc(slices.Clone(samples), func(u used) bool { return u.at < from || u.at > to })
	first, last := samples[0], samples[len(samples)-1]
	shares := map[string][]float64{}
	for host, threads := range last.cpu {
		for id, ns := range threads {
			shares[host] = append(shares[host], float64(ns-first.cpu[host][id])/float64(last.at-first.at))
		}
		slices.Sort(shares[host])
		slices.Reverse(shares[host])
	}
	return shares
}
