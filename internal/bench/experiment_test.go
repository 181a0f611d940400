package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno/internal/contestant"
	"dyno/internal/judge"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

func setup(t *testing.T) Setup {
	return Setup{
		Folder:   t.TempDir(),
		Scenario: func(name string) (*scenario.Scenario, error) { return &scenario.Scenario{Name: name}, nil },
	}
}

func request() plan.Request {
	return plan.Request{Title: "Which?", Scenario: "values", Contestants: []string{"a", "b"}, Primary: "throughput",
		Seed: 7}
}

// The next step is announced before it begins, and an unavailable host leaves the folder free.
func TestNew(t *testing.T) {
	r, s := request(), setup(t)
	r.Relink, s.Manifests = 16, []*contestant.Manifest{{Name: "a", Relink: 1}}
	x, err := New(t.Context(), r, plan.World{}, s)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("Which?\n2 servers, 125 connections, with verdicts on 1 pair, seed 7, into %s\nafter the builds: "+
		"about ", x.Folder)
	if got := x.Words(); !strings.HasPrefix(got, want) || !strings.Contains(got, "first verdict possible after") {
		t.Errorf("%s\nwant\n%s…", got, want)
	}
	none := errors.New("no host")
	x.NewHost = func(o LocalOptions) (Host, error) {
		if o.Folder != x.Folder || o.Scenario != "values" || o.Manifests[0].Relink != 17 || s.Manifests[0].Relink != 1 {
			t.Errorf("%+v, %+v", o, o.Manifests[0])
		}
		return nil, none
	}
	if _, err := x.Run(t.Context()); !errors.Is(err, none) {
		t.Errorf("without a host: %v", err)
	}
	if err := os.Remove(x.Folder + "/" + record.TrialsFile); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(t.Context()); !errors.Is(err, none) {
		t.Errorf("again, in the same folder: %v", err)
	}
	if _, err := x.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "pass another --run-folder") {
		t.Errorf("into a folder that has a record: %v", err)
	}
	x.Folder = t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(x.Folder, "homes")); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "homes is not a folder") {
		t.Errorf("into a folder whose homes are elsewhere: %v", err)
	}
}

// A request without a plan, or without the budget for one, starts nothing.
func TestNewRefuses(t *testing.T) {
	for want, change := range map[string]func(*plan.Request){
		"cannot reach a verdict": func(r *plan.Request) { r.Budget = 1e9 },
		"named twice":            func(r *plan.Request) { r.Contestants = []string{"a", "a"} },
	} {
		r := request()
		change(&r)
		_, err := New(t.Context(), r, plan.World{}, setup(t))
		var refused *plan.RequestError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want …%s…", err, want)
		}
	}
	run := &record.Run{End: &record.End{Reason: string(plan.Decided)}}
	var refused *plan.RequestError
	if _, err := Resume(t.Context(), run, setup(t)); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "the run has ended") {
		t.Errorf("a run that is over is resumed: %v", err)
	}
}

// A run ends when all pairs are decided, or what was asked instead.
func TestDecided(t *testing.T) {
	x, run := &Experiment{}, &record.Run{}
	if !study.Analyse(run).Decided() || x.decided(run) {
		t.Error("checks lack epochs, and the run ends")
	}
	if x.Ends = "a gate"; !x.decided(run) {
		t.Error("nothing is open, and the run goes on")
	}
	x.Decided = func(r *record.Run, a *judge.Analysis) bool { return r != run || a == nil }
	if x.decided(run) {
		t.Error("what was asked is open, and the run ends")
	}
}

// At the end of the pilots a note tells what the run can find.
func TestNote(t *testing.T) {
	p, err := plan.New(request(), plan.World{})
	if err != nil {
		t.Fatal(err)
	}
	x := &Experiment{Setup: Setup{Remark: func(*record.Run) string { return "the two are one" }}}
	if got := x.note(&record.Run{Plan: p}); got != "the measurement begins: analyses after 3, 5, 8, 10, 12, 23 "+
		"epochs; the "+
		"first that decides all pairs, with epochs enough for the checks, ends the run; the two are one" {
		t.Errorf("%q", got)
	}
	x.Ends = "each --fail-if"
	if got := x.note(&record.Run{Plan: p}); !strings.Contains(got, "the first that decides each --fail-if ends the run") {
		t.Errorf("%q", got)
	}
	p.Processes, x.Remark = record.PerLoad, nil
	if got := x.note(&record.Run{Plan: p}); got != "the measurement begins" {
		t.Errorf("%q", got)
	}
}
