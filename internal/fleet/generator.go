package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"dyno/internal/bench"
	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// Generator returns all generators in the run as one.
func (h *Host) Generator() bench.Generator { return &generator{h} }

// generator combines all generators in a run; each makes its share of a load.
type generator struct{ *Host }

const (
	// Skew limits the error of a start, including the clock's bound: half of a 20 ms sample in a load's
	// rates.
	Skew = load.Slice / 2

	// windowLead is the time between the order for a window and the window's start: enough for orders to arrive.
	windowLead = 100 * time.Millisecond
	ending     = 15 * time.Second // time after a window, for requests in flight and results
)

// CPUs returns the CPUs of all generators, one generator after another.
func (g *generator) CPUs() (cpus []int) {
	for _, m := range g.loaders() {
		cpus = append(cpus, m.GeneratorCPUs...)
	}
	return cpus
}

// CPU returns the CPU time of all generators' agents.
func (g *generator) CPU() (sum time.Duration, err error) {
	used := make([]time.Duration, len(g.generators))
	err = each(g.generators, func(i int, name string) (err error) {
		used[i], err = tell(g.work, g.Host, name, toCPU, Done{}, serverLimit)
		return err
	})
	for _, u := range used {
		sum += u
	}
	return sum, err
}

func (g *generator) Now() time.Time       { return time.Now() }
func (g *generator) Rest(t time.Duration) { time.Sleep(t) }

// Quiet does nothing: agents do not collect garbage during a window.
func (g *generator) Quiet() func() { return func() {} }

// Open opens a load's connections on all generators.
func (g *generator) Open(ctx context.Context, job load.Job) (load.Session, error) {
	place, err := g.placeOf(job.Endpoint)
	if err != nil {
		return nil, err
	}
	names := g.generators
	if job.Connections < len(names) { // as for a single idle connection
		names = names[:max(job.Connections, 1)]
	}
	s := &shared{g: g, names: names, numbers: make([]int, len(names)), timeout: job.Timeout}
	if err := each(names, func(i int, name string) (err error) {
		own := Loading{To: place, Job: job, Share: load.Share{Index: i, Of: len(names)}}
		s.numbers[i], err = tell(ctx, g.Host, name, toOpen, own, job.Timeout+launchLimit)
		if f, is := errors.AsType[*Fault](err); is && f.OutOfFiles {
			err = fmt.Errorf("%w: %w", err, syscall.EMFILE)
		}
		return err
	}); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// shared is a load with connections open on several generators.
type shared struct {
	g       *generator
	names   []string
	numbers []int // each generator's number for its share; 0: not open
	timeout time.Duration
	once    sync.Once
}

func (s *shared) Close() (err error) {
	s.once.Do(func() {
		err = each(s.names, func(i int, name string) (err error) {
			if s.numbers[i] > 0 {
				_, err = tell(s.g.work, s.g.Host, name, toShut, s.numbers[i], serverLimit)
			}
			return err
		})
	})
	return err
}

// Run loads for one window from all generators, and merges their results. A counted window begins at the same
// time on all of them; record.Load.Parts tells how precisely.
func (s *shared) Run(ctx context.Context, w load.Window) (l record.Load, err error) {
	sent := w
	if n := int64(len(s.names)); w.Schedule == nil && w.Requests > 0 && w.Requests < n {
		if sent.Requests = n; !w.Uncounted {
			return l, fmt.Errorf("%d requests for %d generators: each needs one or more", w.Requests, n)
		}
	}
	starts := make([]start, len(s.names))
	if !w.Uncounted {
		if starts, err = s.starts(ctx); err != nil {
			return l, err
		}
	}
	limit := time.Duration(0)
	if w.For > 0 {
		limit = windowLead + w.For + 2*s.timeout + ending
	}
	seen := make([]LoadedWindow, len(s.names))
	if err := each(s.names, func(i int, name string) (err error) {
		seen[i], err = tell(ctx, s.g.Host, name, toLoad, LoadWindow{s.numbers[i], sent, starts[i].atNS}, limit)
		if err == nil && seen[i].Part == nil {
			err = fmt.Errorf("%s: its answer has no figures", name)
		}
		return err
	}); err != nil {
		return l, err
	}
	return s.merge(w, seen, starts)
}

// start is the time at which a generator is to begin.
type start struct {
	atNS    int64 // generator's clock
	boundNS int64 // largest error of atNS
}

// starts compares clocks, and returns the start for each generator. A generator whose clock cannot be known to Skew is
// lost.
func (s *shared) starts(ctx context.Context) ([]start, error) {
	clocks := make([]offset, len(s.names))
	if err := each(s.names, func(i int, name string) (err error) {
		clocks[i], err = s.g.hub.offset(ctx, name)
		if bound := clocks[i].boundNS; err == nil && bound > int64(Skew) {
			err = fmt.Errorf("%s was lost: its clock is known to ± %s only; use a link with a shorter round trip", name,
				time.Duration(bound))
		}
		if err != nil && ctx.Err() == nil {
			s.g.lose(err)
		}
		return err
	}); err != nil {
		return nil, err
	}
	at := s.g.hub.now() + int64(windowLead)
	starts := make([]start, len(s.names))
	for i, c := range clocks {
		starts[i].atNS, starts[i].boundNS = c.at(at)
	}
	return starts, nil
}

// merge merges all generators' results for a window.
func (s *shared) merge(w load.Window, seen []LoadedWindow, starts []start) (record.Load, error) {
	var parts []*load.Part
	for _, r := range seen {
		parts = append(parts, r.Part)
	}
	l, detail, err := load.MergeParts(parts)
	if err != nil {
		return l, err
	}
	if w.Observe != nil {
		*w.Observe.Into = detail
	}
	for i, r := range seen {
		own := r.Part.Load
		p := record.LoadPart{Generator: s.names[i], Connections: own.Established, Started: own.Started,
			Succeeded: own.Succeeded, ServiceP50NS: own.ServiceP50NS, GapNS: own.GapNS, RunQueueNS: own.RunQueueNS,
			LoopCPUNS: own.LoopCPUNS, Workers: own.Workers}
		if at := starts[i]; !w.Uncounted {
			p.BeganNS, p.BoundNS = r.BeganNS-at.atNS, at.boundNS
		}
		l.Parts = append(l.Parts, p)
	}
	return l, nil
}

// Ask lets the first generator send the requests.
func (g *generator) Ask(ctx context.Context, to wire.Endpoint, q bench.Question) (none bench.Said, err error) {
	place, err := g.placeOf(to)
	if err != nil {
		return none, err
	}
	asker := g.generators[0]
	a, err := tell(ctx, g.Host, asker, toAsk, Question{place, q}, longestQuestion+serverLimit)
	return a, withoutMachine(err)
}
