package load

import (
	"math"
	"slices"
	"sync"

	"dyno/internal/record"
	"dyno/internal/scenario"
)

// Ledger collects the Recorders of an observed Window's workers: interval by interval for
// Observe.Tick, and as a whole. It adds them up on its own goroutine, so that workers never wait.
type Ledger struct {
	observe *Observe
	paced   bool
	each    chan []record.Each // one value per worker; nil if requests are not counted one by one
	spare   chan *Recorder
	parts   chan part
	done    sync.WaitGroup
	total   *Recorder
}

// part is one worker's record of interval k.
type part struct {
	worker int
	k      int64
	rec    *Recorder
	last   bool // the worker's last part
}

const buffers = 3 // recorders per worker: one in use, one handed in, one spare

// NewLedger returns a Ledger that collects results from workers of job. Close ends the collection.
func NewLedger(w *Window, job *Job, workers int) *Ledger {
	l := &Ledger{
		observe: w.Observe, paced: job.Paced(w),
		spare: make(chan *Recorder, buffers*workers), parts: make(chan part, buffers*workers),
	}
	l.total = newDetailed(l.paced)
	l.each = make(chan []record.Each, workers)
	var mix *scenario.Scenario
	if w.Observe.Each {
		mix = job.Scenario
	}
	l.total.Each = newEach(mix)
	for range workers {
		l.each <- newEach(mix)
	}
	for range buffers * workers {
		l.spare <- newDetailed(l.paced)
	}
	l.done.Go(func() { l.gather(workers) })
	return l
}

// Take returns an empty recorder for a worker to begin with.
func (l *Ledger) Take() *Recorder {
	r := <-l.spare
	r.Each = <-l.each
	return r
}

// Every returns an interval's length in ns; 0 if there are none.
func (l *Ledger) Every() int64 {
	if l.observe.Tick == nil {
		return 0
	}
	return int64(l.observe.Every)
}

// Turn takes worker's record of interval k, and returns a Recorder to continue with. It never
// waits: if collecting is behind, it returns rec, whose contents then count in the next interval.
func (l *Ledger) Turn(worker int, k int64, rec *Recorder) *Recorder {
	select {
	case next := <-l.spare:
		next.Pace, rec.Pace = rec.Pace, nil // covers the whole window
		next.Each, rec.Each = rec.Each, nil // likewise
		next.Edge = rec.Edge
		next.Slices, rec.Slices = rec.Slices, nil       // likewise
		l.parts <- part{worker: worker, k: k, rec: rec} // never blocks: there are as many places as recorders
		return next
	default:
		return rec
	}
}

// End hands in a worker's last Recorder, which holds interval k.
func (l *Ledger) End(worker int, k int64, rec *Recorder) {
	l.parts <- part{worker: worker, k: k, rec: rec, last: true}
}

// Close waits until all is collected. Every worker must have called End; the window ended at now.
// It fills Observe.Into except for Texts and First, and returns the Load without a histogram.
func (l *Ledger) Close(now int64) record.Load {
	close(l.parts)
	l.done.Wait()
	if l.observe.Part != nil {
		l.observe.Part.keep(l.total, now)
	}
	load := l.total.load(now)
	l.total.close(&load, now)
	if l.observe.Into != nil {
		*l.observe.Into = l.total.detail()
	}
	return load
}

// gather reports an interval once every worker has handed in that interval or a later one, or has
// ended.
func (l *Ledger) gather(workers int) {
	next := make([]int64, workers) // each worker's current interval
	open := map[int64]*Recorder{}
	told, latest := int64(0), int64(-1)
	for p := range l.parts {
		l.total.merge(p.rec)
		if l.Every() > 0 {
			if open[p.k] == nil {
				open[p.k] = newDetailed(l.paced)
			}
			open[p.k].merge(p.rec)
		}
		p.rec.Reset()
		l.spare <- p.rec
		latest = max(latest, p.k)
		next[p.worker] = p.k + 1
		if p.last {
			next[p.worker] = math.MaxInt64
		}
		for ; l.Every() > 0 && told < slices.Min(next) && told <= latest; told++ {
			l.tell(told, open[told])
			delete(open, told)
		}
	}
}

// tell reports interval k to Observe.Tick. rec is nil if no worker recorded anything in it.
func (l *Ledger) tell(k int64, rec *Recorder) {
	if rec == nil { // the collection was behind
		rec = newDetailed(l.paced)
	}
	load := rec.load(rec.FirstSent)
	load.Pace = nil
	l.observe.Tick(record.Interval{StartNS: k * l.Every(), LengthNS: l.Every(), Load: load, Detail: rec.detail()})
}
