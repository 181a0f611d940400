package loop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"

	"dyno/internal/load"
)

const (
	dialsMax = 32 // dials at a time before a window

	// The timeouts are checked this often, and more often while connections are being dialled or a
	// timeout is near.
	sweepIdle = int64(100 * time.Millisecond)
	sweepBusy = int64(20 * time.Millisecond)
	sweepEach = int64(100 * time.Nanosecond) // the most that a connection adds to a sweep in which nothing happens
)

// establish handles what happened to the connections while they were idle, and dials those that are
// down, each with Job.ConnectTimeout. It gives up when no dial has succeeded for that long.
func (w *worker) establish(ctx context.Context) {
	w.win, w.open, w.paced, w.pending = nil, false, false, 0
	for w.turn(0, false) == len(w.events) {
	}
	if w.job.Lazy {
		return
	}
	looked := w.now()
	defer func(began int64) { w.opening += w.now() - began }(looked)
	came, until := len(w.connects), looked+int64(w.job.ConnectTimeout)
	for next := 0; ctx.Err() == nil; {
		dials := 0
		for i := range w.conns {
			switch c := &w.conns[i]; {
			case c.state == isWaiting:
				w.dial(c, w.now())
				dials++
			case c.state.comes() && looked > c.dialBy: // a late thread must not reject a connection that came in time
				w.dialFailed(c, syscall.ETIMEDOUT, looked)
			case c.state == isDialing && looked-c.dialled > w.dials.Patience(looked):
				w.count(c)
				c.close()
				c.state = isWaiting
				w.dials.Repeated++
				dials++
			case c.state.comes():
				dials++
			}
		}
		for ; next < len(w.conns) && dials < dialsMax; next++ {
			if c := &w.conns[next]; c.state == isDown {
				if w.dial(c, w.now()); c.state.comes() || c.state == isWaiting {
					dials++
				}
			}
		}
		if dials == 0 && next == len(w.conns) {
			break
		}
		looked = w.now()
		w.turn(looked+int64(time.Millisecond), false)
		if n := len(w.connects); n > came {
			came, until = n, looked+int64(w.job.ConnectTimeout)
		} else if looked > until {
			break
		}
	}
	for i := range w.conns {
		switch c := &w.conns[i]; {
		case c.state == isUp:
		case c.state.comes() && ctx.Err() == nil: // no answer came in time
			w.dialFailed(c, syscall.ETIMEDOUT, looked)
		default:
			w.shut(c)
		}
	}
}

// up returns the number of established connections.
func (w *worker) up() (n int) {
	for i := range w.conns {
		if w.conns[i].state == isUp {
			n++
		}
	}
	return n
}

// unanswered gives up dials that had been in progress for load.DialLost at the deadline. In a
// closed loop each had a request to carry. In an open loop, requests that were due and not sent are
// counted elsewhere.
func (w *worker) unanswered(now int64) {
	if now < w.deadline { // a number of requests has no deadline
		return
	}
	for i := range w.conns {
		c := &w.conns[i]
		began := c.dialBy - int64(w.job.ConnectTimeout)
		if c.state == isUp || c.dialBy == 0 || w.deadline-began < int64(load.DialLost) {
			continue
		}
		if w.refused == 0 || began < w.refused {
			w.refused = began
		}
		err := c.unanswered()
		kind := load.Unconnected(err)
		w.say(kind, err)
		if !w.scheduled {
			w.rec.Sent(1, now)
			w.rec.Broken(kind, began, now, now)
		}
	}
}

// soon makes the next sweep come early, because a connection is being dialled.
func (w *worker) soon(now int64) { w.nextSweep = min(w.nextSweep, now+min(w.tick, sweepBusy)) }

// sweep enforces the timeouts and dials again. The next sweep comes with the next timeout, so that
// no answer is accepted after its timeout, but at the earliest after 1 ms, or with very many
// connections after ten times this sweep's duration.
func (w *worker) sweep(now int64) {
	w.nextSweep = now + min(w.tick, sweepIdle)
	next := w.nextSweep
	if w.scheduled {
		w.backlog(now)
	}
	w.despair(now)
	for i := range w.conns {
		c := &w.conns[i]
		switch {
		case c.state == isUp && (c.http.Pending() > 0 || c.owes()):
			limit := c.http.Oldest() + int64(w.job.Timeout)
			switch {
			case now <= limit:
				next = min(next, limit+1)
			case c.owes() || c.http.Silent(c.http.Oldest()):
				w.broke(c, load.Timeout, load.ErrTimeout, now)
			default:
				w.cancel(c, now)
				next = now
			}
		case c.state == isUp:
			next = min(next, w.unbar(c, now))
		case c.state.comes() && now > c.dialBy:
			w.dialFailed(c, syscall.ETIMEDOUT, now)
		case c.state.comes():
			next = min(next, c.dialBy+1)
		case c.state == isWaiting && !w.open && !c.waits():
		case c.state == isWaiting && now < c.retryAt:
			next = min(next, c.retryAt)
		case c.state == isWaiting && w.job.PerConnection > 0 && !c.waits():
			c.state = isDown
			w.fill(c, now)
		case c.state == isWaiting:
			w.dial(c, now)
		}
	}
	took := min(w.now()-now, int64(len(w.conns))*sweepEach) // the thread may have lost its CPU meanwhile
	least := max(int64(time.Millisecond), 10*took)
	w.nextSweep = min(w.nextSweep, max(next, now+least))
}

// cancel gives up c's timed-out requests, without their connection.
func (w *worker) cancel(c *conn, now int64) {
	before := now - int64(w.job.Timeout) - 1
	for s := c.http.Cancel(before); s != nil; s = c.http.Cancel(before) {
		w.rec.Broken(load.Timeout, s.Due, s.Sent, now)
		w.rec.Unanswered(s.Want.Index, s.Due, s.Sent, now)
		w.say(load.Timeout, load.ErrTimeout)
		if !w.settled(c, c.http.Over(), now) {
			return
		}
	}
	w.goOn(c, now)
}

// unbar replaces a connection on which the server has accepted no requests for Job.Timeout, and
// counts a request that had to wait for it. It returns when to look again.
func (w *worker) unbar(c *conn, now int64) int64 {
	since, barred := c.http.Barred()
	if !barred || !w.open {
		return math.MaxInt64
	}
	if limit := max(since, w.start) + int64(w.job.Timeout); now <= limit {
		return limit + 1
	}
	if due, ok := w.take(c, now); ok {
		w.rec.Undial(load.Timeout, due, now)
		w.say(load.Timeout, load.ErrBarred)
	}
	w.again(c, now)
	return now
}

// despair ends a window without a deadline once no worker has been able to reach the server for
// load.Patience.
func (w *worker) despair(now int64) {
	if w.refused == 0 || w.ups > 0 {
		w.win.reached.Store(now)
	} else if lost := now - max(w.refused, w.win.reached.Load()); w.deadline == math.MaxInt64 &&
		lost >= int64(load.Patience(w.job.Timeout)) {
		w.open = false
	}
}

// unanswered returns the error for a connection that was still being made at the load's end.
func (c *conn) unanswered() error {
	err := errors.New("no response before the end of the load")
	if c.state == isShaking {
		return c.tls.giveUp(err)
	}
	return fmt.Errorf("dial: %w", err)
}
