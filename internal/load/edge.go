package load

import (
	"math"
	"sync/atomic"

	"dyno/internal/result"
)

// Edge determines the steady part of a window; the workers of the window share it. The rate is that
// of the steady part only: before it connections are still starting, after it they have no more
// requests to send, and neither is a property of the server.
//
// The steady part begins when every connection has as many answers as it has requests in flight; in
// an open loop, with the first answer. It ends when nothing more was to start: at the deadline, or
// with the last of a number of requests. All times are ns on the session's clock.
//
// Note: with the first answer of each connection its pipeline would still hold requests that went
// out together at the start. Each counts by a part of its service time, and those parts are too
// large: a server that answers the connections in turn would get 5 % too many answers in six
// service times.
type Edge struct {
	start, spread int64
	pause         int64 // of a fixed think time; 0: none
	open          bool  // an open loop
	turn          int   // answers of a connection after which none is left of what it sent at the start
	from, until   atomic.Int64
	unheard       atomic.Int64 // connections without an answer yet
	starting      atomic.Int64 // workers that may still start requests of a limited number
}

// NewEdge returns the Edge of a window of job that begins at start, and in which nothing starts
// after deadline. If deadline is math.MaxInt64, a number of requests bounds the window. Each
// goroutine that starts requests then calls Over after its last one.
func NewEdge(w *Window, job *Job, starters int, start, deadline int64) *Edge {
	e := &Edge{start: start, spread: int64(w.Spread), turn: w.Depth(job)}
	if job.PerConnection > 0 {
		e.turn = min(e.turn, job.PerConnection)
	}
	e.from.Store(math.MaxInt64)
	e.until.Store(deadline)
	e.starting.Store(int64(starters))
	if e.open = w.Schedule != nil; !e.open && !w.Think.Random {
		e.pause = int64(w.Think.Mean)
	}
	if e.unheard.Store(int64(job.Connections)); e.open {
		e.unheard.Store(1)
		e.turn = 1
	}
	return e
}

// Heard records that a connection got its n-th answer of the window at now.
func (e *Edge) Heard(n int, now int64) {
	if n == e.turn && e.unheard.Add(-1) == 0 {
		e.from.Store(now)
	}
}

// Over records that one of the goroutines that start requests starts no more.
func (e *Edge) Over(now int64) {
	if e.starting.Add(-1) == 0 {
		e.until.Store(min(now, e.until.Load()))
	}
}

// Cut records that the window was cancelled at now.
func (e *Edge) Cut(now int64) { e.until.Store(min(now, e.until.Load())) }

// count adds a right answer to the rate. One whose request was under way at either end counts by
// the part of its service time that lies inside: where all connections are answered in step, whole
// answers would make a rate of n or n+1 turns. With a think time a turn is the pause before the
// request, too.
func (r *Recorder) count(due, sent, now int64) {
	begun := sent
	if r.Edge.pause > 0 {
		begun = due - r.Edge.pause
	}
	r.Slices.count(now)
	from, until := r.Edge.from.Load(), r.Edge.until.Load()
	if begun >= from && now <= until {
		r.inside++
		return
	}
	if begin, end := max(begun, from), min(now, until); end > begin {
		r.parts += float64(end-begin) / float64(now-begun)
	}
}

// Begin makes r ready for a window of that Edge.
func (r *Recorder) Begin(e *Edge) {
	r.Edge, r.Slices = e, newSlices(e.start, e.until.Load())
}

// Rest records, when the window has ended, that a connection was to pause until due.
func (r *Recorder) Rest(due int64) {
	if r.Edge != nil && r.Edge.pause > 0 {
		r.rests = append(r.rests, due)
	}
}

// rested returns the number of turns spent in pauses that the end of the steady part interrupted.
func (r *Recorder) rested(from, until int64) (turns float64) {
	turn := float64(r.Edge.pause + r.Service.Quantile(0.5))
	for _, due := range r.rests {
		if begin := max(due-r.Edge.pause, from); due >= until && begin < until {
			turns += float64(until-begin) / turn
		}
	}
	return turns
}

// close sets in l the figures of the whole window: its rate, and quantiles of service times.
func (r *Recorder) close(l *result.Load, now int64) {
	r.rate(l, now)
	r.times(l)
}

// times sets in l the quantiles of service times.
func (r *Recorder) times(l *result.Load) {
	l.ServiceP50NS, l.ServiceP99NS, l.ServiceMaxNS = r.Service.Quantile(0.5), r.Service.Quantile(0.99), r.Service.Max()
	l.ServiceMeanNS = int64(math.Round(r.Service.Mean()))
	l.ServiceSDNS = int64(math.Round(r.Service.StdDev()))
}

// steady returns when the steady part began and ended, of a window that ended at now.
func (e *Edge) steady(now int64) (from, until int64) {
	if from, until = e.from.Load(), e.until.Load(); until == math.MaxInt64 { // of a number, not all were started
		until = now
	}
	return from, until
}

// answered returns the right answers of the steady part.
func (r *Recorder) answered(from, until int64) float64 {
	return float64(r.inside) + r.parts + r.rested(from, until)
}

// rate sets in l the responses of the steady part and its length. There is no steady part if a
// connection got no response, or its first one so late that less than half of the time or less than
// one pause is left, or that the server must have stalled: after more than a tenth of the time and
// five turns. Then all right responses count, over the planned time or the window, whichever is
// longer. In an open loop this is an upper bound of the rate, because working off a backlog of the
// beginning is not throughput.
func (r *Recorder) rate(l *result.Load, now int64) {
	e := r.Edge
	if e == nil || l.Started == 0 {
		return
	}
	l.WallNS = now - e.start
	from, until := e.steady(now)
	begin, turn := e.start+e.spread, e.pause+r.Service.Quantile(0.5)
	if from < until && until-from >= max(from-begin, e.pause) && from-begin <= max((until-begin)/10, 5*turn) {
		answers := r.answered(from, until)
		if e.open {
			answers = min(answers, float64(l.Succeeded)*float64(until-from)/float64(until-e.start))
		}
		l.RateAnswers, l.RateNS, l.RateFromNS = math.Round(1000*answers)/1000, until-from, max(from-e.start, 1)
		l.RateSamples, l.RateSDPerSec, l.RateMaxPerSec = r.Slices.rates(from, until)
		return
	}
	l.RateAnswers, l.RateNS = float64(l.Succeeded), max(until-e.start, l.WindowNS)
}
