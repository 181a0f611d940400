package plan

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dyno/internal/result"
)

// settling are the records of a run whose first contestant is slower by log(early) in the first
// rounds of every epoch, pilots among them.
func settling(t *testing.T, seed uint64, early float64, slow int, pilots int) *player {
	t.Helper()
	p := standardPlan("a", "b", "c")
	p.Protocol, p.Profile, p.Ceiling, p.BudgetNS, p.Seed = Paired, Standard, "", int64(6*time.Minute), seed
	if arranged(&p); p.DropRounds != 3 {
		t.Fatalf("%d rounds may be dropped of %d", p.DropRounds, p.Rounds)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	played := &player{run: result.Run{Plan: p}}
	played.rate = func(o Order) float64 {
		log := .05 * rng.NormFloat64()
		if o.Contestant == "a" && o.Round < slow && (pilots > 0 || !o.Pilot) {
			log += early
		}
		return 50_000 * math.Exp(log)
	}
	played.play(t, never)
	return played
}

// The pilots take out of the count the rounds in which one was not at its speed yet, of all
// contestants and epochs alike; what only the counted epochs show takes nothing out.
func TestPilotsDropFirstRounds(t *testing.T) {
	run := &settling(t, 1, -.4, 2, 1).run
	if got := droppedRounds(run); got != 2 {
		t.Errorf("%d rounds are dropped; want 2", got)
	}
	n := map[string]int{}
	for _, x := range Valid(run) {
		if x.Round < 2 {
			t.Fatalf("%+v counts", x.Key)
		}
		n[x.Contestant]++
	}
	if n["a"] != len(Epochs(run))*10 || n["b"] != n["a"] || n["ref"] != n["a"] {
		t.Errorf("they count unlike: %v", n)
	}
	if got := droppedRounds(&settling(t, 1, -.4, 2, 0).run); got != 0 {
		t.Errorf("what the counted epochs showed dropped %d rounds", got)
	}
	run.Plan.DropRounds = 0 // as in older records
	if droppedRounds(run) != 0 || len(Valid(run)) != len(Epochs(run))*12*5 {
		t.Error("a record from before drops rounds")
	}
}

// Where all stand still, one run in twenty drops anything.
func TestNothingIsDroppedForNothing(t *testing.T) {
	dropped := 0
	for seed := range uint64(60) {
		if droppedRounds(&settling(t, 100+seed, 0, 0, 1).run) > 0 {
			dropped++
		}
	}
	if dropped > 8 {
		t.Errorf("%d of 60", dropped)
	}
}

// A discarded epoch is discarded, though all of its rounds would be dropped: one that has nothing but cells
// beside the family has one round.
func TestADiscardedEpochOfOneRoundDoesNotCount(t *testing.T) {
	run := &result.Run{Plan: standardPlan("a", "b")}
	p := &run.Plan
	p.Protocol, p.Ceiling, p.Pilots, p.Rounds, p.Controls = Paired, "", 0, 8, nil
	slow := p.Level
	slow.DelayNS = 1e7
	p.Levels = []result.Level{p.Level, slow}
	p.Family = []result.Comparison{{A: result.Cell{Contestant: "a"}, B: result.Cell{Contestant: "b"}}}
	for i, name := range []string{"a", "b"} {
		run.Trials = append(run.Trials, &result.Trial{Key: result.Key{Epoch: 1, Position: i}, Contestant: name,
			Level:  &slow,
			Causes: result.Causes{WallNS: 1e8, ServerCPUs: 1, GeneratorCPUs: 1, BackgroundServerNS: 5e7}})
	}
	if n := roundsIn(p, 1); n != 1 || !complete(run, run.Trials[0].Key) || !discarded(run, run.Trials[0].Key) {
		t.Fatalf("%d rounds: want one that is complete and discarded", n)
	}
	for dropped := range 3 {
		if epochCounts(run, 1, dropped) {
			t.Errorf("with %d rounds dropped it counts", dropped)
		}
	}
}

// A record whose plan drops more rounds than there are is read.
func TestMoreDroppedThanThereAre(t *testing.T) {
	run := &settling(t, 1, -.4, 2, 1).run
	run.Plan.DropRounds = 40
	if got := droppedRounds(run); got > run.Plan.Rounds-2 {
		t.Errorf("%d rounds", got)
	}
}
