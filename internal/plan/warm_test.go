package plan

import (
	"testing"
	"time"

	"dyno/internal/record"
)

func TestWarmupFollowsFromThePilots(t *testing.T) {
	ns := func(d time.Duration) *int64 { n := int64(d); return &n }
	launch := func(name string, epoch int, class string, steady *int64) record.Launch {
		return record.Launch{Contestant: name, Epoch: epoch, Warmup: class, SteadyNS: steady}
	}
	run := &record.Run{Plan: record.Plan{Contestants: []string{"flat", "slow", "late", "lost", "old", "net", "jit"},
		Servers: record.Servers{Managed: []string{"net", "jit"}}, Pilots: 2}}
	run.Launches = []record.Launch{
		launch("flat", 0, record.Flat, ns(0)), launch("flat", 1, record.Flat, ns(100*time.Millisecond)),
		launch("slow", 0, record.Warmed, ns(time.Second)), launch("slow", 1, record.Warmed, ns(2*time.Second)),
		launch("slow", 2, record.Warmed, ns(7*time.Second)),
		launch("late", 0, record.Warmed, ns(9*time.Second)), launch("late", 1, record.NotSteady, nil),
		launch("lost", 0, record.NotSteady, nil), launch("lost", 1, record.NotSteady, nil),
		launch("old", 0, record.Warmed, nil), launch("old", 1, record.Warmed, nil),
		launch("net", 0, record.Warmed, ns(3*time.Second)), launch("net", 1, record.Warmed, ns(3*time.Second)),
		launch("jit", 0, record.Warmed, ns(20*time.Second)), launch("jit", 1, record.Warmed, ns(3*time.Second)),
	}
	for _, c := range []struct {
		name  string
		epoch int
		want  Warming
	}{
		{"flat", 0, Warming{Least: WarmNative, Most: WarmNativeCap}},
		{"flat", 1, Warming{Least: WarmNative, Most: WarmNativeCap}}, // a second pilot looks again
		{"flat", 2, Warming{WarmNative, WarmNativeCap, true, 0}},
		{"slow", 3, Warming{2500 * time.Millisecond, WarmNativeCap, true, 0}},
		{"late", 2, Warming{WarmNativeCap, WarmNativeCap, true, 0}},
		{"lost", 2, Warming{WarmNative, WarmNative + WarmQuiet, true, 0}},
		{"old", 2, Warming{WarmNative, WarmNativeCap, true, 0}}, // a run of an older version is resumed
		{"net", 0, Warming{Least: WarmManaged, Most: WarmManagedCap, Requests: warmRequests}},
		// as long as the other managed one
		{"net", 2, Warming{25 * time.Second, WarmManagedCap, true, warmRequests}},
		{"jit", 2, Warming{25 * time.Second, WarmManagedCap, true, warmRequests}},
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

// Where warm-ups take longer than estimated the budget holds.
func TestBudgetHoldsWithLongWarmups(t *testing.T) {
	p := player{run: record.Run{Plan: standardPlan("a", "b", "c", "d", "e", "f")}, warms: map[string]int64{"b": 4e9}}
	if p.play(t, never); elapsed(&p.run) > p.run.Plan.BudgetNS {
		t.Errorf("over the budget by %v", time.Duration(elapsed(&p.run)-p.run.Plan.BudgetNS))
	}
}
