package bench

import (
	"errors"
	"math/rand/v2"
	"testing"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// fleetHost is a fakeHost with several machines.
type fleetHost struct {
	*fakeHost
	gone error
}

func (h *fleetHost) Lost() error { return h.gone }

// losing carries out a run whose machines are lost when its generator opens a load, counted from 1. It returns the
// number of loads.
func losing(t *testing.T, at int) (b *Bench, h *fleetHost, records *[]record.Record, run *record.Run, opened int) {
	b, fake, d, records := set(t)
	h = &fleetHost{fakeHost: fake}
	b.Host = h
	d.asked = func(string, load.Job) {
		if opened++; opened == at {
			h.gone = errors.New("gen1 was lost: its cable was taken out")
		}
	}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil || run.End == nil || len(run.Failures) > 0 {
		t.Fatalf("lost at load %d: %v, %+v, %+v", at, err, run.End, run.Failures)
	}
	return b, h, records, run, opened
}

// TestLostMachine: whenever a machine is lost, the run is interrupted, and no contestant is to blame. It can be
// resumed after its pilots, and then all counted trials are whole and recorded once.
func TestLostMachine(t *testing.T) {
	_, _, _, whole, loads := losing(t, 0)
	resumed := 0
	for seed := range uint64(30) {
		at := 1 + rand.New(rand.NewPCG(seed, 1)).IntN(loads)
		b, h, records, run, opened := losing(t, at)
		if run.End.Reason != plan.Interrupted && at < loads-10 || opened > at+50 { // what the verification loads
			t.Errorf("lost at load %d of %d: %q after %d", at, loads, run.End.Reason, opened)
		}
		if _, err := plan.Resumable(run); err != nil {
			continue
		}
		h.gone = nil
		run, err := b.Resume(t.Context(), run)
		if resumed++; err != nil || run.End.Reason != string(plan.Decided) || len(run.Failures) > 0 {
			t.Fatalf("lost at load %d: %v, %+v, %+v", at, err, run.End, run.Failures)
		}
		again := &record.Run{}
		for _, r := range *records {
			again.Add(r)
		}
		seen := map[record.Key]bool{}
		for _, tr := range again.Trials {
			if seen[tr.Key] {
				t.Errorf("lost at load %d: %+v is there twice", at, tr.Key)
			}
			seen[tr.Key] = true
		}
		if got, want := len(plan.Valid(again)), len(plan.Valid(whole)); got != want || len(plan.Epochs(again)) != 8 {
			t.Errorf("lost at load %d: %d valid trials in %d epochs; without a loss %d in 8", at, got,
				len(plan.Epochs(again)), want)
		}
	}
	if resumed == 0 {
		t.Error("no run was resumed")
	}
}

// TestGeneratorsThatDoNotBeginTogether discard their round, which is repeated.
func TestGeneratorsThatDoNotBeginTogether(t *testing.T) {
	b, _, d, records := set(t)
	n, late := 0, 0
	d.trouble = func(_ string, l *record.Load) {
		if n++; n > 100 && late == 0 {
			l.Parts = []record.LoadPart{{Generator: "gen1"}, {Generator: "gen2", BeganNS: -9e6, BoundNS: 2e6}}
		}
	}
	b.Append = func(r record.Record) error {
		if r.Trial != nil && len(r.Trial.Load.Parts) > 0 {
			late++
		}
		*records = append(*records, r)
		return nil
	}
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	if discarded, _ := plan.Discarded(run); late != 1 || discarded == 0 || len(plan.Epochs(run)) != 8 {
		t.Errorf("%d late trials, %d discarded, %d epochs", late, discarded, len(plan.Epochs(run)))
	}
}
