// Package gonet is the plain load engine: package net, a goroutine for each connection and one that
// reads it, for systems without epoll. It keeps the same ledger as load/epoll, through the same
// load.Conn, with more CPU per request; its speed is not optimized.
//
// Note: a connection that writes reads nothing. If a pipeline of requests and its answers each
// exceed the socket buffers, both sides block in write until Job.Timeout; load/epoll reads on
// meanwhile.
package gonet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Engine implements load.Engine. It ignores Job.CPUs and Job.Spin.
type Engine struct{}

const dialsMax = 32 // simultaneous dials before a window

type session struct {
	job   load.Job
	to    wire.Endpoint // one of the job's addresses
	base  time.Time
	conns []*conn
	books []*book
	limit atomic.Pointer[error] // the first dial error for want of files, or nil

	ups     atomic.Int64 // established connections
	refused atomic.Int64 // start of the first failed dial since the last successful one; 0: none

	pace    sync.Mutex
	dials   load.Dials // before the windows, under pace
	opening int64      // ns that they took
}

// unreachable returns the time in ns for which no connection could be made until now.
func (s *session) unreachable(now int64) int64 {
	if since := s.refused.Load(); since > 0 && s.ups.Load() == 0 {
		return now - since
	}
	return 0
}

// book is a Recorder that several connections share, under a lock.
type book struct {
	sync.Mutex
	*load.Recorder
	own *load.Recorder // for windows that are not observed
}

// Open dials job's connections, unless the job is lazy. It fails if there is no connection at all.
func (Engine) Open(ctx context.Context, job load.Job) (load.Session, error) {
	s := &session{job: job, base: time.Now()}
	err := s.prepare()
	if err == nil {
		s.to, err = s.job.Locate(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", job.Addr, err)
	}
	if err := errors.Join(s.establish(ctx), ctx.Err()); s.up() == 0 && (!job.Lazy || err != nil) {
		return nil, fmt.Errorf("open %s: %w", job.Addr, err)
	}
	if short := s.limit.Load(); short != nil {
		s.Close()
		return nil, fmt.Errorf("open %s: %w", job.Addr, *short)
	}
	return s, nil
}

// prepare fills in the job's defaults and makes the connections, all of them down.
func (s *session) prepare() error {
	job := &s.job
	mix, err := job.Prepare()
	if err != nil {
		return err
	}
	for range min(max(job.Workers, runtime.GOMAXPROCS(0)), job.Connections) {
		own := load.NewRecorder()
		s.books = append(s.books, &book{Recorder: own, own: own})
	}
	for i := range job.Connections {
		s.conns = append(s.conns, &conn{
			session: s, index: i, http: job.NewConn(job.Source(mix, i), new(load.Heads)), pauses: job.Pauses(i),
		})
	}
	return nil
}

// establish checks connections that were idle, and dials those that are down, unless the job is
// lazy. It gives up when no dial has succeeded for Job.ConnectTimeout.
func (s *session) establish(ctx context.Context) error {
	defer func(began int64) { s.opening += s.now() - began }(s.now())
	var wg sync.WaitGroup
	slots := make(chan struct{}, dialsMax)
	errs := make([]error, len(s.conns))
	var came atomic.Int64 // time of the last successful dial
	came.Store(s.now())
	for i, c := range s.conns {
		dial := func() {
			if c.nc != nil && c.alive() {
				return
			}
			if c.hangUp(); s.job.Lazy {
				return
			}
			slots <- struct{}{}
			if s.now()-came.Load() > int64(s.job.ConnectTimeout) {
				errs[i] = os.ErrDeadlineExceeded
			} else if errs[i] = c.dialPaced(ctx); errs[i] == nil {
				came.Store(s.now())
			}
			<-slots
		}
		if s.patience() > 0 {
			wg.Go(dial)
		} else {
			dial() // it shows how long one takes
		}
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// leastPatience is the least time that a dial gets: on a busy machine a goroutine hears late that it came through.
const leastPatience = 250 * time.Millisecond

// patience returns how long a dial may take now (load.Dials); 0: it is not known.
func (s *session) patience() time.Duration {
	s.pace.Lock()
	defer s.pace.Unlock()
	if limit := s.dials.Patience(s.now()); limit < math.MaxInt64 {
		return max(time.Duration(limit), leastPatience)
	}
	return 0
}

// up returns the number of established connections.
func (s *session) up() (n int) {
	for _, c := range s.conns {
		if c.nc != nil {
			n++
		}
	}
	return n
}

func (s *session) now() int64 { return int64(time.Since(s.base)) }

// Run implements load.Session. If ctx cuts the window short, its error comes with the Load.
// Requests then in flight are counted as such, and the next Run dials their connections again.
func (s *session) Run(ctx context.Context, win load.Window) (record.Load, error) {
	w, err := newWindow(ctx, s, win)
	if err != nil {
		return record.Load{}, err
	}
	s.establish(ctx)
	var ledger *load.Ledger
	if win.Observe != nil {
		ledger = load.NewLedger(&win, &s.job, len(s.books))
	}
	for _, b := range s.books {
		b.Recorder = b.own
		if b.Reset(); ledger != nil {
			b.Recorder = ledger.Take()
		}
	}
	for i, c := range s.conns {
		if c.book = s.books[i%len(s.books)]; win.Schedule != nil {
			c.book = s.books[0] // its Pace sees all arrivals
		}
	}
	s.refused.Store(0)
	last := s.carryOut(w, ledger)
	unreachable := s.unreachable(s.now())

	var l record.Load
	if ledger == nil {
		recorders := make([]*load.Recorder, len(s.books))
		for i, b := range s.books {
			recorders[i] = b.Recorder
		}
		l, err = load.Merge(recorders, s.now())
	} else {
		for i, b := range s.books {
			ledger.End(i, last, b.Recorder)
		}
		l = ledger.Close(s.now())
		if d := win.Observe.Into; d != nil {
			d.Texts, d.First = w.texts, w.first
		}
	}
	l.Connections = s.job.Connections
	if l.RepeatedDials = s.dials.Repeated; l.RepeatedDials > 0 {
		l.OpeningNS = s.opening
	}
	if load.Undialled(&l)+l.NeverStarted > 0 { // or the server was unreachable all the time
		l.UnreachableNS = unreachable
	}
	for _, c := range s.conns {
		if c.was {
			l.Established++
		}
		if c.nc != nil {
			load.Allow(&l, c.http.Allowed(win.Depth(&s.job)), win.Depth(&s.job))
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	if short := s.limit.Load(); err == nil && short != nil {
		err = *short
	}
	return l, err
}

// carryOut runs one window: a goroutine per connection, one that hands out due requests, one that
// closes intervals, one that watches for gaps. It returns the index of the interval in which the
// window ended.
func (s *session) carryOut(w *window, ledger *load.Ledger) (last int64) {
	defer context.AfterFunc(w.ctx, func() {
		for _, c := range s.conns {
			c.interrupt()
		}
	})()
	if w.Begin != nil {
		w.Begin()
	}
	w.begin(s.now())
	for _, b := range s.books {
		b.Begin(w.edge)
	}
	if w.due != nil {
		s.books[0].Pace = load.NewPace(w.Schedule, 1, w.start, w.deadline)
	}
	var conns, others sync.WaitGroup
	for _, c := range s.conns {
		c.was = c.nc != nil
		conns.Go(func() { c.run(w) })
	}
	gone := make(chan struct{})
	if w.due != nil {
		others.Go(func() { w.dispatch(gone) })
	}
	if ledger != nil && ledger.Every() > 0 {
		others.Go(func() { last = w.tick(ledger, gone) })
	}
	gap := int64(0)
	others.Go(func() { gap = w.watch(gone) })
	conns.Wait()
	close(gone)
	others.Wait()
	if w.ctx.Err() != nil {
		w.edge.Cut(s.now())
	}
	b := s.books[0]
	b.GapNS = max(b.GapNS, gap)
	n := w.left.Load()
	b.Planned += n
	b.NeverStarted += n
	b.ClosePace(w.ctx.Err() != nil)
	return last
}

// Close closes all connections. It must not run concurrently with Run.
func (s *session) Close() error {
	for _, c := range s.conns {
		c.hangUp()
	}
	return nil
}
