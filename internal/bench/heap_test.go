package bench

import (
	"testing"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// Allocations in a window are reported without the readings' own, for contestants that report them;
// the handlers' work reaches the launches in its epochs.
func TestHeapIsReadAroundTheWindow(t *testing.T) {
	b, h, _, _ := set(t)
	p := small("a", "b", "c")
	p.Heap, p.Ceiling = true, ""
	p.Levels = append(p.Levels, record.Level{Work: record.CPUBound, Connections: 4, Pipeline: 1})
	p.Family = []record.Comparison{{A: record.Cell{Contestant: "a"}, B: record.Cell{Contestant: "b"}}}
	run, err := b.Run(t.Context(), wholePlan(p))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tr := range run.Trials {
		switch u := tr.Server; {
		case tr.Contestant == "b":
			if u.HeapInuseBytes != nil || u.AllocBytes != nil || u.GoroutinesStarted != nil {
				t.Errorf("b, which cannot tell: %+v", u)
			}
		case tr.Contestant == "c":
			if u.HeapInuseBytes != nil || *u.AllocBytes != 64*tr.Load.Succeeded || u.GoroutinesStarted != nil {
				t.Errorf("c, which can tell what it allocates alone: %+v", u)
			}
		case u.HeapInuseBytes == nil || *u.HeapInuseBytes != 5e6 || *u.AllocBytes != 64*tr.Load.Succeeded ||
			*u.GoroutinesStarted != 2*tr.Load.Succeeded:
			t.Errorf("%s: heap %v, allocated %v in %d requests", tr.Contestant, u.HeapInuseBytes, u.AllocBytes,
				tr.Load.Succeeded)
		}
		seen[run.Plan.LevelOf(tr).Work] = true
	}
	for _, l := range run.Launches {
		if why := l.Absent["heap"]; (why == "no figures") != (l.Contestant == "b") {
			t.Errorf("%s cannot tell its heap: %q", l.Contestant, why)
		}
	}
	if len(seen) != 2 {
		t.Errorf("loaded with the work %v", seen)
	}
	for _, l := range h.told {
		if want := plan.First(&run.Plan, l.Epoch).Work; l.Work != want || !l.Stats {
			t.Errorf("epoch %d is launched with the work %q, stats %t; want %q", l.Epoch, l.Work, l.Stats, want)
		}
	}
}

func TestHeapIsNotReadUnasked(t *testing.T) {
	b, h, _, _ := set(t)
	run, err := b.Run(t.Context(), wholePlan(small("a", "c")))
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range run.Trials {
		if tr.Server.HeapInuseBytes != nil {
			t.Fatalf("%s: heap %d", tr.Contestant, *tr.Server.HeapInuseBytes)
		}
	}
	for _, l := range h.told {
		if l.Stats {
			t.Fatal("told to serve its figures")
		}
	}
}
