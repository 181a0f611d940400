package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Engine implements load.Engine.
type Engine struct{}

// session is a set of workers with their connections. Nothing runs between windows.
type session struct {
	job     load.Job
	workers []*worker
}

// Open dials job's connections, at most 32 at a time per worker. It fails if there is not one
// connection, or if the process may open no more files.
func (Engine) Open(ctx context.Context, job load.Job) (load.Session, error) {
	mix, err := job.Prepare()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", job.Addr, err)
	}
	if job.Workers <= 0 {
		job.Workers = load.Loops(len(job.CPUs), job.Connections)
	}
	job.Workers = min(job.Workers, job.Connections)
	addr, err := resolve(ctx, &job)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", job.Addr, err)
	}
	s := &session{job: job}
	base := time.Now()
	for i := range job.Workers {
		w, err := newWorker(s, mix, addr.own(), base, i)
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("open %s: %w", job.Addr, err)
		}
		s.workers = append(s.workers, w)
	}
	up := 0
	s.each(func(w *worker) { w.establish(ctx) })
	for _, w := range s.workers {
		up += len(w.connects) // those that were hung up on since, too
		err = errors.Join(err, w.dialErr)
		if load.OutOfFiles(w.dialErr) {
			s.Close()
			return nil, fmt.Errorf("open %s: %w", job.Addr, load.FilesError(w.dialErr, job.Connections))
		}
		if w.pinErr != nil {
			s.Close()
			return nil, fmt.Errorf("open %s: pin worker to CPU %d: %w", job.Addr, w.cpu, w.pinErr)
		}
	}
	if up == 0 && !job.Lazy {
		s.Close()
		return nil, fmt.Errorf("open %s: %w", job.Addr, errors.Join(err, ctx.Err()))
	}
	return s, nil
}

// each runs f for every worker, on a locked thread each, and waits.
func (s *session) each(f func(*worker)) {
	var wg sync.WaitGroup
	for _, w := range s.workers {
		wg.Go(func() { w.pinned(func() { f(w) }) })
	}
	wg.Wait()
}

// Run implements load.Session. If ctx cuts the window short, its error comes with the Load.
// Requests then in flight are counted as such, and the next Run dials their connections again.
func (s *session) Run(ctx context.Context, win load.Window) (record.Load, error) {
	win, err := s.job.Own(win)
	if err != nil {
		return record.Load{}, err
	}
	shared := &window{Window: win, paced: s.job.Paced(&win)}
	shared.left.Store(win.Requests)
	if win.Observe != nil {
		shared.ledger = load.NewLedger(&win, &s.job, len(s.workers))
	}
	cancelled := context.AfterFunc(ctx, func() { shared.stop.Store(true) })
	defer cancelled()

	var ready sync.WaitGroup
	ready.Add(len(s.workers))
	start := make(chan int64)
	go func() {
		ready.Wait()
		if win.Begin != nil {
			win.Begin()
		}
		now := s.workers[0].now()
		shared.open(now, &s.job)
		for range s.workers {
			start <- now
		}
	}()
	s.each(func(w *worker) {
		if shared.Schedule != nil {
			defer precise()()
		}
		if w.rec == nil {
			w.rec = load.NewRecorder()
		}
		w.mark()
		w.establish(ctx)
		w.rec.Reset()
		ready.Done()
		w.run(shared, <-start)
	})

	l, err := s.load(shared)
	if err == nil && shared.stop.Load() {
		err = ctx.Err()
	}
	return l, err
}

// load adds up the workers' records for a window.
func (s *session) load(win *window) (l record.Load, err error) {
	now := s.workers[0].now()
	if win.ledger != nil {
		l = win.ledger.Close(now)
		if d := win.Observe.Into; d != nil {
			d.Texts = map[string]string{}
			for _, w := range s.workers {
				maps.Copy(d.Texts, w.texts)
				d.First = cmp.Or(d.First, w.complaint)
			}
		}
	} else {
		recorders := make([]*load.Recorder, len(s.workers))
		for i, w := range s.workers {
			recorders[i] = w.rec
		}
		l, err = load.Merge(recorders, now)
	}
	l.Connections, l.Workers, l.Spin = s.job.Connections, len(s.workers), &s.job.Spin
	unreachable, opening := s.workers[0].unreachable, int64(0)
	for _, w := range s.workers {
		l.Established += w.established
		l.RepeatedDials += w.dials.Repeated
		opening = max(opening, w.opening)
		for i := range w.conns {
			c := &w.conns[i]
			if c.state == isUp {
				w.count(c)
			}
			load.Allow(&l, c.http.Allowed(w.depth), w.depth)
		}
		unreachable = min(unreachable, w.unreachable)
		if err == nil && load.OutOfFiles(w.dialErr) {
			err = load.FilesError(w.dialErr, s.job.Connections)
		}
	}
	if load.Undialled(&l)+l.NeverStarted > 0 { // or it was all over
		l.UnreachableNS = unreachable
	}
	if l.RepeatedDials > 0 {
		l.OpeningNS = opening
	}
	s.job.Counted(&l, s.segments())
	return l, err
}

// segments adds up the segments that the workers have counted.
func (s *session) segments() *wire.Segments {
	sum := &wire.Segments{}
	for _, w := range s.workers {
		sum.Merge(&w.segments)
	}
	return sum
}

// Close closes all connections. It must not run concurrently with Run.
func (s *session) Close() error {
	for _, w := range s.workers {
		w.close()
	}
	s.workers = nil
	return nil
}

// window is shared by one Run's workers.
type window struct {
	load.Window
	paced  bool
	edge   *load.Edge
	ledger *load.Ledger // nil: not observed
	stop   atomic.Bool  // ctx was cancelled
	left   atomic.Int64 // requests that may still start, if Requests > 0
	ended  atomic.Int32 // number of workers that have ended
	free   atomic.Int32 // in an open loop: number of workers with a free connection

	reached atomic.Int64 // when a worker last had a connection, or was not refused one
}

// open makes the Edge for a window that begins at start.
func (win *window) open(start int64, job *load.Job) {
	starters := 1 // a closed loop counts down together
	if win.Schedule != nil {
		starters = job.Workers
	}
	win.edge = load.NewEdge(&win.Window, job, starters, start, win.Deadline(start))
}
