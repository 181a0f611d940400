package bench

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// thatMachine is the machine on which interrupted began its runs.
var thatMachine = record.Host{OS: "fake", Kernel: "Linux 6.18.44-a", BootID: "one", CPU: "EPYC", CPUs: 2,
	ServerCPUs: []int{0}, GeneratorCPUs: []int{1}, Pinned: true, MemoryBytes: 8 << 30}

// that describes its contestants' builds.
var that = record.Contestant{Toolchain: "go 1.26 (PATH)", Sources: "5", BinaryHash: "aa", Layouts: []string{"bb"}}

// interrupted returns a bench and the records of a run that was interrupted in its second epoch
// after the pilots.
func interrupted(t *testing.T) (*Bench, *fakeHost, *[]record.Record, *record.Run) {
	t.Helper()
	b, h, d, records := set(t)
	h.machine, h.program, b.Dyno = thatMachine, that, "1.0"
	ctx, cancel := context.WithCancel(t.Context())
	b.Event = func(e record.Event) {
		if e.Trial != nil && e.Trial.Epoch == 2 && e.Trial.Round == 1 {
			cancel()
		}
	}
	p := small("a", "b")
	p.Origin.Dyno = "1.0"
	run, err := b.Run(ctx, wholePlan(p))
	if err != nil || run.End.Reason != plan.Interrupted {
		t.Fatalf("%+v, %v", run.End, err)
	}
	b.Event, d.opened = nil, nil
	return b, h, records, run
}

// A run continues on another machine of the same kind, in a new epoch, and says where.
func TestResumeOnAnotherMachine(t *testing.T) {
	b, h, records, run := interrupted(t)
	cut := run.Trials[len(run.Trials)-1].Epoch
	h.machine.Kernel, h.machine.BootID, h.machine.MemoryBytes = "Linux 6.18.50-b", "two", 9<<30
	h.program.Toolchain = "go 1.26 (cache)"
	b.Dyno = "1.1"
	run, err := b.Resume(t.Context(), run)
	if err != nil || run.End.Reason != string(plan.Decided) {
		t.Fatalf("%+v, %v", run.End, err)
	}
	again := &record.Run{}
	for _, r := range *records {
		again.Add(r)
	}
	if again.Host.BootID != "one" || len(again.Resumes) != 1 {
		t.Fatalf("host %+v, resumes %+v", again.Host, again.Resumes)
	}
	r := again.Resumes[0]
	if r.Host == nil || r.Host.BootID != "two" || r.Host.Kernel != "Linux 6.18.50-b" || r.Dyno != "1.1" ||
		r.Epoch != cut+1 {
		t.Errorf("%+v, host %+v", r, r.Host)
	}
	parts := map[int]bool{} // of epochs
	for i := range again.Trials {
		if tr := again.Trials[i]; tr.StartedUnixNS >= r.StartedUnixNS {
			parts[tr.Epoch] = true
		} else if parts[tr.Epoch] || tr.Epoch > cut {
			t.Errorf("epoch %d is of two machines", tr.Epoch)
		}
	}
	for _, e := range plan.Epochs(again) {
		if e == cut {
			t.Errorf("epoch %d counts, which was cut off", e)
		}
	}
}

// On the machine and boot where it began, the host is not recorded again.
func TestResumeOnTheSameMachine(t *testing.T) {
	b, _, _, run := interrupted(t)
	run, err := b.Resume(t.Context(), run)
	if err != nil || len(run.Resumes) != 1 || run.Resumes[0].Host != nil || run.Resumes[0].Dyno != "" {
		t.Fatalf("%+v, %v", run.Resumes, err)
	}
}

// A different kind of machine, or another program, is refused, and the run stays as it was.
func TestResumeRefused(t *testing.T) {
	for want, change := range map[string]func(h *fakeHost){
		"different kind of machine (CPU: EPYC, here Xeon)":           func(h *fakeHost) { h.machine.CPU = "Xeon" },
		"different kind of machine (CPUs: 2, here 64)":               func(h *fakeHost) { h.machine.CPUs = 64 },
		"kernel series: Linux 6.18, here Linux 7.0":                  func(h *fakeHost) { h.machine.Kernel = "Linux 7.0.1" },
		"CPUs of servers: [0], here [1]":                             func(h *fakeHost) { h.machine.ServerCPUs = []int{1} },
		"CPUs by quota: 0, here 1.5":                                 func(h *fakeHost) { h.machine.QuotaCPUs = 1.5 },
		"toolchain go 1.26 at the start of the run, now go 1.27":     func(h *fakeHost) { h.program.Toolchain = "go 1.27" },
		"a: sources 5 at the start of the run, now 6":                func(h *fakeHost) { h.program.Sources = "6" },
		"program aa bb (SHA-256) at the start of the run, now ab bb": func(h *fakeHost) { h.program.BinaryHash = "ab" },
		"program aa bb (SHA-256) at the start of the run, now aa bc": func(h *fakeHost) {
			h.program.Layouts = []string{"bc"}
		},
		"resume: a: no toolchain": func(h *fakeHost) {
			h.build = map[string]error{"a": errNoToolchain}
		},
		"resume: a: it": func(h *fakeHost) {
			h.stays = map[string]bool{"a": true}
		},
		"interrupted before the run continued; its record is unchanged": nil,
	} {
		b, h, records, run := interrupted(t)
		before, ctx := len(*records), t.Context()
		if change == nil {
			var cancel func()
			ctx, cancel = context.WithCancel(ctx)
			b.Event = func(e record.Event) {
				if e.Stage == "verify" {
					cancel()
				}
			}
		} else {
			change(h)
		}
		after, err := b.Resume(ctx, run)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
		if len(*records) != before || after.End == nil || after.End.Reason != plan.Interrupted {
			t.Errorf("%q: %d more records, end %+v", want, len(*records)-before, after.End)
		}
		if _, err := plan.Resumable(after); err != nil {
			t.Errorf("%q: it can no longer be resumed: %v", want, err)
		}
	}
}

// Building and verifying on another machine does not count against the budget.
func TestResumedBudgetIsWithoutBuilds(t *testing.T) {
	b, h, _, run := interrupted(t)
	const slow = 300 * time.Millisecond
	last := run.Trials[len(run.Trials)-1].EndedUnixNS
	h.launch = func(name string, n int) error { time.Sleep(slow / 6); return nil }
	began := time.Now()
	run, err := b.Resume(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if paused := time.Duration(run.Resumes[0].PausedNS); paused < time.Duration(began.UnixNano()-last)+slow/3 {
		t.Errorf("paused for %v, which does not hold the verification", paused)
	}
}

// The last record holds the bytes cut from logs when their servers ended: the most for one start of
// each contestant, over all parts of a resumed run.
func TestCutLogsAreRecorded(t *testing.T) {
	b, h, _, run := interrupted(t)
	if len(run.End.LogCutBytes) > 0 {
		t.Errorf("%+v", run.End)
	}
	run.End.LogCutBytes = map[string]int64{"a": 9}
	h.cuts = map[string]int64{"a": 7, "b": 5}
	run, err := b.Resume(t.Context(), run)
	if err != nil || run.End == nil || !maps.Equal(run.End.LogCutBytes, map[string]int64{"a": 9, "b": 5}) {
		t.Errorf("%+v, %v", run.End, err)
	}
}

// A server that fails before its first trial has its log, too.
func TestCutLogOfAFailedStart(t *testing.T) {
	b, h, _, _ := set(t)
	h.cuts, h.exits = map[string]int64{"a": 7}, map[string]int{"a": 1}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b", "c")))
	if err != nil || run.FailureOf("a") == nil || !maps.Equal(run.End.LogCutBytes, map[string]int64{"a": 7}) {
		t.Errorf("%+v, %+v, %v", run.End, run.Failures, err)
	}
}
