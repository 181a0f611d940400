package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno/internal/clocks"
	"dyno/internal/load"
	"dyno/internal/loader"
)

// Loading is a load that generators open the connections of: that of dyno load, or a job of the bench.
type Loading struct {
	Plan *Plan `json:"plan,omitempty"` // of dyno load; nil: a job, and

	To       Place     `json:"to,omitzero"`
	Contract *Contract `json:"contract,omitempty"`
	Job      load.Job  `json:"job,omitzero"`
}

// loadingOf packs a job of the bench to a place. The generators choose their CPUs.
func loadingOf(job load.Job, to Place) (*Loading, error) {
	contract, err := inOrder(job.Scenario)
	return &Loading{To: to, Contract: contract, Job: job}, err
}

// share returns the share of a generator.
func (l *Loading) share() *load.Share {
	if l.Plan != nil {
		return &l.Plan.Request.Share
	}
	return &l.Job.Share
}

// of returns the load for one generator.
func (l Loading) of(share load.Share) Loading {
	if l.Plan != nil {
		own := *l.Plan
		l.Plan = &own
	}
	*l.share() = share
	return l
}

// job unpacks l for a generator with these CPUs.
func (l *Loading) job(cpus []int) (job load.Job, err error) {
	if l.Contract == nil {
		return job, errors.New("a load without a scenario")
	}
	job = l.Job
	job.Scenario, job.CPUs = l.Contract.unpack(), cpus
	job.Endpoint, err = l.To.endpoint()
	return job, err
}

// part is a share of a load whose connections are open.
type part interface {
	// measure carries out a window into r.
	measure(ctx context.Context, w load.Window, r *LoadedWindow) error
	Close() error
}

// jobPart is the share of a job of the bench.
type jobPart struct {
	load.Session
	share load.Share
}

func (p jobPart) measure(ctx context.Context, w load.Window, r *LoadedWindow) (err error) {
	w.Observe = &load.Observe{}
	r.Part, err = load.Measure(ctx, p.Session, p.share, w)
	return err
}

// planPart is the share of a load of dyno load, which has one window.
type planPart struct {
	load.Session
	plan *loader.Plan
}

func (p planPart) measure(ctx context.Context, w load.Window, r *LoadedWindow) (err error) {
	r.Outcome, err = p.plan.Measure(ctx, p.Session, w.Begin)
	return err
}

// takeLoad opens a share of a load of dyno load, and returns the length of its window; 0: until its requests are done.
type takeLoad func(ctx context.Context, r loader.Request) (part, time.Duration, error)

func takeShare(ctx context.Context, r loader.Request) (part, time.Duration, error) {
	plan, err := loader.New(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	session, err := plan.Connect(ctx)
	return planPart{session, plan}, plan.Length, err
}

// opened is a part that a session keeps.
type opened struct {
	part
	planned bool            // it is of dyno load
	ctx     context.Context // of its windows
	end     context.CancelFunc
	mu      sync.Mutex // one window at a time, and none while it is closed
}

// close ends a window that goes on, and closes the connections after it.
func (l *opened) close() error {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.part.Close()
}

// Opened names a load that is open.
type Opened struct {
	Number      int    `json:"number,omitempty"`
	LengthNS    int64  `json:"length_ns,omitempty"` // of the window of dyno load; 0: until its requests are done
	Error       string `json:"error,omitempty"`     // why it is not
	OutOfFiles  bool   `json:"out_of_files,omitempty"`
	Unreachable bool   `json:"unreachable,omitempty"`
	Lost        bool   `json:"lost,omitempty"` // segments of its connections
}

// open opens a share of a load; that of dyno load warms up, too.
func (s *session) open(q *Loading) (o Opened, err error) {
	share := *q.share()
	if err := share.Check(); err != nil {
		return o, unfit{err}
	}
	ctx, end := context.WithCancel(s.begin())
	l := &opened{planned: q.Plan != nil, ctx: ctx, end: end}
	defer func() {
		if o.Number == 0 {
			end()
		}
	}()
	if l.planned {
		request, err := q.Plan.unpack()
		if err != nil {
			return o, unfit{err}
		}
		take := s.agent.take
		if take == nil {
			take = takeShare
		}
		var length time.Duration
		if l.part, length, err = take(ctx, request); err != nil {
			return o, err
		}
		return Opened{Number: s.loads.put(l), LengthNS: int64(length)}, nil
	}
	job, err := q.job(s.agent.site.describe().GeneratorCPUs)
	if err != nil {
		return o, unfit{err}
	}
	session, err := s.agent.site.engine().Open(ctx, job)
	if err != nil {
		_, lost := errors.AsType[*load.LossError](err)
		return Opened{Error: err.Error(), OutOfFiles: load.OutOfFiles(err), Unreachable: unreachable(err), Lost: lost}, nil
	}
	l.part = jobPart{session, share}
	return Opened{Number: s.loads.put(l)}, nil
}

// shut closes the load with a number.
func (s *session) shut(number *int) (Done, error) {
	l, err := s.loads.take(*number)
	switch {
	case err != nil:
		return Done{}, err
	case !l.mu.TryLock(): // the controller does not wait for the end of a window, nor do its other orders
		s.working.Go(func() { l.close() })
		return Done{}, nil
	}
	l.mu.Unlock()
	return Done{}, l.close()
}

// LoadWindow asks for a window of a load that is open.
type LoadWindow struct {
	Number  int         `json:"number"`
	Window  load.Window `json:"window"`             // of a job
	AtNS    int64       `json:"at_ns,omitempty"`    // when it begins, by the agent's clock; 0: now
	BoundNS int64       `json:"bound_ns,omitempty"` // how far that may be from the common time
}

// LoadedWindow is what was seen in it.
type LoadedWindow struct {
	BeganNS  int64           `json:"began_ns"`          // by the agent's clock
	Messages uint64          `json:"messages"`          // sent and received in it
	Part     *load.Part      `json:"part,omitempty"`    // of a job
	Outcome  *loader.Outcome `json:"outcome,omitempty"` // of dyno load
	Error    string          `json:"error,omitempty"`   // why there is neither
	Late     bool            `json:"late,omitempty"`    // it came, or began, too late
}

// loadWindow loads for one window. It sends and receives nothing meanwhile, nor collects garbage for a job. A load of
// dyno load that misses its time ends at once.
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
		return LoadedWindow{Late: true, Error: fmt.Sprintf("the order to start came %v late", -ahead)}, nil
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
			if missed = (clocks.Start{TheirNS: q.AtNS, BoundNS: q.BoundNS}).Missed(r.BeganNS, int64(Skew)); missed != nil {
				cancel()
			}
		}
	}
	if !l.planned {
		defer s.agent.site.quiet()()
	}
	err = l.measure(ctx, w, &r)
	r.Messages = s.link.messages() - before
	switch {
	case missed != nil:
		r = LoadedWindow{Late: true, Error: "it did not start on time: " + missed.Error()}
	case err != nil:
		r.Part, r.Outcome, r.Error = nil, nil, err.Error()
	}
	return r, nil
}

// spun is how long before a time the agent stops sleeping, which ends late.
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
