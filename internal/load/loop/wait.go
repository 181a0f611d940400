package loop

import (
	"time"

	"dyno/internal/load"
)

// ring holds connections that could carry a request but have none due, longest waiting first. A
// connection is in it at most once.
type ring struct {
	ids []int32
	at  int
	n   int
}

func (r *ring) push(id int32) {
	i := r.at + r.n
	if i >= len(r.ids) {
		i -= len(r.ids)
	}
	r.ids[i] = id
	r.n++
}

func (r *ring) pop() int32 {
	id := r.ids[r.at]
	if r.at++; r.at == len(r.ids) {
		r.at = 0
	}
	r.n--
	return id
}

// park sets c, which could carry a request, aside until one is due.
func (w *worker) park(c *conn) {
	if w.scheduled && !c.parked && w.open {
		c.parked = true
		if w.free.push(c.id); w.free.n == 1 {
			w.win.free.Add(1)
		}
	}
}

// launch starts requests that are due by now on free connections. It also runs between the events
// of one batch, so that a long batch does not delay due requests.
func (w *worker) launch(now int64) {
	for w.more && w.due <= now && w.free.n > 0 {
		c := &w.conns[w.free.pop()]
		c.parked = false
		if w.free.n == 0 {
			w.starving = now
			w.win.free.Add(-1)
		}
		w.fill(c, now) // a connection that is down comes back by itself
	}
}

// draw moves on to the schedule's next request.
func (w *worker) draw() {
	due, ok := w.arrivals.Next()
	w.due = w.start + due
	w.more = ok && w.due < w.deadline
}

// backlog counts requests that are due by now and not started. It reads a second copy of the
// schedule up to now.
func (w *worker) backlog(now int64) {
	for w.ahead.more && w.ahead.due <= now {
		w.ahead.n++
		due, ok := w.ahead.arrivals.Next()
		w.ahead.due = w.start + due
		w.ahead.more = ok && w.ahead.due < w.deadline
	}
	w.rec.BacklogPeak = max(w.rec.BacklogPeak, w.ahead.n-w.issued)
}

// spin is the time before a due time, in ns, in which the loop polls instead of sleeping: a sleep
// ends some 20 to 60 µs late even with the smallest timer slack.
const spin = 60_000

// A loop that polls without a break sends the next request within 2 µs after a response: a server
// that looks once more at the connection it has just served finds it there, and some servers then
// serve this connection alone for the whole window, while all others wait. No client behind a
// network is as quick. So with at least crowd requests in flight, enough to keep a server busy, a
// spinning loop begins its turns eager ns apart. A sleeping loop does so if a connection carries
// several requests: answers that arrive meanwhile on one connection are read in one call, and their
// requests sent in one.
const (
	crowd = 32
	eager = 50_000
)

// holdBack waits until a turn may begin.
func (w *worker) holdBack() {
	began := w.seen // just now
	now, next := began, w.turned+eager
	switch crowded := w.pending >= crowd; {
	case crowded && w.job.Spin:
		for now < next {
			now = w.now()
		}
		w.rec.SpunNS += spun(now - began)
	case crowded && now < next:
		rest(time.Duration(next - now))
		now = w.now()
		w.seen = min(now, next)
		w.here(now)
	}
	w.turned = now
}

// nap is the longest sleep within a window. A loop that stops during its sleep is noticed, except
// for this long.
const nap = int64(load.Nap)

// here records that the loop runs at now. The time since it last ran, or slept on purpose, is a
// gap.
func (w *worker) here(now int64) {
	w.rec.GapNS = max(w.rec.GapNS, now-w.seen)
	w.seen = now
}

// sleep waits for events until the clock shows until; exact says that a request is due then. With
// Job.Spin it also polls while answers are outstanding: in a virtual machine an idle CPU takes 50
// to 100 µs to come back, which would count as the server's latency, and waking it costs the server
// 2 µs per request.
func (w *worker) sleep(until int64, exact bool) (n int) {
	now := w.now()
	if w.job.Spin {
		if w.pending > 0 || exact && until-now <= spin {
			for n == 0 && now < until {
				began := now
				n, _ = w.poll()
				now = w.now()
				w.here(now)
				w.rec.SpunNS += spun(now - began)
			}
			return n
		}
		if exact {
			until -= spin
		}
	}
	if now >= until {
		return 0
	}
	until = min(until, now+nap)
	n, errno := w.block(w.ep, w.events[:], until-now)
	now = w.now()
	w.seen = min(now, until)
	w.here(now)
	if errno != 0 {
		return 0 // EINTR: the caller comes back
	}
	return n
}

// spun returns how much of one poll with that duration, in ns, was CPU time: all of a short one,
// nothing of a long one, in which the thread was preempted or stopped, or its CPU quota was used
// up. A poll is one system call that takes about 1 µs.
func spun(turn int64) int64 {
	if turn > 100_000 {
		return 0
	}
	return turn
}
