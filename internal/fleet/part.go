package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno/internal/load"
)

// Loading is a job for which generators open connections.
type Loading struct {
	Share load.Share `json:"share"` // the generator's share
	To    Place      `json:"to"`
	Job   load.Job   `json:"job"`
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

// opened is an open share of a job, which a session keeps between orders.
type opened struct {
	load.Session
	share load.Share
	ctx   context.Context // context of its windows
	end   context.CancelFunc
	mu    sync.Mutex // one window at a time, and none during close
}

// close ends the present window, if any, and closes the connections afterwards.
func (l *opened) close() error {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Session.Close()
}

// open opens a share of a job, and returns its number.
func (s *session) open(q *Loading) (number int, err error) {
	err = q.Share.Check()
	var job load.Job
	if err == nil {
		job, err = q.job(s.agent.site.describe().GeneratorCPUs)
	}
	if err != nil {
		return 0, unfit{err}
	}
	ctx, end := context.WithCancel(s.begin())
	session, err := s.agent.site.engine().Open(ctx, job)
	if err != nil {
		end()
		return 0, err
	}
	return s.loads.put(&opened{Session: session, share: q.Share, ctx: ctx, end: end}), nil
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
	Number int         `json:"number"`
	Window load.Window `json:"window"`
	AtNS   int64       `json:"at_ns,omitempty"` // beginning, agent's clock; 0, or a time in the past: now
}

// LoadedWindow is the result of a window.
type LoadedWindow struct {
	BeganNS int64      `json:"began_ns"` // beginning, agent's clock
	Part    *load.Part `json:"part"`
}

// loadWindow loads for one window. Meanwhile it sends and receives nothing, and collects no garbage.
func (s *session) loadWindow(q *LoadWindow) (r LoadedWindow, err error) {
	l, err := s.loads.get(q.Number)
	if err != nil {
		return r, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ahead := time.Duration(q.AtNS - s.agent.now())
	switch {
	case ahead > time.Minute:
		return r, unfit{fmt.Errorf("a window that begins in %v: want a minute at most", ahead)}
	case l.ctx.Err() != nil:
		return r, errors.New("the load was ended")
	}
	w := q.Window
	w.Observe = &load.Observe{}
	w.Begin = func() {
		if q.AtNS != 0 {
			s.agent.until(l.ctx, q.AtNS+int64(s.agent.delay))
		}
		r.BeganNS = s.agent.now()
	}
	defer s.agent.site.quiet()()
	r.Part, err = load.Measure(l.ctx, l.Session, l.share, w)
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
