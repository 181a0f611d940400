package epoll

import (
	"context"
	"fmt"
	"math"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/http1"
	"dyno/internal/load"
)

const (
	readBuffer = 2 * http1.MaxHead // what is left of a read, at most MaxHead, and room for the next
	dialsMax   = 32                // dials at a time before a window, so as not to overrun a short accept queue
	tries      = 3                 // dials in a row that may fail before a connection sits the window out
)

// worker is one event loop with the connections that are its alone.
type worker struct {
	job     *load.Job
	addr    address
	cpu     int // -1: free
	ep      int
	base    time.Time // of the session's clock
	conns   []conn
	rec     *load.Recorder
	memo    http1.Memo
	in, out []byte
	events  [256]unix.EpollEvent
	ready   []int32 // connections that connected at once and await their turn

	headers   bool // verdict on the head headID, for the request headersOf
	headID    uint64
	headersOf int

	win       *window
	open      bool  // requests may start
	deadline  int64 // after which none does
	next      int   // first connection that has not begun (Window.Spread)
	pending   int   // requests in flight
	hopeful   int   // connections that are not dead
	tick      int64 // between two looks at the timeouts
	nextSweep int64

	established int   // at the start of the window
	quiet       int64 // connections that broke with no request on them
	dialErr     error // of the last dial that failed
	pinErr      error
	queued      int64 // ns on the run queue in the last window
}

func newWorker(job *load.Job, addr address, base time.Time, index int) (*worker, error) {
	w := &worker{job: job, addr: addr, base: base, cpu: -1, rec: load.NewRecorder(), headersOf: -1}
	if len(job.CPUs) > 0 {
		w.cpu = job.CPUs[index%len(job.CPUs)]
	}
	w.tick = min(max(int64(job.Timeout)/20, int64(time.Millisecond)), int64(20*time.Millisecond))
	w.in = make([]byte, readBuffer)
	for i := index; i < job.Connections; i += job.Workers {
		src, err := job.Scenario.NewSource(job.ConnectionSeed(i), job.Host())
		if err != nil {
			return nil, err
		}
		w.conns = append(w.conns, conn{
			fd: -1, id: int32(len(w.conns)), index: i, src: src,
			slots: make([]slot, job.Pipeline), parser: http1.Parser{Memo: &w.memo},
		})
	}
	w.ready = make([]int32, 0, len(w.conns))
	var err error
	if w.ep, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("create epoll: %w", err)
	}
	return w, nil
}

// now is the session's clock: monotonic, in ns.
func (w *worker) now() int64 { return int64(time.Since(w.base)) }

// establish looks what became of the connections while they were idle, and dials those that are down.
func (w *worker) establish(ctx context.Context) {
	w.open, w.pending = false, 0
	for w.turn(0) == len(w.events) {
	}
	until := w.now() + int64(w.job.Timeout)
	next := 0
	for ctx.Err() == nil {
		dials := 0
		for i := range w.conns {
			switch w.conns[i].state {
			case isWaiting:
				w.dial(&w.conns[i], w.now())
				dials++
			case isDialing:
				dials++
			}
		}
		for ; next < len(w.conns) && dials < dialsMax; next++ {
			if c := &w.conns[next]; c.state == isDown {
				if w.dial(c, w.now()); c.state == isDialing || c.state == isWaiting {
					dials++
				}
			}
		}
		if dials == 0 && next == len(w.conns) {
			break
		}
		if w.now() > until {
			break
		}
		w.turn(1)
	}
	w.established = 0
	for i := range w.conns {
		switch c := &w.conns[i]; c.state {
		case isUp:
			w.established++
		case isDialing, isWaiting:
			w.shut(c)
		}
	}
}

// run carries out one window from start on.
func (w *worker) run(win *window, start int64) {
	w.win, w.open, w.next, w.hopeful = win, true, 0, 0
	w.deadline = math.MaxInt64
	if win.For > 0 {
		w.deadline = start + int64(win.For)
	}
	w.nextSweep = start + w.tick
	for i := range w.conns {
		c := &w.conns[i]
		c.due = start + int64(win.Spread)*int64(c.index)/int64(w.job.Connections)
		c.begun, c.fails = false, 0
		if c.state == isUp {
			w.hopeful++
		}
	}
	w.ready = w.ready[:0]
	for now := start; ; now = w.now() {
		for w.next < len(w.conns) && w.conns[w.next].due <= now && w.open {
			c := &w.conns[w.next]
			w.next++
			c.begun = true
			w.fill(c, w.now())
		}
		if now >= w.deadline || w.hopeful == 0 {
			w.open = false
		}
		if win.stop.Load() {
			w.abandon()
			return
		}
		if !w.open && w.pending == 0 {
			break
		}
		if now >= w.nextSweep {
			w.sweep(now)
			continue
		}
		w.turn(w.patience(now))
	}
	for i := range w.conns { // dials under way are nobody's any more
		if c := &w.conns[i]; c.state != isUp {
			w.shut(c)
		}
	}
}

// patience is how many ms the loop may sleep.
func (w *worker) patience(now int64) int {
	until := w.nextSweep
	if w.open {
		until = min(until, w.deadline)
		if w.next < len(w.conns) {
			until = min(until, w.conns[w.next].due)
		}
	}
	return int((max(until-now, 0) + 999_999) / 1_000_000)
}

// turn handles one batch of events, waiting up to ms for it, and returns how many there were.
//
// Note: it looks before it sleeps. Under load something is always ready, and the look is a raw call; only an idle worker pays twice.
func (w *worker) turn(ms int) (n int) {
	var errno syscall.Errno
	n, errno = poll(w.ep, w.events[:])
	if n == 0 && errno == 0 && ms > 0 && len(w.ready) == 0 {
		n, errno = wait(w.ep, w.events[:], ms)
	}
	if errno != 0 {
		n = 0 // EINTR: the caller comes back
	}
	for i := range n {
		w.handle(&w.conns[w.events[i].Fd], w.events[i].Events)
	}
	for i := len(w.ready); i > 0; i-- { // those that join meanwhile wait for the next turn
		c := &w.conns[w.ready[0]]
		w.ready = w.ready[:copy(w.ready, w.ready[1:])]
		if w.open {
			w.fill(c, w.now())
		}
	}
	return n
}

// sweep enforces the timeouts and dials again.
func (w *worker) sweep(now int64) {
	w.nextSweep = now + w.tick
	for i := range w.conns {
		c := &w.conns[i]
		switch {
		case c.state == isUp && c.pending > 0 && now-c.slots[c.first].sent > int64(w.job.Timeout):
			w.broke(c, load.Timeout, now)
		case c.state == isDialing && now > c.dialBy:
			w.shut(c)
			w.undialled(c, syscall.ETIMEDOUT, now)
		case c.state == isWaiting && now >= c.retryAt && w.open:
			w.dial(c, now)
		}
	}
}

// abandon ends a cancelled window: what is in flight is counted so, and its connections are of no further use.
func (w *worker) abandon() {
	w.open = false
	for i := range w.conns {
		c := &w.conns[i]
		w.rec.InFlight += int64(c.pending)
		if c.pending > 0 || c.state != isUp {
			w.shut(c)
		}
	}
}

func (w *worker) close() {
	for i := range w.conns {
		w.shut(&w.conns[i])
	}
	unix.Close(w.ep)
}
