package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// fleetHost is a fakeHost with several machines. A machine is lost at the load numbers in losses.
type fleetHost struct {
	*fakeHost
	losses  map[int]record.Lost // by the number of the load, from 1
	opened  int
	gone    *record.Lost
	away    error // of Rejoin
	rejoins int
}

func (h *fleetHost) Lost() *record.Lost { return h.gone }

func (h *fleetHost) Rejoin(context.Context) error {
	h.rejoins++
	if h.away == nil {
		h.gone = nil
	}
	return h.away
}

// fleetOf returns a bench whose machines are lost when its generator opens these loads.
func fleetOf(t *testing.T, losses map[int]record.Lost) (*Bench, *fleetHost, *[]record.Record) {
	b, fake, d, records := set(t)
	h := &fleetHost{fakeHost: fake, losses: losses}
	b.Host = h
	d.asked = func(string, load.Job) {
		h.opened++
		if l, ok := h.losses[h.opened]; ok && h.gone == nil {
			h.gone = &l
		}
	}
	return b, h, records
}

// TestLostMachines: whenever generators or servers are lost, all counted trials are whole and
// recorded once, and each loss costs at most a round or an epoch.
func TestLostMachines(t *testing.T) {
	b, h, _ := fleetOf(t, nil)
	whole, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil {
		t.Fatal(err)
	}
	loads := h.opened
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		losses := map[int]record.Lost{}
		for range 1 + rng.IntN(5) {
			l := record.Lost{Machine: "gen1", Reason: "its cable was taken out"}
			if rng.IntN(2) == 0 {
				l.Machine, l.Server = "srv1", true
			}
			losses[1+rng.IntN(loads)] = l
		}
		b, h, records := fleetOf(t, losses)
		run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
		if err != nil || run.End == nil || run.End.Reason != string(plan.Decided) || len(run.Failures) > 0 {
			t.Fatalf("seed %d: %v, %+v, %+v", seed, err, run.End, run.Failures)
		}
		if h.rejoins != len(run.Lost) || h.rejoins == 0 {
			t.Errorf("seed %d: waited for machines %d times; recorded %d", seed, h.rejoins, len(run.Lost))
		}
		again := &record.Run{}
		for _, r := range *records {
			again.Add(r)
		}
		seen := map[record.Key]bool{}
		for _, tr := range again.Trials {
			if seen[tr.Key] {
				t.Errorf("seed %d: %+v is there twice", seed, tr.Key)
			}
			seen[tr.Key] = true
		}
		if got, want := len(plan.Valid(again)), len(plan.Valid(whole)); got != want || len(plan.Epochs(again)) != 8 {
			t.Errorf("seed %d: %d valid trials in %d epochs; without losses %d in 8", seed, got, len(plan.Epochs(again)), want)
		}
		last := again.Trials[len(again.Trials)-1].Epoch
		if past := last + 1 - 9; past > len(again.Lost) { // one pilot and 8 that count
			t.Errorf("seed %d: %d epochs were given up for %d losses", seed, past, len(again.Lost))
		}
		discarded, all := plan.Discarded(again)
		if most := len(again.Lost) * 2 * 5; discarded > most || all < len(plan.Valid(again)) {
			t.Errorf("seed %d: %d of %d trials were discarded for %d losses", seed, discarded, all, len(again.Lost))
		}
	}
}

// TestMachinesThatStayAway interrupt a run, which can be resumed.
func TestMachinesThatStayAway(t *testing.T) {
	b, h, _ := fleetOf(t, nil)
	if _, err := b.Run(t.Context(), wholePlan(small("a", "b"))); err != nil {
		t.Fatal(err)
	}
	loads := h.opened
	b, h, _ = fleetOf(t, map[int]record.Lost{loads * 2 / 3: {Machine: "srv1", Server: true, Reason: "no power"}})
	h.away = errors.New("it does not come back")
	run, err := b.Run(t.Context(), wholePlan(small("a", "b")))
	if err != nil || run.End == nil || run.End.Reason != plan.Interrupted {
		t.Fatalf("%v, %+v", err, run.End)
	}
	h.away, h.gone, h.losses = nil, nil, nil
	run, err = b.Resume(t.Context(), run)
	if err != nil || run.End.Reason != string(plan.Decided) || len(plan.Epochs(run)) != 8 {
		t.Fatalf("%v, %+v", err, run.End)
	}
	b, h, _ = fleetOf(t, nil)
	h.losses = map[int]record.Lost{}
	for n := range 10 * loads {
		h.losses[n+1] = record.Lost{Machine: "gen1", Reason: "it is too slow"}
	}
	if _, err := b.Run(t.Context(), wholePlan(small("a", "b"))); err == nil {
		t.Error("a machine that is always lost ends no run")
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
