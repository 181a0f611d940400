package bench

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
)

// While a runtime compiles in its rests, nobody else is loaded in them, once it is known to. What
// others are warmed up with does not depend on that. Nobody rests for compilers that are done.
func TestOthersWaitForCompilers(t *testing.T) {
	const compiled = 10 // windows of b, after which it is idle in its rests
	requests := map[bool]map[string]int64{}
	for _, compiles := range []bool{false, true} {
		b, h, d, _ := set(t)
		clocks := map[*fakeServer]time.Duration{}
		h.compiles = func(s *fakeServer) time.Duration {
			if compiles && s.name == "b" && s.warmed < compiled {
				clocks[s] += 30 * time.Millisecond
			}
			return clocks[s]
		}
		warmed := map[int][]string{} // by start: windows in their order
		d.asked = func(name string, job load.Job) {
			if name != "" { // it is thawed: no warm-up
				return
			}
			s := h.servers[job.Addr]
			warmed[s.start] = append(warmed[s.start], s.name)
		}
		run, err := b.Run(t.Context(), wholePlan(small("a", "b", "c")))
		if err != nil || len(run.Failures) > 0 {
			t.Fatal(err, run.Failures)
		}
		for start, order := range warmed {
			between, most := 0, 0 // windows of b before one of another
			for _, name := range order {
				if name == "b" {
					between++
					continue
				}
				most, between = max(most, between), 0
			}
			if compiles && (most < 3 || most > compiled) || !compiles && most > 2 {
				t.Errorf("compiling %t, start %d: the others wait for %d windows of b: %v", compiles, start, most, order)
			}
		}
		requests[compiles] = map[string]int64{}
		for _, l := range run.Launches {
			if n := int64(len(l.Windows)); l.Contestant != "b" && (l.WarmupNS != n*1e8 || n < 5 || n > 20) {
				t.Errorf("compiling %t: %s in epoch %d: %d windows in %v", compiles, l.Contestant, l.Epoch, n,
					time.Duration(l.WarmupNS))
			}
			requests[compiles][l.Contestant] += l.WarmupRequests
		}
	}
	for _, name := range []string{"a", "c", "ref", "ref'"} {
		if beside, alone := requests[true][name], requests[false][name]; beside < alone*8/10 || beside > alone*12/10 {
			t.Errorf("%s had %d requests where b compiles, %d where it does not", name, beside, alone)
		}
	}
}

// A slow server has answered 5,000 requests in the epochs that find how long a warm-up takes: Node behind PostgreSQL
// "was steady" after the 1,000 of a second, and became three times as fast within an epoch.
func TestSlowServersAreWarmedByRequests(t *testing.T) {
	b, _, d, _ := set(t)
	d.warms = func(name string, _ int) float64 {
		if name == "b" {
			return .005
		}
		return 1
	}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil || len(run.Failures) > 0 {
		t.Fatal(err, run.Failures)
	}
	for _, l := range run.Launches {
		first := l.Epoch < max(1, run.Plan.Pilots)
		if n := l.WarmupRequests; l.Contestant == "b" && (first && n < 5000 || !first && n > 4000) {
			t.Errorf("epoch %d: %d requests", l.Epoch, n)
		}
	}
}

// At the end of an epoch a process ends while the next is verified again, and all have ended before
// those of the next epoch start.
func TestProcessesEndWhileOthersAreVerified(t *testing.T) {
	b, h, _, _ := set(t)
	var last atomic.Value // who was thawed last
	h.thaws = func(s *fakeServer) { last.Store(s.name) }
	h.stops = func(s *fakeServer) {
		if s.name != "a" || s.start == 1 { // the first was verified alone
			return
		}
		for since := time.Now(); last.Load() == "a"; time.Sleep(time.Millisecond) {
			if time.Since(since) > 20*time.Second {
				t.Errorf("nobody is verified before a has ended, in start %d", s.start)
				return
			}
		}
	}
	first := map[int]bool{}
	h.launch = func(name string, n int) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !first[n] && h.running > 0 {
			t.Errorf("%s is started for the time %d while %d others run", name, n, h.running)
		}
		first[n] = true
		return nil
	}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil || run.End.Reason != string(plan.Decided) || len(run.Failures) > 0 {
		t.Fatalf("%+v, %v, %+v", run.End, err, run.Failures)
	}
}

// Wherever a run is interrupted, nothing is left running and nobody is blamed.
func TestInterruptAnywhere(t *testing.T) {
	for n := 5; n <= 150; n += 5 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			b, _, d, _ := set(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			opened := 0
			d.opened = func(string) {
				if opened++; opened == n {
					cancel()
				}
			}
			p := small("a", "b")
			p.Servers.Managed, p.Rounds = []string{"b"}, 1
			run, err := b.Run(ctx, wholePlan(p))
			if err != nil || run.End == nil || run.End.Reason != plan.Interrupted || len(run.Failures) > 0 {
				t.Errorf("%+v, %v, %+v", run.End, err, run.Failures)
			}
		})
	}
}

// Who fails in its warm-up is out, and nobody else.
func TestFailureInWarmUpIsItsOwn(t *testing.T) {
	b, h, d, _ := set(t)
	d.warms = func(name string, n int) float64 {
		if name == "c" && n == 3 && h.starts["c"] == 3 {
			return 0
		}
		return 1
	}
	p := small("a", "b", "c")
	p.Servers.Managed = []string{"b"}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	f := run.FailureOf("c")
	if f == nil || f.Epoch != 1 || f.Stage != "launch" || len(run.Failures) != 1 ||
		!slices.Equal(f.LogTail, []string{"last words of c"}) {
		t.Errorf("%+v", run.Failures)
	}
	for _, l := range run.Launches {
		if l.Contestant == "c" && l.Epoch > 0 {
			t.Errorf("a launch of c is recorded in epoch %d", l.Epoch)
		}
	}
}
