package judge

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dyno/internal/record"
)

func TestStartsOf(t *testing.T) {
	run := &record.Run{Plan: record.Plan{Pilots: 1}}
	for e, ready := range []int64{900, 7, 1, 5, 3, 2, 6, 4} { // 900 is the pilot's
		l := record.Launch{Contestant: "a", Epoch: e, ReadyNS: ready, Warmup: record.Warmed}
		if steady := 10 * ready; e == 3 {
			l.Warmup = record.NotSteady
		} else {
			l.SteadyNS = &steady
		}
		run.Launches = append(run.Launches, l, record.Launch{Contestant: "b", Epoch: e, ReadyNS: 1e9,
			Warmup: record.Flat})
	}
	want := Starts{N: 7, Ready: Estimate{4, 1, 7, 7}, Steady: Estimate{35, 10, 70, 6},
		Classes: map[string]int{record.Warmed: 6, record.NotSteady: 1}}
	if diff := cmp.Diff(want, StartsOf(run, "a")); diff != "" {
		t.Error(diff)
	}
	b := StartsOf(run, "b") // as in an older version's record
	if b.Steady.N != 0 || b.N != 7 || b.Ready.Value != 1e9 {
		t.Errorf("%+v", b)
	}
	run.Contestants = []record.Contestant{{Name: "b", URL: "http://b/"}}
	if b = StartsOf(run, "b"); b.Ready.N != 0 || b.N != 7 {
		t.Errorf("what ran already was started: %+v", b)
	}
	run.Launches = run.Launches[:6]
	if few := StartsOf(run, "a").Ready; !math.IsInf(few.Hi, 1) || few.N != 2 {
		t.Errorf("two starts give %+v", few)
	}
}
