package load

import (
	"testing"

	"dyno/internal/record"
)

func TestMergeClosesTheLedger(t *testing.T) {
	a, b := NewRecorder(), NewRecorder()
	a.Sent(4, 1000)
	a.Done(OK, 200, 1000, 1000, 51_000)
	a.Done(Body, 200, 1000, 1000, 61_000)
	a.Broken(Reset, 1000, 1000, 51_000)
	a.Broken(Reset, 1000, 1000, 51_000)
	b.Sent(3, 500)
	b.Done(OK, 200, 500, 500, 20_500)
	b.Undial(Dial, 500, 30_000)
	b.Broken(Timeout, 500, 500, 30_000)
	b.InFlight = 1
	l, err := Merge([]*Recorder{a, b, NewRecorder()}, 99_000)
	if err != nil {
		t.Fatal(err)
	}
	if l.Started != 8 || l.Succeeded != 2 || l.Failed != 1 || l.Errored() != 4 || l.InFlight != 1 ||
		l.WindowNS != 60_500 {
		t.Errorf("%+v", l)
	}
	if l.Started != l.Succeeded+l.Failed+l.Errored()+l.InFlight {
		t.Error("the ledger does not close")
	}
	h, err := record.Decode(l.Service)
	if err != nil || h.Count() != 2 || l.ServiceMaxNS != 50_000 {
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

func TestNothingOfTheHotPathAllocates(t *testing.T) {
	for _, r := range []*Recorder{NewRecorder(), newDetailed(false), newDetailed(true)} {
		r.Edge = NewEdge(&Window{}, &Job{Connections: 1}, 1, 0, 9000)
		r.Edge.Heard(1, OK, 0, 1500)
		r.Broken(Timeout, 0, 0, 1) // the first that is censored makes room
		if n := testing.AllocsPerRun(100, func() {
			r.Sent(2, 1000)
			r.Late(500, 1000)
			r.Done(OK, 200, 500, 1000, 3000)
			r.Done(Status, 503, 500, 1000, 3000)
			r.Broken(Closed, 500, 1000, 3000)
			r.Broken(Timeout, 500, 1000, 3000)
			r.Flying(500, 1000, 3000)
			r.Never(500, 3000)
			r.Undial(Dial, 500, 3000)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
		if right := float64(r.Counts[OK]); r.after+r.before >= right {
			t.Error("nothing counts to the rate")
		}
		if n := testing.AllocsPerRun(10, r.Reset); n != 0 {
			t.Errorf("%v allocations to reset", n)
		}
	}
}

// TestCensoredAreLowerBounds: they count with the time reached, and are not answers.
func TestCensoredAreLowerBounds(t *testing.T) {
	r := newDetailed(true)
	r.Sent(6, 1000)
	r.Done(OK, 200, 0, 1000, 11_000)
	r.Broken(Timeout, 0, 1000, 60_000)
	r.Broken(Timeout, 2000, 3000, 60_000)
	r.Flying(50_000, 52_000, 60_000)
	r.Never(40_000, 60_000)
	r.Done(Body, 200, 0, 1000, 9_000)
	r.Broken(Reset, 0, 1000, 3_000)
	r.Undial(Dial, 30_000, 50_000)
	r.NotDue(7)
	l, d := r.load(70_000), r.detail()
	if l.Started != 7 || l.Succeeded != 1 || l.Errors["timeout"] != 2 || l.InFlight != 1 || l.NeverStarted != 1 ||
		l.WindowNS != 10_000 {
		t.Errorf("%+v", l)
	}
	if d.Censored != 14 || d.CensoredFromNS != 1 || d.Response.Count() != 15 || d.Response.Max() != 60_000 ||
		d.Response.Quantile(0.4) > 1000 {
		t.Errorf("%d from %d: responses %d up to %d", d.Censored, d.CensoredFromNS, d.Response.Count(),
			d.Response.Max())
	}
	if d.Unanswered != 4 || d.UnansweredFromNS != 2000 || d.Service.Count() != 5 || d.Service.Max() != 59_000 ||
		d.Wrong.Count() != 1 || d.Wrong.Max() != 8000 {
		t.Errorf("%d from %d: services %d up to %d, wrong %d up to %d", d.Unanswered, d.UnansweredFromNS,
			d.Service.Count(), d.Service.Max(), d.Wrong.Count(), d.Wrong.Max())
	}
	if p50, p5 := d.ResponseAtMost(.5), d.ResponseAtMost(.05); p50 != 0 || p5 < 59_000 {
		t.Errorf("at most %d, %d", p50, p5)
	}
	r.Reset()
	if d := r.detail(); d.Censored+d.Unanswered != 0 || d.Wrong != nil || d.CensoredFromNS != 0 ||
		d.Service.Count() != 0 || d.Response.Count() != 0 || len(d.Status) != 0 {
		t.Errorf("after reset: %+v", d)
	}
}

// TestMergeTakesTheExtremes: which values are summed and which are not, in any order.
func TestMergeTakesTheExtremes(t *testing.T) {
	a, b := newDetailed(true), newDetailed(true)
	a.Sent(1, 900)
	a.Done(OK, 200, 100, 900, 5000)
	a.StarvedNS, a.BacklogPeak = 10, 7
	b.Sent(1, 400)
	b.Done(Status, 404, 400, 400, 2000)
	b.StarvedNS, b.BacklogPeak = 20, 3
	b.Broken(Timeout, 1, 2, 30)
	for _, order := range [][]*Recorder{{a, b}, {b, a}} {
		all := newDetailed(true)
		for _, r := range order {
			all.merge(r)
		}
		l, d := all.load(9000), all.detail()
		if l.WindowNS != 4600 || l.StarvedNS != 30 || l.BacklogPeak != 7 || d.CensoredFromNS != 29 ||
			d.Status[200] != 1 || d.Status[404] != 1 {
			t.Errorf("%+v, %+v", l, d)
		}
	}
}
