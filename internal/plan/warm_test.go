package plan

import (
	"testing"
	"time"

	"dyno/internal/result"
)

func TestWarmupFollowsFromThePilots(t *testing.T) {
	ns := func(d time.Duration) *int64 { n := int64(d); return &n }
	launch := func(name string, epoch int, class string, steady *int64) result.Launch {
		return result.Launch{Contestant: name, Epoch: epoch, Warmup: class, SteadyNS: steady}
	}
	run := &result.Run{Plan: result.Plan{Contestants: []string{"flat", "slow", "late", "lost", "old", "net", "jit"},
		Managed: []string{"net", "jit"}, Pilots: 2}}
	run.Launches = []result.Launch{
		launch("flat", 0, result.Flat, ns(0)), launch("flat", 1, result.Flat, ns(100*time.Millisecond)),
		launch("slow", 0, result.Warmed, ns(time.Second)), launch("slow", 1, result.Warmed, ns(2*time.Second)),
		launch("slow", 2, result.Warmed, ns(7*time.Second)),
		launch("late", 0, result.Warmed, ns(9*time.Second)), launch("late", 1, result.NotSteady, nil),
		launch("lost", 0, result.NotSteady, nil), launch("lost", 1, result.NotSteady, nil),
		launch("old", 0, result.Warmed, nil), launch("old", 1, result.Warmed, nil),
		launch("net", 0, result.Warmed, ns(3*time.Second)), launch("net", 1, result.Warmed, ns(3*time.Second)),
		launch("jit", 0, result.Warmed, ns(20*time.Second)), launch("jit", 1, result.Warmed, ns(3*time.Second)),
	}
	for _, c := range []struct {
		name  string
		epoch int
		want  Warming
	}{
		{"flat", 0, Warming{Least: WarmNative, Most: WarmNativeCap}},
		{"flat", 1, Warming{Least: WarmNative, Most: WarmNativeCap}}, // a second pilot looks again
		{"flat", 2, Warming{WarmNative, WarmNativeCap, 100 * time.Millisecond, true, 0}},
		{"slow", 3, Warming{2500 * time.Millisecond, WarmNativeCap, 2 * time.Second, true, 0}},
		{"late", 2, Warming{WarmNativeCap, WarmNativeCap, 9 * time.Second, true, 0}},
		{"lost", 2, Warming{WarmNative, WarmNative + WarmQuiet, 0, true, 0}},
		{"old", 2, Warming{WarmNative, WarmNativeCap, 0, true, 0}}, // a run of an older version is resumed
		{"net", 0, Warming{Least: WarmManaged, Most: WarmManagedCap, Requests: warmRequests}},
		// as long as the other managed one
		{"net", 2, Warming{25 * time.Second, WarmManagedCap, 20 * time.Second, true, warmRequests}},
		{"jit", 2, Warming{25 * time.Second, WarmManagedCap, 20 * time.Second, true, warmRequests}},
	} {
		if got := Warmup(run, c.name, c.epoch); got != c.want {
			t.Errorf("%s in epoch %d: %+v; want %+v", c.name, c.epoch, got, c.want)
		}
	}
	run.Plan.Pilots = 0
	if Warmup(run, "flat", 3).Calibrated {
		t.Error("calibrated without a pilot")
	}
}

// A long warm-up in the pilot is no slow machine: interim analyses are dropped for what the later warm-ups
// take, and the budget holds.
func TestAnalysesReckonWithTheWarmupThatThePilotFound(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	usual, long := player{run: result.Run{Plan: standardPlan(names...)}},
		player{run: result.Run{Plan: standardPlan(names...)}, warms: map[string]int64{"b": 4e9}}
	usual.play(t, never)
	long.play(t, never)
	a, b := turnAtPace(&usual.run), turnAtPace(&long.run)
	if more := time.Duration(b - a); more < 4*time.Second || more > 5*time.Second {
		t.Errorf("an epoch takes %v more; want 1.25 × 4 s less 0.5 s", more)
	}
	if over := elapsed(&long.run) - long.run.Plan.BudgetNS; over > 0 {
		t.Errorf("over the budget by %v", time.Duration(over))
	}
	if p := pace(&long.run); p < .95 || p > 1.05 {
		t.Errorf("the pace of a machine as fast as estimated is %.2f", p)
	}
}
