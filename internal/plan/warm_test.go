package plan

import (
	"testing"
	"time"

	"dyno/internal/record"
)

func TestWarmupFollowsFromThePilots(t *testing.T) {
	ns := func(d time.Duration) *int64 { n := int64(d); return &n }
	launch := func(name string, epoch int, class string, steady *int64) record.Launch {
		l := record.Launch{Contestant: name, Epoch: epoch, Warmup: class, SteadyNS: steady}
		if name == "net" || name == "jit" && epoch > 0 {
			l.CompiledNS = ns(time.Second)
		}
		return l
	}
	run := &record.Run{Plan: record.Plan{Contestants: []string{"flat", "slow", "late", "lost", "old", "net",
		"jit"}, Pilots: 2}}
	run.Launches = []record.Launch{
		launch("flat", 0, record.Flat, ns(0)), launch("flat", 1, record.Flat, ns(100*time.Millisecond)),
		launch("slow", 0, record.Warmed, ns(time.Second)), launch("slow", 1, record.Warmed, ns(2*time.Second)),
		launch("slow", 2, record.Warmed, ns(7*time.Second)),
		launch("late", 0, record.Warmed, ns(9*time.Second)), launch("late", 1, record.NotSteady, nil),
		launch("lost", 0, record.NotSteady, nil), launch("lost", 1, record.NotSteady, nil),
		launch("old", 0, record.Warmed, nil), launch("old", 1, record.Warmed, nil),
		launch("net", 0, record.Warmed, ns(3*time.Second)), launch("net", 1, record.Warmed, ns(3*time.Second)),
		launch("jit", 0, record.Warmed, ns(2*time.Second)), launch("jit", 1, record.Warmed, ns(20*time.Second)),
	}
	first := Warming{WarmLeast, WarmMost, WarmCompiling, WarmQuiet, warmRequests, fewRequests, false, false}
	later := Warming{WarmLeast, WarmMost, WarmCompiling, WarmQuiet, fewRequests, 0, true, false}
	for _, c := range []struct {
		name  string
		epoch int
		want  func(w *Warming)
	}{
		{"flat", 0, nil},
		{"flat", 1, nil}, // a second pilot looks again
		{"flat", 2, nil},
		{"slow", 3, func(w *Warming) { w.Least = 2500 * time.Millisecond }},
		{"late", 2, func(w *Warming) { w.Least = WarmMost }},
		{"lost", 2, func(w *Warming) { w.Most, w.Compiling = WarmLeast+WarmQuiet, WarmLeast+WarmQuiet }},
		{"old", 2, nil}, // a run of an older version is resumed
		{"net", 0, nil},
		{"net", 1, func(w *Warming) { w.Compiles = true }},
		{"jit", 1, nil}, // it was not seen to compile yet
		// as long as the other one that compiles
		{"net", 2, func(w *Warming) { w.Compiles, w.Least = true, 25*time.Second }},
		{"jit", 2, func(w *Warming) { w.Compiles, w.Least = true, 25*time.Second }},
	} {
		want := first
		if c.epoch >= run.Plan.Pilots {
			want = later
		}
		if c.want != nil {
			c.want(&want)
		}
		if got := Warmup(run, c.name, c.epoch); got != want {
			t.Errorf("%s in epoch %d: %+v; want %+v", c.name, c.epoch, got, want)
		}
	}
	run.Plan.Pilots = 0
	if Warmup(run, "slow", 0).Calibrated || Warmup(run, "slow", 1).Least != 1250*time.Millisecond {
		t.Error("without a pilot the first epoch finds the warm-up time")
	}
}

// Where warm-ups take longer than estimated the budget holds.
func TestBudgetHoldsWithLongWarmups(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b", "c", "d", "e", "f")}, warms: map[string]int64{"b": 4e9}}
	if p.play(t, never); elapsed(&p.run) > p.run.Plan.BudgetNS {
		t.Errorf("over the budget by %v", time.Duration(elapsed(&p.run)-p.run.Plan.BudgetNS))
	}
}
