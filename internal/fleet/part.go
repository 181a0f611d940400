package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno/internal/load"
	"dyno/internal/loader"
	"dyno/internal/machine"
)

// Loading is a load for which generators open connections: dyno load's, or a job of the bench.
type Loading struct {
	Share   load.Share      `json:"share"`             // the generator's share
	Request *loader.Request `json:"request,omitempty"` // dyno load; nil: To and Job are set

	To  Place    `json:"to,omitzero"`
	Job load.Job `json:"job,omitzero"`
}

// job returns the job for a generator with these CPUs.
func (l *Loading) job(cpus []int) (job load.Job, err error) {
	if l.Job.Scenario == nil {
		return job, errors.New("a load without a scenario")
	}
	job = l.Job
	job.CPUs, job.Share = cpus, l.Share
	job.Endpoint, err = l.To.endpoint()
	return job, err
}

// part is an open share of a load.
type part interface {
	// measure carries out a window and stores the results in r.
	measure(ctx context.Context, w load.Window, r *LoadedWindow) error
	Close() error
}

// jobPart is the share of a bench job.
type jobPart struct {
	load.Session
	share load.Share
}

func (p jobPart) measure(ctx context.Context, w load.Window, r *LoadedWindow) (err error) {
	w.Observe = &load.Observe{}
	r.Part, err = load.Measure(ctx, p.Session, p.share, w)
	return err
}

// planPart is the share of a dyno load, which has one window.
type planPart struct {
	load.Session
	plan *loader.Plan
}

func (p planPart) measure(ctx context.Context, w load.Window, r *LoadedWindow) (err error) {
	r.Outcome, err = p.plan.Measure(ctx, p.Session, w.Begin)
	return err
}

// takeLoad opens a share of a dyno load, and returns the length of its window; 0: until all requests are
// done.
type takeLoad func(ctx context.Context, r loader.Request) (part, time.Duration, error)

func takeShare(ctx context.Context, r loader.Request) (part, time.Duration, error) {
	plan, err := loader.New(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	session, err := plan.Connect(ctx)
	return planPart{session, plan}, plan.Length, err
}

// opened is an open part, which a session keeps between orders.
type opened struct {
	part
	planned bool            // a dyno load
	ctx     context.Context // context of its windows
	end     context.CancelFunc
	mu      sync.Mutex // one window at a time, and none during close
}

// close ends the present window, if any, and closes the connections afterwards.
func (l *opened) close() error {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.part.Close()
}

// Opened identifies an open load.
type Opened struct {
	Number   int   `json:"number"`
	LengthNS int64 `json:"length_ns,omitempty"` // length of dyno load's window; 0: until all requests are done
}

// open opens a share of a load; a dyno load also warms up.
func (s *session) open(q *Loading) (o Opened, err error) {
	if err := q.Share.Check(); err != nil {
		return o, unfit{err}
	}
	ctx, end := context.WithCancel(s.begin())
	l, length, err := s.connect(ctx, q)
	if err != nil {
		end()
		return o, err
	}
	return Opened{s.loads.put(&opened{part: l, planned: q.Request != nil, ctx: ctx, end: end}), int64(length)}, nil
}

// connect opens the connections for a share of a load.
func (s *session) connect(ctx context.Context, q *Loading) (part, time.Duration, error) {
	if q.Request != nil {
		r := *q.Request
		r.Share = q.Share
		if err := r.Portable(); err != nil || !r.Detached() {
			return nil, 0, unfit{cmp.Or(err, errors.New("a load whose requests are missing"))}
		}
		return s.agent.take(ctx, r)
	}
	job, err := q.job(s.agent.site.describe().GeneratorCPUs)
	if err != nil {
		return nil, 0, unfit{err}
	}
	session, err := s.agent.site.engine().Open(ctx, job)
	return jobPart{session, q.Share}, 0, err
}

// shut closes the load with this number.
func (s *session) shut(number *int) (Done, error) {
	l, err := s.loads.take(*number)
	switch {
	case err != nil:
		return Done{}, err
	case !l.mu.TryLock(): // neither the controller nor its other orders wait for the end of a window
		s.working.Go(func() { l.close() })
		return Done{}, nil
	}
	l.mu.Unlock()
	return Done{}, l.close()
}

// LoadWindow asks for a window of an open load.
type LoadWindow struct {
	Number  int         `json:"number"`
	Window  load.Window `json:"window"`             // the window of a bench's job
	AtNS    int64       `json:"at_ns,omitempty"`    // beginning, agent's clock; 0: now
	BoundNS int64       `json:"bound_ns,omitempty"` // error bound of AtNS
}

// LoadedWindow is the result of a window.
type LoadedWindow struct {
	BeganNS  int64           `json:"began_ns"`          // beginning, agent's clock
	Messages uint64          `json:"messages"`          // messages sent and received during the window
	Part     *load.Part      `json:"part,omitempty"`    // result of a bench's job
	Outcome  *loader.Outcome `json:"outcome,omitempty"` // result of a dyno load
}

// loadWindow loads for one window. Meanwhile it sends and receives nothing, and collects no garbage for a
// job. A dyno load that misses its start ends at once.
func (s *session) loadWindow(q *LoadWindow) (r LoadedWindow, err error) {
	l, err := s.loads.get(q.Number)
	if err != nil {
		return r, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ahead := time.Duration(q.AtNS - s.agent.now())
	switch {
	case q.AtNS != 0 && ahead <= 0:
		return r, late{fmt.Errorf("the order to start came %v late", -ahead)}
	case ahead > time.Minute:
		return r, unfit{fmt.Errorf("a window that begins in %v: want a minute at most", ahead)}
	}
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	if ctx.Err() != nil {
		return r, errors.New("the load was ended")
	}
	var before uint64
	var missed error
	w := q.Window
	w.Begin = func() {
		if q.AtNS != 0 {
			s.agent.until(ctx, q.AtNS+int64(s.agent.delay))
		}
		before, r.BeganNS = s.link.messages(), s.agent.now()
		if l.planned {
			if missed = (machine.CommonStart{TheirNS: q.AtNS, BoundNS: q.BoundNS}).Missed(r.BeganNS,
				int64(Skew)); missed != nil {
				cancel()
			}
		}
	}
	if !l.planned {
		defer s.agent.site.quiet()()
	}
	err = l.measure(ctx, w, &r)
	r.Messages = s.link.messages() - before
	if missed != nil {
		err = late{fmt.Errorf("it did not start on time: %w", missed)}
	}
	if err != nil {
		r = LoadedWindow{}
	}
	return r, err
}

// spun is the time before a deadline at which the agent stops sleeping, because sleeps end late.
const spun = 2 * time.Millisecond

// until returns when the agent's clock shows at, or ctx is done.
func (a *Agent) until(ctx context.Context, at int64) {
	select {
	case <-time.After(time.Duration(at-a.now()) - spun):
	case <-ctx.Done():
		return
	}
	for left := at - a.now(); left > 0; left = at - a.now() {
		if a.spin != nil {
			a.spin(time.Duration(left))
		}
	}
}
