package load

import (
	"runtime"
	"testing"
	"time"

	"dyno/internal/record"
)

// told is an interval as it was at its Tick: its pointers are not valid longer.
type told struct {
	start, length                       int64
	started, succeeded, errored, answer int64
	censored                            int64
}

// gatherer is an observed window whose ticks are kept.
type gatherer struct {
	*Ledger
	detail record.Detail
	ticks  []told
	hold   func(k int) // is called in each Tick
}

func newGatherer(workers int, w Window) *gatherer {
	g := &gatherer{hold: func(int) {}}
	w.Observe = &Observe{Into: &g.detail, Every: time.Second, Tick: func(i record.Interval) {
		g.hold(len(g.ticks))
		g.ticks = append(g.ticks, told{i.StartNS, i.LengthNS, i.Load.Started, i.Load.Succeeded, i.Load.Errored(),
			i.Detail.Service.Count(), i.Detail.Censored})
	}}
	g.Ledger = NewLedger(&w, &Job{}, workers)
	return g
}

// turn calls Turn once there is a free recorder: collecting has its own pace.
func (g *gatherer) turn(worker int, k int64, rec *Recorder) *Recorder {
	for {
		if next := g.Turn(worker, k, rec); next != rec {
			return next
		}
		runtime.Gosched()
	}
}

// answers lets n requests go out and be answered.
func answers(r *Recorder, n int) *Recorder {
	for range n {
		r.Sent(1, 1000)
		r.Late(500, 1000)
		r.FirstByte.Record(1500)
		r.Done(OK, 200, 500, 1000, 3000)
	}
	return r
}

// check compares how many requests succeeded in each interval, and that no count was lost.
func (g *gatherer) check(t *testing.T, l record.Load, want ...int64) {
	t.Helper()
	var sum int64
	for k, i := range g.ticks {
		if i.start != int64(k)*1e9 || i.length != 1e9 {
			t.Errorf("tick %d is of %d to %d", k, i.start, i.length)
		}
		if k < len(want) && i.succeeded != want[k] || i.succeeded != i.answer {
			t.Errorf("interval %d: %+v", k, i)
		}
		sum += i.succeeded
	}
	if len(g.ticks) != len(want) || sum != l.Succeeded || g.detail.Service.Count() != sum ||
		g.detail.FirstByte.Count() != sum || g.detail.Status[200] != sum {
		t.Errorf("%d ticks, %d in them; %+v, %v", len(g.ticks), sum, l, g.detail.Status)
	}
}

// TestLedgerWaitsForAll: an interval is reported once every worker has handed it in, in order,
// whatever their sequence.
func TestLedgerWaitsForAll(t *testing.T) {
	g := newGatherer(3, Window{})
	a, b, c := g.Take(), g.Take(), g.Take()
	a = g.turn(0, 0, answers(a, 1))
	a = g.turn(0, 1, answers(a, 2))
	b = g.turn(1, 0, answers(b, 10))
	a = g.turn(0, 2, answers(a, 3))
	c = g.turn(2, 0, answers(c, 100))
	b = g.turn(1, 1, answers(b, 20))
	c = g.turn(2, 1, c)
	g.End(2, 2, answers(c, 300))
	g.End(0, 3, a)
	b = g.turn(1, 2, answers(b, 30))
	g.End(1, 3, answers(b, 40))
	g.check(t, g.Close(9e9), 111, 22, 333, 40)
}

// TestLedgerWithAWorkerThatEndsEarly: the ledger no longer waits for it.
func TestLedgerWithAWorkerThatEndsEarly(t *testing.T) {
	g := newGatherer(2, Window{})
	a, b := g.Take(), g.Take()
	g.End(0, 0, answers(a, 5))
	for k := range int64(4) {
		b = g.turn(1, k, answers(b, int(k)))
	}
	g.End(1, 4, answers(b, 9))
	g.check(t, g.Close(9e9), 5, 1, 2, 3, 9)
}

// TestLedgerWithAWorkerThatSkips: a delayed worker hands in a later interval; the ones between are
// empty.
func TestLedgerWithAWorkerThatSkips(t *testing.T) {
	g := newGatherer(2, Window{})
	a, b := g.Take(), g.Take()
	a = g.turn(0, 0, answers(a, 1))
	a = g.turn(0, 3, answers(a, 2))
	b = g.turn(1, 0, answers(b, 10))
	b = g.turn(1, 1, answers(b, 20))
	g.End(1, 2, b)
	g.End(0, 4, answers(a, 4))
	g.check(t, g.Close(9e9), 11, 20, 0, 2, 4)
}

// TestLedgerBehind: during a long Tick the workers continue, with their current recorder if there
// is no other; nothing is lost.
func TestLedgerBehind(t *testing.T) {
	g := newGatherer(1, Window{})
	entered, release := make(chan bool), make(chan bool)
	g.hold = func(k int) {
		if k == 0 {
			entered <- true
			<-release
		}
	}
	r := g.turn(0, 0, answers(g.Take(), 1))
	<-entered
	var kept int
	for k := int64(1); k < 6; k++ {
		next := g.Turn(0, k, answers(r, 1))
		if next == r {
			kept++
		} else if next.Started != 0 {
			t.Errorf("interval %d begins with %d requests", k+1, next.Started)
		}
		r = next
	}
	if kept != 6-buffers {
		t.Errorf("%d of 5 turns found no other recorder; there are %d", kept, buffers)
	}
	close(release)
	g.End(0, 6, answers(r, 1))
	g.check(t, g.Close(9e9), 1, 1, 1, 0, 0, 0, 4)
}

// TestLedgerWithoutTick: only the whole is kept.
func TestLedgerWithoutTick(t *testing.T) {
	var d record.Detail
	l := NewLedger(&Window{Observe: &Observe{Into: &d, Every: time.Second}}, &Job{PerConnection: 1}, 2)
	if l.Every() != 0 {
		t.Errorf("intervals of %d that nobody wants", l.Every())
	}
	a, b := l.Take(), l.Take()
	b.Broken(Timeout, 400, 1000, 9000)
	b.Sent(1, 1000)
	l.End(1, 0, b)
	l.End(0, 0, answers(a, 7))
	got := l.Close(20_000)
	if got.Started != 8 || got.Succeeded != 7 || got.Errors["timeout"] != 1 || got.WindowNS != 2000 ||
		got.ServiceMaxNS != 2000 || got.Service != "" {
		t.Errorf("%+v", got)
	}
	if d.Service.Count() != 8 || d.Response.Count() != 8 || d.Response.Max() != 8600 || d.Lag.Count() != 7 ||
		d.Censored != 1 || d.CensoredFromNS != 8600 {
		t.Errorf("%+v", d)
	}
}

// TestLedgerOfNothing: a window may pass without a request.
func TestLedgerOfNothing(t *testing.T) {
	g := newGatherer(2, Window{})
	a, b := g.Take(), g.Take()
	g.End(0, 0, a)
	g.End(1, 2, b)
	l := g.Close(9e9)
	g.check(t, l, 0, 0, 0)
	if l.Started != 0 || l.WindowNS != 0 || g.detail.Response != nil || g.detail.Censored != 0 ||
		g.detail.CensoredFromNS != 0 {
		t.Errorf("%+v, %+v", l, g.detail)
	}
}

// TestLedgerCountsWhatIsCensored: in the interval in which it was given up, and once.
func TestLedgerCountsWhatIsCensored(t *testing.T) {
	g := newGatherer(1, Window{Schedule: &Schedule{}})
	r := answers(g.Take(), 2)
	r.Sent(2, 1000)
	r.Broken(Timeout, 0, 1000, 6000)
	r.Flying(2000, 3000, 6000)
	r = g.turn(0, 0, r)
	r.Never(1000, 5000)
	r.Undial(Dial, 4000, 6000)
	g.End(0, 1, r)
	l := g.Close(9e9)
	if len(g.ticks) != 2 || g.ticks[0].censored != 2 || g.ticks[1].censored != 2 || g.detail.Censored != 4 ||
		g.detail.CensoredFromNS != 2000 {
		t.Errorf("%+v: %d censored from %d", g.ticks, g.detail.Censored, g.detail.CensoredFromNS)
	}
	// The request that was never sent has no service time, nor has the one without a connection.
	if g.detail.Service.Count() != 4 || g.detail.Response.Count() != 6 || l.Started != 5 || l.NeverStarted != 1 ||
		l.InFlight != 1 || l.Errors["dial"] != 1 {
		t.Errorf("%+v, %d services, %d responses", l, g.detail.Service.Count(), g.detail.Response.Count())
	}
}

// TestLedgerKeepsSlices: all workers' slices count, over the whole window.
func TestLedgerKeepsSlices(t *testing.T) {
	g := newGatherer(2, Window{})
	e := NewEdge(&Window{For: 100 * time.Millisecond}, &Job{Connections: 1}, 1, 0, 1e8)
	for worker := range 2 {
		rec := g.Take()
		rec.Begin(e)
		rec.Done(OK, 200, 0, 0, 1e6)
		rec = g.turn(worker, 0, rec)
		rec.Done(OK, 200, 0, 0, int64(30e6*(worker+1)))
		g.End(worker, 1, rec)
	}
	g.Close(1e8)
	if n := g.total.Slices.Counts; n[0] != 2 || n[1] != 1 || n[3] != 1 {
		t.Errorf("slices %v", n)
	}
}
