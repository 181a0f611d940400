package load

import (
	"testing"

	"dyno/internal/hist"
)

func TestMergeClosesTheLedger(t *testing.T) {
	a, b := NewRecorder(), NewRecorder()
	a.Sent(4, 1000)
	a.Done(OK, 200, 1000, 1000, 51_000)
	a.Done(Body, 200, 1000, 1000, 61_000)
	a.Lost(Reset, 2)
	b.Sent(3, 500)
	b.Done(OK, 200, 500, 500, 20_500)
	b.Undial(500, 30_000)
	b.Lost(Timeout, 1)
	b.InFlight = 1
	l, err := Merge([]*Recorder{a, b, NewRecorder()}, 99_000)
	if err != nil {
		t.Fatal(err)
	}
	if l.Started != 8 || l.Succeeded != 2 || l.Failed != 1 || l.Errored() != 4 || l.InFlight != 1 || l.WindowNS != 60_500 {
		t.Errorf("%+v", l)
	}
	if l.Started != l.Succeeded+l.Failed+l.Errored()+l.InFlight {
		t.Error("the ledger does not close")
	}
	h, err := hist.Decode(l.Service)
	if err != nil || h.Count() != 3 || l.ServiceMaxNS != 60_000 {
		t.Errorf("service: %v, %d", err, l.ServiceMaxNS)
	}
	a.Reset()
	if l, _ := Merge([]*Recorder{a}, 5); l.Started != 0 || l.WindowNS != 0 || l.Errors != nil {
		t.Errorf("after reset: %+v", l)
	}
}

func TestConnectionSeedsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(4) {
		j := Job{Seed: seed}
		for i := range 1000 {
			s := j.ConnectionSeed(i)
			if seen[s] {
				t.Fatalf("seed %d, connection %d: seen before", seed, i)
			}
			seen[s] = true
		}
	}
}
