package load

import (
	"math"
	"sync/atomic"

	"dyno/internal/record"
)

// Edge is the time span for a window's rate: from the window's start, or from when its last
// connection should begin (Window.Spread), until nothing more should start: the deadline, or the
// last of a number of requests. The wait for the last answers is excluded. The window's workers
// share it. All times are ns on the session's clock.
type Edge struct {
	start, from int64
	open        bool // an open loop
	// number of answers after which a connection has the answers to all requests that it sent at
	// its start
	turn     int
	until    atomic.Int64
	unheard  atomic.Int64 // connections with fewer answers than turn
	starting atomic.Int64 // workers that may still start requests from a limited number

	firsts []first // in a closed loop: the right ones among each connection's first answers
	heard  atomic.Int64
}

// first is an answer to a request that its connection sent as it began.
type first struct{ sent, now int64 }

// Turn returns how many answers each connection in a closed loop needs for a steady rate.
func Turn(w *Window, job *Job) int {
	if n := w.Depth(job); job.PerConnection == 0 || n < job.PerConnection {
		return n
	}
	return job.PerConnection
}

// NewEdge returns the Edge for a window of job that begins at start, and in which nothing starts
// after deadline. If deadline is math.MaxInt64, a number of requests bounds the window. Each
// goroutine that starts requests then calls Over after its last one.
func NewEdge(w *Window, job *Job, starters int, start, deadline int64) *Edge {
	e := &Edge{start: start, from: start, turn: Turn(w, job), open: w.Schedule != nil}
	e.until.Store(deadline)
	e.starting.Store(int64(starters))
	if e.open {
		e.turn = 1
		e.unheard.Store(1)
		return e
	}
	e.from += int64(w.Spread)
	e.unheard.Store(int64(job.Connections))
	e.firsts = make([]first, job.Connections*e.turn)
	return e
}

// Heard records that a connection got its n-th answer in the window at now, of kind k.
func (e *Edge) Heard(n int, k Kind, sent, now int64) {
	if n > e.turn {
		return
	}
	if n == e.turn {
		e.unheard.Add(-1)
	}
	if k == OK && len(e.firsts) > 0 {
		if i := e.heard.Add(1) - 1; i < int64(len(e.firsts)) {
			e.firsts[i] = first{sent, now}
		}
	}
}

// Over records that a goroutine that starts requests has started its last one.
func (e *Edge) Over(now int64) {
	if e.starting.Add(-1) == 0 {
		e.until.Store(min(now, e.until.Load()))
	}
}

// Cut records that the window was cancelled at now.
func (e *Edge) Cut(now int64) { e.until.Store(min(now, e.until.Load())) }

// count subtracts the parts of a right answer that the rate must not count: the part of its service
// time outside the span. If all connections are answered in step, whole answers would give a rate
// for n or n+1 turns.
func (r *Recorder) count(sent, now int64) {
	r.Slices.count(now)
	from, until := r.Edge.from, r.Edge.until.Load()
	if sent >= from && now <= until {
		return
	}
	whole := float64(max(now-sent, 1))
	if now > until {
		r.AfterSpan++
		r.after += min(float64(now-until)/whole, 1)
	}
	if now <= from {
		r.before++
	} else if sent < from {
		r.before += float64(from-sent) / whole
	}
}

// Begin prepares r for a window with that Edge.
func (r *Recorder) Begin(e *Edge) {
	r.Edge, r.Slices = e, newSlices(e.start, e.until.Load())
}

// usualTimes limits a service time, in medians, when the usual service time is computed: a single
// slow request among a connection's first ones must not change the usual time.
const usualTimes = 4

// surplus returns the number by which the first requests count too much. A server that answers one
// request after another has answered all of them within one service time, on average after half of
// it: each counts by its time in the span over the usual service time, on average at most one.
// Otherwise the rate would count half a request too much for each request in flight, because the
// requests under way at the span's end count too.
//
// A cancelled window has no surplus: requests under way at its end do not count.
func (r *Recorder) surplus(until int64) float64 {
	e := r.Edge
	if r.InFlight > 0 {
		return 0
	}
	limit := usualTimes * r.Service.Quantile(0.5)
	all, usual, counted, own := r.Service.Count(), r.Service.Capped(limit), 0., 0.
	for _, f := range e.firsts[:min(e.heard.Load(), int64(len(e.firsts)))] {
		all--
		usual -= float64(min(f.now-f.sent, limit))
		if in := f.now - e.from; in > 0 && f.now <= until {
			counted += min(float64(in)/float64(max(f.now-f.sent, 1)), 1)
			own += float64(min(in, limit))
		}
	}
	if all <= 0 || usual <= 0 {
		return 0
	}
	if own /= usual / float64(all); own > 0.99*counted { // as far as the histogram tells
		return 0
	}
	return counted - own
}

// flowed returns how much the right answers after the end of an open loop's span count. If the
// server kept up, all do: their requests were sent within the span, and if the load had begun
// earlier the server would have answered as many earlier requests within it. If the server fell
// behind all the time, none do: it worked off a backlog. Then the second half of the window has
// three times as many waiting requests as the first; the halves count as even if the first has two
// thirds of the second's. If the halves are unknown, each answer counts by the part of its service
// time in the span.
func (r *Recorder) flowed() float64 {
	if r.Pace == nil || r.Pace.Sum.HalfNS == 0 {
		return float64(r.AfterSpan) - r.after
	}
	even := float64(r.Pace.Sum.EarlyNS) / float64(max(r.Pace.Sum.LateNS, 1))
	return float64(r.AfterSpan) * min(max(3*even-1, 0), 1)
}

// close sets l's figures over the whole window: the rate, and quantiles of service times.
func (r *Recorder) close(l *record.Load, now int64) {
	r.rate(l, now)
	r.times(l)
}

// times sets l's service times: quantiles, maximum, mean and deviation.
func (r *Recorder) times(l *record.Load) {
	l.ServiceP50NS, l.ServiceP99NS, l.ServiceMaxNS = r.Service.Quantile(0.5), r.Service.Quantile(0.99), r.Service.Max()
	l.ServiceMeanNS = int64(math.Round(r.Service.Mean()))
	l.ServiceSDNS = int64(math.Round(r.Service.StdDev()))
}

// span returns when the rate's span began and ended, for a window that ended at now. The rate is
// not steady if the span is shorter than record.FewestTimes median service times, or if a connection
// was not answered: then the span begins with the window, when not all connections
// may have begun.
func (r *Recorder) span(now int64) (from, until int64, steady bool) {
	e, median := r.Edge, r.Service.Quantile(0.5)
	if until = e.until.Load(); until == math.MaxInt64 { // not all requests were started
		until = now
	}
	if e.unheard.Load() > 0 || until-e.from < max(record.FewestTimes*median, 1) {
		return e.start, until, false
	}
	return e.from, until, true
}

// answered returns the right answers in the span.
func (r *Recorder) answered(from, until int64) float64 {
	right := float64(r.Counts[OK])
	switch {
	case r.Edge.open:
		return right - float64(r.AfterSpan) + r.flowed()
	case from < r.Edge.from:
		return right - r.after
	}
	return max(right-r.before-r.after-r.surplus(until), 0)
}

// rate sets in l the span's right answers and length, and its beginning if the rate is steady.
func (r *Recorder) rate(l *record.Load, now int64) {
	e := r.Edge
	if e == nil || l.Started == 0 {
		return
	}
	l.WallNS = now - e.start
	from, until, steady := r.span(now)
	l.SilentNS = r.Slices.silence(until)
	l.RateAnswers, l.RateNS = math.Round(1000*r.answered(from, until))/1000, max(until-from, 1)
	if steady {
		l.RateFromNS = max(from-e.start, 1)
		l.RateSamples, l.RateSDPerSec, l.RateMaxPerSec = r.Slices.rates(from+1, until)
	}
}
