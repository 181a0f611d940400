package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
)

func values(body string) *scenario.Scenario {
	return &scenario.Scenario{Name: "values", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/api/values/{id}", Weight: 1,
		With:   map[string]scenario.Input{"id": {Int: [2]int64{1, 1000}}},
		Expect: scenario.Expect{Status: 200, Body: &body, Headers: map[string]string{"Content-Type": "text/plain"}},
	}}}
}

// set is a bench on fakes that keeps its records.
func set(t *testing.T) (*Bench, *fakeHost, *fakeGenerator, *[]record.Record) {
	t.Helper()
	h := &fakeHost{t: t, scenario: values("value"), starts: map[string]int{}, connections: map[string]int{}}
	d := &fakeGenerator{host: h, rng: rand.New(rand.NewPCG(1, 1)),
		rates: map[string]float64{"a": 60_000, "b": 40_000, "c": 30_000, "ref": 5e4, "ref'": 5e4, "null": 2e5}}
	var records []record.Record
	b := &Bench{
		Host: h, Generator: d, Scenario: h.scenario,
		Append:  func(r record.Record) error { records = append(records, r); return nil },
		Sync:    func() error { return nil },
		Decided: func(r *record.Run) bool { return true }, Standing: unranked,
	}
	t.Cleanup(func() {
		if h.running != 0 {
			t.Errorf("%d servers were left running", h.running)
		}
	})
	return b, h, d, &records
}

// small is a plan with few and short trials.
func small(names ...string) record.Plan {
	return record.Plan{
		Format: record.Format, Contestants: names, Controls: []string{"ref",
			"ref'"}, Ceiling: "null", Seed: 3, Primary: "throughput", Alpha: .05, Margin: .03,
		Rounds: 2, Pilots: 1, Epochs: []int{8}, Load: record.LoadLength{NS: 4e8, RewarmNS: 3e7}, BudgetNS: int64(time.Hour),
		Levels: []record.Level{{Connections: 4, Pipeline: 1}},
	}
}

// wholePlan sets a hand-made plan's cells and comparisons, like plan.New.
func wholePlan(p record.Plan) record.Plan {
	p.Complete()
	plan.Ride(&p, nil, func(of plan.Asking) bool { return of.Scenario == "" })
	return p
}

func TestPairedRunRecordsEverything(t *testing.T) {
	b, h, _, records := set(t)
	var stages []string
	b.Event = func(e record.Event) {
		if !slices.Contains(stages, e.Stage) {
			stages = append(stages, e.Stage)
		}
	}
	b.Last = &record.Calibration{BootID: "b"}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	if run.Calibration != b.Last || (*records)[1].Host == nil || (*records)[2].Calibration != b.Last {
		t.Error("the calibration does not follow the host")
	}
	if run.End == nil || run.End.Reason != string(plan.Decided) {
		t.Errorf("ended with %+v", run.End)
	}
	if got, want := len(run.Trials), 2*(5+8*4); got != want {
		t.Errorf("%d trials; want %d", got, want)
	}
	again := &record.Run{}
	for _, r := range *records {
		again.Add(r)
	}
	if len(again.Trials) != len(run.Trials) || len(again.Launches) != len(run.Launches) ||
		len(again.Contestants) != 5 || again.End == nil {
		t.Errorf("what was stored is not what was returned: %d trials, %d launches, %d contestants",
			len(again.Trials), len(again.Launches), len(again.Contestants))
	}
	if (*records)[0].Plan == nil || (*records)[len(*records)-1].End == nil {
		t.Error("the plan must come first and the end last")
	}
	if h.starts["a"] != 10 { // the proof, the pilot and 8 epochs
		t.Errorf("a was started %d times; every epoch wants a fresh process", h.starts["a"])
	}
	for _, want := range []string{"build", "verify", "launch", "pilot", "measure", "done"} {
		if !slices.Contains(stages, want) {
			t.Errorf("no event of stage %q in %v", want, stages)
		}
	}
	if c := run.Contestant("a"); c.Response["get"] == "" || c.HeaderBytes == 0 || c.BodyBytes != 5 {
		t.Errorf("what the verifier observed is not recorded: %+v", c)
	}
}

func TestMetersAreRecorded(t *testing.T) {
	b, _, _, _ := set(t)
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range run.Trials {
		if counted := tr.Server.Instructions != nil; counted != (tr.Contestant == "a") {
			t.Errorf("%s: instructions counted: %v", tr.Contestant, counted)
		}
		if read := tr.Server.OpenSockets != nil; read != (tr.Round == run.Plan.Rounds-1) {
			t.Errorf("%s, round %d: totals read: %v", tr.Contestant, tr.Round, read)
		}
		if tr.Server.Processes != 1 {
			t.Errorf("%s: %+v", tr.Contestant, tr.Server)
		}
	}
	for _, l := range run.Launches {
		if l.Meters["cpu"] != "fake" || l.Absent["memory"] != "it has none" {
			t.Errorf("%s: %v, %v", l.Contestant, l.Meters, l.Absent)
		}
	}
}

func TestFailuresLeaveTheOthers(t *testing.T) {
	wrong := values("WRONG")
	for name, c := range map[string]struct {
		stage, reason string
		set           func(*fakeHost, *fakeGenerator)
	}{
		"no toolchain": {"toolchain", "no toolchain",
			func(h *fakeHost, d *fakeGenerator) { h.build = map[string]error{"b": errNoToolchain} }},
		"does not keep": {"verify", `body "WRONG"; want "value"`,
			func(h *fakeHost, d *fakeGenerator) { h.mutant = map[string]*scenario.Scenario{"b": wrong} }},
		"third launch": {"launch", "address in use", func(h *fakeHost, d *fakeGenerator) {
			h.launch = func(name string, n int) error {
				if name == "b" && n == 3 {
					return &contestant.Failed{Err: errString("address in use"), Tail: []string{"bind"}}
				}
				return nil
			}
		}},
		"breaks under load": {"load", "1 of ", func(h *fakeHost, d *fakeGenerator) {
			d.trouble = func(name string, l *record.Load) {
				if name == "b" {
					l.Failed, l.Failures = 1, map[string]int64{"body": 1}
				}
			}
		}},
		"resets": {"load", "reset 2", func(h *fakeHost, d *fakeGenerator) {
			d.trouble = func(name string, l *record.Load) {
				if name == "b" {
					l.Errors = map[string]int64{"reset": 2}
				}
			}
		}},
		"too few connections": {"load", "3 of 4 connections", func(h *fakeHost, d *fakeGenerator) {
			d.trouble = func(name string, l *record.Load) {
				if name == "b" {
					l.Established = 3
				}
			}
		}},
		"exits": {"load", "exited under load: signal: killed",
			func(h *fakeHost, d *fakeGenerator) { h.exits = map[string]int{"b": 2} }},
	} {
		t.Run(name, func(t *testing.T) {
			b, h, d, _ := set(t)
			c.set(h, d)
			run, err := b.Run(t.Context(), wholePlan(small("a", "b", "c")))
			if err != nil {
				t.Fatal(err)
			}
			f := run.FailureOf("b")
			if f == nil || f.Stage != c.stage || !strings.Contains(f.Reason, c.reason) {
				t.Fatalf("failure %+v; want stage %s, %q", f, c.stage, c.reason)
			}
			if len(run.Failures) != 1 {
				t.Errorf("failures %+v", run.Failures)
			}
			if n := len(plan.Epochs(run)); n != 8 {
				t.Errorf("%d epochs of the others count; want 8", n)
			}
		})
	}
}

type errString string

func (e errString) Error() string { return string(e) }

// A contestant that uses CPU at rest compiles, whatever its name: it is warmed up until that ends, and
// so is every other one that compiles. The others are warmed up as long as their own rates rise.
func TestThoseThatCompileAreWarmedUntilTheyStop(t *testing.T) {
	b, h, d, _ := set(t)
	p := small("a", "b", "c")
	p.Servers.Managed = []string{"c"} // by its name; it does not
	rested := false
	d.rested = func() { rested = true }
	used := map[*fakeServer]time.Duration{}
	until := map[string]int{"a": 2, "b": 8} // windows after which they work at rest
	h.compiles = func(s *fakeServer) time.Duration {
		if s.warmed < until[s.name] {
			used[s] += 30 * time.Millisecond
		}
		return used[s]
	}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range run.Launches {
		took := time.Duration(l.WarmupNS)
		switch l.Contestant {
		case "a":
			other := run.Launches[slices.IndexFunc(run.Launches,
				func(o record.Launch) bool { return o.Contestant == "b" && o.Epoch == l.Epoch })]
			if more := len(l.Windows) - len(other.Windows); more < -1 || more > 1 || l.CompiledNS == nil {
				t.Errorf("a compiles: %d windows in %v, %d of b, which is to be compared with it",
					len(l.Windows), took, len(other.Windows))
			}
		case "b":
			if took < plan.WarmMost || took > plan.WarmCompiling+time.Second ||
				l.CompiledNS == nil || took-time.Duration(*l.CompiledNS) < 0 {
				t.Errorf("b compiles for long: %v", took)
			}
		default:
			if took < plan.WarmLeast || took > 4*plan.WarmLeast || l.CompiledNS != nil {
				t.Errorf("%s does not compile: %v", l.Contestant, took)
			}
		}
	}
	if !rested {
		t.Error("nobody ever rested")
	}
}

func TestInterruptKeepsWhatIsKnown(t *testing.T) {
	b, _, d, records := set(t)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	d.opened = func(name string) {
		if n++; n == 80 {
			cancel()
		}
	}
	run, err := b.Run(ctx, wholePlan(small("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	if run.End == nil || run.End.Reason != "interrupted" || len(run.Trials) == 0 {
		t.Errorf("end %+v after %d trials", run.End, len(run.Trials))
	}
	if (*records)[len(*records)-1].End == nil {
		t.Error("the end of an interrupted run is not stored")
	}
}

// If dyno itself may open no more files, the contestant that was to be loaded does not fail.
func TestOutOfFilesIsNobodysFailure(t *testing.T) {
	b, _, d, _ := set(t)
	d.refuses = fmt.Errorf("open: %w", syscall.EMFILE)
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err == nil || !load.OutOfFiles(err) {
		t.Errorf("error %v", err)
	}
	if run != nil && len(run.Failures) > 0 {
		t.Errorf("failures %+v", run.Failures)
	}
}

func TestResume(t *testing.T) {
	b, _, d, records := set(t)
	ctx, cancel := context.WithCancel(t.Context())
	measured := 0
	b.Event = func(e record.Event) {
		if e.Trial != nil {
			if measured++; measured == 18 { // 10 in the pilot
				cancel()
			}
		}
	}
	run, err := b.Run(ctx, wholePlan(small("a", "b")))
	if err != nil || run.End.Reason != plan.Interrupted {
		t.Fatalf("%+v, %v", run.End, err)
	}
	contestants, cut := len(run.Contestants), run.Trials[len(run.Trials)-1].Epoch
	b.Event = nil
	d.opened = nil
	run, err = b.Resume(t.Context(), run)
	if err != nil || run.End == nil || run.End.Reason != string(plan.Decided) {
		t.Fatalf("%+v, %v", run.End, err)
	}
	if len(run.Contestants) != contestants || len(run.Resumes) != 1 || run.Resumes[0].Epoch != cut+1 ||
		run.Resumes[0].PausedNS <= 0 {
		t.Errorf("%d contestants, %d before; %+v", len(run.Contestants), contestants, run.Resumes)
	}
	again := &record.Run{}
	for _, r := range *records {
		again.Add(r)
	}
	if len(again.Trials) != len(run.Trials) || again.End == nil || again.End.Reason != string(plan.Decided) {
		t.Errorf("stored: %d trials of %d, %+v", len(again.Trials), len(run.Trials), again.End)
	}
	if _, err := b.Resume(t.Context(), run); err == nil {
		t.Error("a run that is over was resumed")
	}
}

func TestStoreTroubleEndsTheRun(t *testing.T) {
	b, _, _, _ := set(t)
	n := 0
	b.Append = func(r record.Record) error {
		if n++; n > 20 {
			return errString("no space left on device")
		}
		return nil
	}
	if _, err := b.Run(t.Context(), wholePlan(small("a", "b"))); err == nil || !strings.Contains(err.Error(), "no "+
		"space left") {
		t.Errorf("error %v", err)
	}
}
