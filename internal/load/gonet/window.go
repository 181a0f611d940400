package gonet

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/load"
)

// window is the state that the connections share in one Run.
type window struct {
	load.Window
	session  *session
	ctx      context.Context
	start    int64
	deadline int64         // nothing starts later; math.MaxInt64: no deadline
	over     chan struct{} // closed once nothing starts any more
	gaveUp   atomic.Bool   // the server could not be reached
	finish   func()        // closes over
	edge     *load.Edge

	left    atomic.Int64 // closed loop: requests that may still start, if their number is limited
	started atomic.Bool  // closed loop: one has been started
	due     chan int64   // open loop: hands out due times of requests; nil in a closed loop

	mu    sync.Mutex
	texts map[string]string
	first string
}

func newWindow(ctx context.Context, s *session, win load.Window) (*window, error) {
	win, err := s.job.Own(win)
	if err != nil {
		return nil, err
	}
	w := &window{Window: win, session: s, ctx: ctx, over: make(chan struct{})}
	w.finish = sync.OnceFunc(func() { close(w.over) })
	if win.Schedule != nil {
		w.due = make(chan int64)
	} else {
		w.left.Store(max(win.Requests, 0))
	}
	return w, nil
}

// begin sets the start, the deadline and the Edge.
func (w *window) begin(now int64) {
	w.start, w.deadline = now, w.Deadline(now)
	w.edge = load.NewEdge(&w.Window, &w.session.job, 1, w.start, w.deadline)
}

// giveUp ends the window for requests that have not started, because the server cannot be reached.
func (w *window) giveUp() {
	w.gaveUp.Store(true)
	w.finish()
}

// paced reports whether a connection may be idle during the window.
func (w *window) paced() bool { return w.due != nil || w.Think.Mean > 0 }

// claim takes the right to start one request in a closed loop. If the window got no CPU before its
// deadline, it still starts one request: otherwise the server would seem to have answered none.
func (w *window) claim(now int64) bool {
	if w.ctx.Err() != nil || w.gaveUp.Load() || now >= w.deadline && w.started.Load() {
		return false
	}
	for w.Requests > 0 {
		n := w.left.Load()
		if n == 0 {
			return false
		}
		if w.left.CompareAndSwap(n, n-1) {
			if n == 1 {
				w.edge.Over(now)
				w.finish()
			}
			break
		}
	}
	if !w.started.Load() {
		w.started.Store(true)
	}
	return true
}

// sleep waits until the session's clock shows until. It reports whether the window still runs then.
func (w *window) sleep(until int64) bool {
	t := time.NewTimer(time.Duration(min(until, w.deadline) - w.session.now()))
	defer t.Stop()
	select {
	case <-t.C:
		return w.ctx.Err() == nil && w.session.now() < w.deadline
	case <-w.over:
	case <-w.ctx.Done():
	}
	return false
}

// dispatch hands out an open loop's requests when they are due, in order. It returns when nothing
// more starts: all are taken, the window is cancelled, gone says that no connection is left, or the
// deadline has passed. Requests due before the deadline go to connections that are free then, even
// if the clock is past it.
func (w *window) dispatch(gone <-chan struct{}) {
	defer w.finish()
	arrivals := w.Schedule.Arrivals(0, 1, w.Requests)
	next := func() (int64, bool) {
		due, ok := arrivals.Next()
		due += w.start
		return due, ok && due < w.deadline
	}
	s, b := w.session, w.session.books[0]
	var backlog []int64
	due, more := next()
	t := time.NewTimer(0)
	defer t.Stop()
	for alive := true; alive; {
		now := s.now()
		planned := int64(0)
		for ; more && due <= now; due, more = next() {
			backlog = append(backlog, due)
			planned++
		}
		backlog = w.handOut(backlog)
		var taker chan<- int64
		var head int64
		if len(backlog) > 0 {
			taker, head = w.due, backlog[0]
		}
		b.Lock()
		b.Planned += planned
		b.BacklogPeak = max(b.BacklogPeak, int64(len(backlog)))
		b.Unlock()
		if now >= w.deadline || !more && len(backlog) == 0 {
			break
		}
		until := w.deadline
		if more {
			until = min(until, due)
		}
		t.Reset(time.Duration(until - s.now()))
		select {
		case taker <- head:
			backlog = backlog[1:]
		case <-t.C:
		case <-w.ctx.Done():
			alive = false
		case <-gone:
			alive = false
		}
		if taker != nil {
			b.Lock()
			b.StarvedNS += s.now() - now
			b.Unlock()
		}
	}

	now := s.now()
	if w.Requests > 0 {
		w.edge.Over(now)
	}
	b.Lock()
	defer b.Unlock()
	for _, due := range backlog {
		b.Never(due, now)
	}
	for ; more && due <= now; due, more = next() {
		b.Planned++
		b.Never(due, now)
	}
	if more && w.Requests > 0 { // the requests in the given number that were not even due
		n := arrivals.Left() + 1
		b.Planned += n
		b.NeverStarted += n
		if w.ctx.Err() == nil {
			b.NotDue(n)
		}
	}
}

// handOut gives due requests to the connections that wait for one, and returns the rest.
func (w *window) handOut(backlog []int64) []int64 {
	for len(backlog) > 0 {
		select {
		case w.due <- backlog[0]:
			backlog = backlog[1:]
		default:
			return backlog
		}
	}
	return backlog
}

// tick closes the books at the end of each interval, until gone. It returns the index of the
// current interval then.
func (w *window) tick(ledger *load.Ledger, gone <-chan struct{}) (k int64) {
	t := time.NewTimer(0)
	defer t.Stop()
	for ; ; k++ {
		t.Reset(time.Duration(w.start + (k+1)*ledger.Every() - w.session.now()))
		select {
		case <-t.C:
		case <-gone:
			return k
		}
		for i, b := range w.session.books {
			b.Lock()
			b.Recorder = ledger.Turn(i, k, b.Recorder)
			b.Unlock()
		}
	}
}

// watch wakes every load.Nap until gone, and returns its largest lateness, at least 1 ns. It
// detects gaps for all connections, because each waits for its own answers.
func (w *window) watch(gone <-chan struct{}) (gap int64) {
	t := time.NewTimer(load.Nap)
	defer t.Stop()
	due := w.start + int64(load.Nap)
	for {
		over := false
		select {
		case <-t.C:
		case <-gone:
			over = true
		}
		now := w.session.now()
		if gap = max(gap, now-due); over {
			return max(gap, 1)
		}
		due = now + int64(load.Nap)
		t.Reset(load.Nap)
	}
}

// text keeps the last message for each kind of error, if the window is observed.
func (w *window) text(kind load.Kind, err error) {
	if w.Observe == nil || err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.texts == nil {
		w.texts = map[string]string{}
	}
	w.texts[kind.String()] = err.Error()
}
