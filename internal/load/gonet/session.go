// Package gonet is the plain load engine: one goroutine per connection on package net, for systems without epoll. It keeps the same
// ledger as load/epoll, through the same parser, at some twice the CPU per request; its speed is nobody's yardstick.
//
// Note: a connection writes, then reads. Where a pipeline of requests and its answers each exceed what the sockets hold, both sides
// block in write until Job.Timeout; load/epoll reads on meanwhile.
package gonet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/http1"
	"dyno/internal/load"
	"dyno/internal/result"
)

// Engine is the load.Engine of this package. It ignores Job.CPUs.
type Engine struct{}

const (
	dialsMax = 32 // at a time before a window, so as not to overrun a short accept queue
	tries    = 3  // dials in a row that may fail before a connection sits the window out
)

type session struct {
	job   load.Job
	base  time.Time
	conns []*conn
	books []*book
	up    int
}

// book is a ledger that several connections write.
type book struct {
	sync.Mutex
	*load.Recorder
}

// window is what the connections of one Run share.
type window struct {
	load.Window
	ctx      context.Context
	start    int64
	deadline int64 // 0: none
	stop     atomic.Bool
	left     atomic.Int64
}

// Open dials job's connections. An error means that there is none.
func (Engine) Open(ctx context.Context, job load.Job) (load.Session, error) {
	if job.Timeout <= 0 {
		job.Timeout = 10 * time.Second
	}
	job.Pipeline = max(job.Pipeline, 1)
	if job.Connections <= 0 {
		return nil, fmt.Errorf("open %s: no connections asked for", job.Addr)
	}
	s := &session{job: job, base: time.Now()}
	for range min(max(job.Workers, runtime.GOMAXPROCS(0)), job.Connections) {
		s.books = append(s.books, &book{Recorder: load.NewRecorder()})
	}
	for i := range job.Connections {
		src, err := job.Scenario.NewSource(job.ConnectionSeed(i), job.Host())
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", job.Addr, err)
		}
		s.conns = append(s.conns, &conn{
			session: s, index: i, src: src, book: s.books[i%len(s.books)], slots: make([]slot, job.Pipeline),
			parser: http1.Parser{Memo: new(http1.Memo)}, in: make([]byte, 8<<10),
		})
	}
	if err := s.establish(ctx); s.up == 0 {
		return nil, fmt.Errorf("open %s: %w", job.Addr, errors.Join(err, ctx.Err()))
	}
	return s, nil
}

// establish looks what became of the connections while they were idle, and dials those that are down.
func (s *session) establish(ctx context.Context) error {
	var wg sync.WaitGroup
	slots := make(chan struct{}, dialsMax)
	for _, c := range s.conns {
		wg.Go(func() {
			if c.nc != nil && c.alive() {
				return
			}
			c.hangUp()
			slots <- struct{}{}
			c.err = c.dial(ctx)
			<-slots
		})
	}
	wg.Wait()
	s.up = 0
	var err error
	for _, c := range s.conns {
		if c.nc != nil {
			s.up++
		} else if err == nil {
			err = c.err
		}
	}
	return err
}

func (s *session) now() int64 { return int64(time.Since(s.base)) }

// Run implements load.Session. Beside what was seen it returns ctx's error if that cut the window short; the requests then in flight
// are counted so, and their connections are dialled anew by the next Run.
func (s *session) Run(ctx context.Context, win load.Window) (result.Load, error) {
	if win.For <= 0 && win.Requests <= 0 {
		return result.Load{}, errors.New("run window: neither a duration nor a number of requests")
	}
	s.establish(ctx)
	for _, b := range s.books {
		b.Reset()
	}
	w := &window{Window: win, ctx: ctx, start: s.now()}
	w.left.Store(win.Requests)
	if win.For > 0 {
		w.deadline = w.start + int64(win.For)
	}
	cancelled := context.AfterFunc(ctx, func() {
		w.stop.Store(true)
		for _, c := range s.conns {
			c.interrupt()
		}
	})
	defer cancelled()
	var wg sync.WaitGroup
	for _, c := range s.conns {
		if c.nc != nil {
			wg.Go(func() { c.run(w) })
		}
	}
	wg.Wait()

	recorders := make([]*load.Recorder, len(s.books))
	for i, b := range s.books {
		recorders[i] = b.Recorder
	}
	l, err := load.Merge(recorders, s.now())
	l.Connections, l.Established = s.job.Connections, s.up
	if err == nil && w.stop.Load() {
		err = ctx.Err()
	}
	return l, err
}

// Close closes all connections. It must not run beside Run.
func (s *session) Close() error {
	for _, c := range s.conns {
		c.hangUp()
	}
	return nil
}

// take claims the right to start one request.
func (w *window) take(now int64) bool {
	return !w.stop.Load() && (w.deadline == 0 || now < w.deadline) && (w.Requests <= 0 || w.left.Add(-1) >= 0)
}

// sleep waits until the session's clock shows until. It reports whether the window still goes on.
func (w *window) sleep(s *session, until int64) bool {
	if w.deadline > 0 {
		until = min(until, w.deadline)
	}
	if left := time.Duration(until - s.now()); left > 0 {
		t := time.NewTimer(left)
		defer t.Stop()
		select {
		case <-t.C:
		case <-w.ctx.Done():
			return false
		}
	}
	return !w.stop.Load()
}

// dial is bounded by the job's timeout and by ctx.
func (c *conn) dial(ctx context.Context) error {
	d := net.Dialer{Timeout: c.session.job.Timeout, KeepAlive: -1}
	nc, err := d.DialContext(ctx, c.session.job.Network, c.session.job.Addr)
	if err != nil {
		return err
	}
	c.set(nc)
	return nil
}
