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
	got := StartsOf(run, "a", nil)
	got.Each = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b := StartsOf(run, "b", nil) // as in an older version's record
	if b.Steady.N != 0 || b.N != 7 || b.Ready.Value != 1e9 {
		t.Errorf("%+v", b)
	}
	run.Contestants = []record.Contestant{{Name: "b", URL: "http://b/"}}
	if b = StartsOf(run, "b", nil); b.Ready.N != 0 || b.N != 7 {
		t.Errorf("what ran already was started: %+v", b)
	}
	run.Launches = run.Launches[:6]
	if few := StartsOf(run, "a", nil).Ready; !math.IsInf(few.Hi, 1) || few.N != 2 {
		t.Errorf("two starts give %+v", few)
	}
}

// Starts of two kinds are distinguished, whatever the machine does; open loops say nothing about
// them.
func TestReached(t *testing.T) {
	var closed, open []*record.Trial
	run := &record.Run{}
	for e := range 10 {
		run.Launches = append(run.Launches, record.Launch{Contestant: "a", Epoch: e, ReadyNS: int64(e + 1)})
		for r := range 3 {
			machine := float64(1000 * (1 + e%4 + r)) // its speed varies fourfold
			for i, name := range []string{"a", "b", "c", "ref"} {
				rate := machine * float64(i+1)
				if name == "a" && e%3 == 0 {
					rate *= .9
				}
				tr := record.Trial{Key: record.Key{Epoch: e, Round: r}, Contestant: name,
					Load: record.Load{WindowNS: 1e9, RateNS: 1e9, RateAnswers: rate, Succeeded: int64(rate)}}
				shut := tr
				closed = append(closed, &shut)
				tr.Level, tr.Load.RateAnswers = &record.Level{RatePerSec: 5}, 5
				open = append(open, &tr)
			}
		}
	}
	got := Reached(map[int][]*record.Trial{0: closed, 1: open})
	for e := range 10 {
		want := 1.
		if e%3 == 0 {
			want = .9
		}
		if x := got["a"][e]; math.Abs(x-want) > 1e-9 {
			t.Errorf("a reached %.3f in epoch %d; want %.3f", x, e, want)
		}
		if x := got["b"][e]; math.Abs(x-1) > 1e-9 {
			t.Errorf("b reached %.3f in epoch %d", x, e)
		}
	}
	run.Plan.Pilots = 1
	each := StartsOf(run, "a", got["a"]).Each
	if len(each) != 9 || each[2].Epoch != 3 || each[2].ReadyNS != 4 || math.Abs(each[2].Level-.9) > 1e-9 {
		t.Errorf("%+v", each)
	}
	run.Contestants = []record.Contestant{{Name: "a", URL: "http://a/"}}
	if each = StartsOf(run, "a", nil).Each; each[0].ReadyNS != 0 || each[0].Level != 0 {
		t.Errorf("of what ran already: %+v", each[0])
	}
}
