package loop

import (
	"math"
	"syscall"
	"time"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

const (
	readBuffer = 2 * wire.HTTP1MaxHead // the rest of a read, at most MaxHead, and room for the next
)

// worker is one event loop with its own connections.
type worker struct {
	// The fields that each request touches come first, so that they share few cache lines.
	job       *load.Job
	win       *window // nil between windows
	rec       *load.Recorder
	base      time.Time // the session clock's zero
	conns     []conn
	in, out   []byte
	ready     []int32 // connections that may send, after the batch of events
	unread    []int32 // connections that have more to read
	deadline  int64   // time after which no request is due
	closing   int64   // time after which no request starts
	clock     int64   // the session's clock when it was last read
	seen      int64   // when the loop last ran, or slept on purpose
	pending   int     // requests in flight, and those claimed
	depth     int     // requests that may be in flight per connection
	due       int64   // when the schedule's next request is due
	more      bool    // the schedule has a next request, due at due
	open      bool    // requests may start
	paced     bool    // due times are kept apart from send times
	scheduled bool    // an open loop
	started   bool    // closed loop: a request has been started in this window
	complaint string
	free      ring
	events    [256]event
	heads     load.Heads

	index int
	addr  address
	cpu   int // the CPU that the worker is pinned to; -1: none
	ep    poller
	block sleeper

	start     int64 // the window's start
	next      int   // first connection that has not begun (Window.Spread)
	ups       int   // connections that are up
	refused   int64 // start of the first dial that failed since one succeeded; 0: none failed
	tick      int64 // interval between timeout checks
	nextSweep int64
	turned    int64 // start of the last turn that holdBack delayed, or could have delayed

	arrivals load.Arrivals
	issued   int64
	ahead    struct { // the same schedule, read up to now
		arrivals load.Arrivals
		due, n   int64
		more     bool
	}
	starving int64 // since when no connection is free, or since the last report

	ledger   *load.Ledger // ledger of an observed window; else nil
	interval int64        // number of rec's interval
	nextTurn int64        // when interval ends
	told     usage

	established int        // connections established at the start of the window, or since (Job.Lazy)
	unreachable int64      // ns before the end of the window during which the server could not be reached
	connects    []made     // connections made before the window
	dials       load.Dials // paces the dials before windows
	opening     int64      // ns that the dials before the window took
	dialErr     error      // error of the last dial that failed
	segments    wire.Segments
	pinErr      error
	texts       map[string]string
}

// usage is a worker's thread time when its recorder was last completed.
type usage struct{ cpu, queued int64 }

func newWorker(s *session, mix *scenario.Mix, addr address, base time.Time, index int) (*worker, error) {
	job := &s.job
	w := &worker{job: job, index: index, addr: addr, base: base, cpu: -1, rec: load.NewRecorder(),
		texts: map[string]string{}}
	if len(job.CPUs) > 0 && !job.Free {
		w.cpu = job.CPUs[index%len(job.CPUs)]
	}
	w.tick = max(int64(job.Timeout)/20, int64(time.Millisecond))
	w.in = make([]byte, readBuffer)
	for i := index; i < job.Connections; i += job.Workers {
		w.conns = append(w.conns, conn{
			stream: stream{fd: noSocket}, id: int32(len(w.conns)), index: i,
			http: job.NewConn(job.Source(mix, i), &w.heads),
		})
	}
	w.ready = make([]int32, 0, 2*len(w.conns))
	w.unread = make([]int32, 0, 2*len(w.conns))
	w.free.ids = make([]int32, len(w.conns))
	return w, w.listen()
}

// now returns the session's clock: monotonic, in ns.
func (w *worker) now() int64 { return int64(time.Since(w.base)) }

// poll returns the events that are ready now.
func (w *worker) poll() (int, syscall.Errno) { return poll(w.ep, w.events[:]) }

// usage returns the thread's times.
func (w *worker) usage() usage { return usage{cpuTime(), queueDelay()} }

// begin prepares w for a window that begins at start.
func (w *worker) begin(win *window, start int64) {
	w.win, w.open, w.start, w.next, w.refused, w.started, w.seen = win, true, start, 0, 0, false, start
	w.paced, w.scheduled, w.more = win.paced, win.Schedule != nil, false
	w.deadline, w.depth = win.Deadline(start), win.Depth(w.job)
	// Requests that were due before the deadline, and found no free connection, may start later: a
	// server that stalls at the end would otherwise leave response times that nobody knows.
	if w.closing = w.deadline; w.scheduled && !win.Cut && w.deadline < math.MaxInt64 {
		w.closing += min((w.deadline-start)/10, int64(time.Second))
	}
	w.nextSweep = start + min(w.tick, sweepBusy)
	w.ready, w.free.n, w.starving = w.ready[:0], 0, start
	w.established = w.up()
	w.complaint = ""
	clear(w.texts)
	if w.established < len(w.conns) && w.dialErr != nil {
		w.say(load.Unconnected(w.dialErr), w.dialErr)
	}
	if w.scheduled {
		w.arrivals = win.Schedule.Arrivals(w.index, w.job.Workers, win.Requests)
		w.issued = 0
		w.draw()
		w.ahead.arrivals, w.ahead.due, w.ahead.more, w.ahead.n = w.arrivals, w.due, w.more, 0
	}
	w.nextTurn = math.MaxInt64
	if w.ledger = win.ledger; w.ledger != nil {
		w.rec = w.ledger.Take()
		if every := w.ledger.Every(); every > 0 {
			w.interval, w.nextTurn = 0, start+every
		}
	}
	for _, took := range w.connects {
		w.record(took, false)
	}
	if w.scheduled {
		w.rec.Pace = load.NewPace(start, w.deadline)
	}
	w.rec.Begin(win.edge)
	w.connects = w.connects[:0]
	for i := range w.conns {
		c := &w.conns[i]
		c.http.Allowed(w.depth) // before the window
		c.due = start + w.job.Turn(&win.Window, c.index)
		c.begun, c.parked, c.claimed, c.heard, c.fails, c.ever = false, false, false, 0, 0, c.state == isUp
		if c.ever && c.tls != nil {
			w.rec.Encrypted(c.tls.with)
			c.tls.taken() // data before the window
		}
	}
	w.told = w.usage()
}

// run carries out one window from start on. Each turn starts due requests, then handles events.
func (w *worker) run(win *window, start int64) {
	w.begin(win, start)
	for now := start; ; now = w.now() {
		w.here(now)
		for w.next < len(w.conns) && w.conns[w.next].due <= now && w.open {
			c := &w.conns[w.next]
			w.next++
			c.begun = true
			if c.state == isDown && w.job.PerConnection == 0 {
				w.dial(c, now)
			} else if w.scheduled {
				w.park(c)
			} else {
				now := w.now()
				w.here(now)
				w.fill(c, now)
			}
		}
		if w.scheduled {
			w.launch(now)
			if !w.more && w.open {
				if w.open = false; win.Requests > 0 {
					win.edge.Over(now)
				}
			}
		}
		if now >= w.closing {
			w.open = false
		}
		if win.stop.Load() || win.Cut && !w.open {
			w.abandon(now)
			break
		}
		if !w.open && w.pending == 0 {
			break
		}
		if now >= w.nextTurn {
			w.handIn()
		}
		if now >= w.nextSweep {
			w.turn(0, false) // as in establish
			w.sweep(w.now())
			continue
		}
		w.turn(w.patience())
	}
	w.end(w.now())
}

// end completes the window's counts: requests never started, and requests still open.
func (w *worker) end(now int64) {
	w.open = false
	if w.scheduled {
		never := int64(0)
		for ; w.more && w.due <= now; w.draw() {
			w.rec.Never(w.due, now)
			never++
		}
		if w.more && w.win.Requests > 0 { // requests in the limited number that were not even due
			later := 1 + w.arrivals.Left()
			if never += later; !w.win.stop.Load() {
				w.rec.NotDue(later)
			}
		}
		w.rec.NeverStarted = never
	} else if w.win.ended.Add(1) == int32(w.job.Workers) {
		w.rec.NeverStarted = max(w.win.left.Load(), 0)
	}
	w.unanswered(now)
	if w.unreachable = 0; w.refused > 0 && w.ups == 0 {
		w.unreachable = now - w.refused
	}
	// dials under way are abandoned, and so are requests that were answered before they were fully
	// sent
	for i := range w.conns {
		if c := &w.conns[i]; c.state != isUp || c.owes() {
			w.shut(c)
		}
	}
	w.note()
	w.rec.ClosePace(w.win.stop.Load())
	if w.ledger != nil {
		w.ledger.End(w.index, w.interval, w.rec)
		w.rec, w.ledger = nil, nil
	}
}

// note completes rec: the planned requests, and the thread's usage since the last call.
func (w *worker) note() {
	u := w.usage()
	w.rec.CPUNS += u.cpu - w.told.cpu
	w.rec.RunQueueNS += u.queued - w.told.queued
	w.rec.Planned = w.rec.Started + w.rec.NeverStarted
	w.told = u
}

// handIn gives the finished interval to the ledger.
func (w *worker) handIn() {
	w.note()
	now := w.now()
	if w.scheduled {
		w.backlog(now)
	}
	k := w.interval
	w.interval = (now - w.start) / w.ledger.Every()
	w.nextTurn = w.start + (w.interval+1)*w.ledger.Every()
	w.rec = w.ledger.Turn(w.index, k, w.rec)
}

// patience returns until when the loop may sleep, and whether a request is due then.
func (w *worker) patience() (until int64, exact bool) {
	until = min(w.nextSweep, w.nextTurn)
	if w.open {
		until = min(until, w.closing)
		if w.next < len(w.conns) {
			until = min(until, w.conns[w.next].due)
		}
		if w.more && w.free.n > 0 && w.due < until {
			until, exact = w.due, true
		}
	}
	return until, exact
}

// turn handles one batch of events and returns how many there were. If there are none, it waits
// until the clock shows until.
//
// Note: it polls before it sleeps. Under load something is always ready, and polling is a raw call;
// only an idle worker pays twice.
func (w *worker) turn(until int64, exact bool) (n int) {
	if w.job.Spin && !w.scheduled || w.depth > 1 && !w.paced {
		w.holdBack()
	}
	n, errno := w.poll()
	if errno != 0 {
		n = 0 // EINTR: the caller comes back
	}
	if n == 0 && until > 0 && len(w.ready) == 0 && len(w.unread) == 0 {
		n = w.sleep(until, exact)
	}
	for i := range n {
		w.handle(&w.conns[w.events[i].Fd], w.events[i].Events)
		if w.more && w.due <= w.clock {
			w.launch(w.clock)
		}
	}
	w.readOn()
	due := len(w.ready) // connections that join meanwhile wait for the next turn
	for _, id := range w.ready[:due] {
		if c := &w.conns[id]; w.open || c.claimed {
			now := w.now()
			w.here(now)
			w.fill(c, now)
		}
		if c := &w.conns[id]; c.http.Owes() {
			w.reply(c)
		}
	}
	w.ready = w.ready[:copy(w.ready, w.ready[due:])]
	return n
}

// abandon ends a cancelled window. Requests in flight are counted as such, and their connections
// are closed.
func (w *worker) abandon(now int64) {
	w.open = false
	w.win.edge.Cut(now)
	for i := range w.conns {
		c := &w.conns[i]
		for j := range c.http.Pending() {
			s := c.http.Slot(j)
			w.rec.Flying(s.Due, s.Sent, now)
			w.rec.Unanswered(s.Want.Index, s.Due, s.Sent, now)
		}
		if c.claimed {
			c.claimed = false
			w.pending--
			w.rec.Sent(1, now)
			w.rec.Flying(c.claim, now, now)
		}
		if c.http.Pending() > 0 || c.state != isUp {
			w.pending -= c.http.Forget()
			w.shut(c)
		}
	}
}

// say keeps the last error message for each kind, if the window is observed.
func (w *worker) say(kind load.Kind, err error) {
	if w.win != nil && w.win.Observe != nil {
		w.texts[kind.String()] = err.Error()
	}
}

func (w *worker) close() {
	for i := range w.conns {
		w.shut(&w.conns[i])
	}
	w.deafen()
}
