package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno/internal/clocks"
	"dyno/internal/load"
	"dyno/internal/loader"
)

// Task asks an agent to prepare its share of a load: to connect, and to warm up.
type Task struct {
	Run   string     `json:"run"`  // that nobody can guess
	Plan  Plan       `json:"plan"` // of all generators
	Share load.Share `json:"share"`
}

// Ready is the answer: the load is connected, and warmed up.
type Ready struct {
	LengthNS int64 `json:"length_ns"` // of the window; 0: until its requests are done
}

// Start asks an agent to carry out what it has prepared.
type Start struct {
	Run  string `json:"run"`
	Plan string `json:"plan"`  // digest of the Plan that was prepared
	AtNS int64  `json:"at_ns"` // by the agent's clock
	// BoundNS is how far that may be from the common time.
	BoundNS int64 `json:"bound_ns"`
}

// Loaded is the answer, after the load: nothing else is sent until then.
type Loaded struct {
	Outcome  *loader.Outcome `json:"outcome"`
	BeganNS  int64           `json:"began_ns"` // when the window began, by the agent's clock
	Messages uint64          `json:"messages"` // sent and received in the window
}

// Done is the body of an order, or of an answer, that says nothing.
type Done struct{}

// task is a load that a session prepares and carries out.
type task struct {
	*Task
	plan   string             // digest of the Plan
	length chan time.Duration // takes that of the window once it is ready
	begin  chan clocks.Start  // takes the time of Start, once
	ready  bool
	begun  bool
	cancel context.CancelFunc
	done   chan struct{}

	loaded Loaded // once it is done
	err    error  // why there is none
}

// running reports whether t has not ended.
func (t *task) running() bool {
	select {
	case <-t.done:
		return false
	default:
		return true
	}
}

// prepare begins to prepare a load, and returns when it is ready.
func (s *session) prepare(q *Task) (Ready, error) {
	request, err := q.Plan.unpack()
	switch {
	case err != nil:
		return Ready{}, unfit{err}
	case q.Run == "" || q.Share.Check() != nil:
		return Ready{}, unfit{errors.New("a load without a run or a share")}
	}
	t := &task{Task: q, plan: q.Plan.digest(), length: make(chan time.Duration, 1), begin: make(chan clocks.Start, 1),
		done: make(chan struct{})}
	run := s.begin()
	s.kept.mu.Lock()
	if s.load != nil && s.load.running() {
		s.kept.mu.Unlock()
		return Ready{}, errors.New("it is busy with another load")
	}
	s.load = t
	s.kept.mu.Unlock()
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(run)
	s.working.Go(func() {
		defer close(t.done)
		defer t.cancel()
		t.loaded, t.err = s.carryOut(ctx, t, request)
	})
	select {
	case length := <-t.length:
		s.kept.mu.Lock()
		t.ready = true
		s.kept.mu.Unlock()
		return Ready{int64(length)}, nil
	case <-t.done:
		return Ready{}, t.err
	}
}

// start lets the load begin that was prepared, and returns after it.
func (s *session) start(q *Start) (Loaded, error) {
	t, err := s.starting(q)
	if err != nil {
		return Loaded{}, err
	}
	t.begin <- clocks.Start{TheirNS: q.AtNS, BoundNS: q.BoundNS}
	<-t.done
	return t.loaded, t.err
}

// starting returns the load that q names, if it may begin.
func (s *session) starting(q *Start) (*task, error) {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	t := s.load
	switch ahead := time.Duration(q.AtNS - s.agent.now()); {
	case t == nil || t.Run != q.Run || t.plan != q.Plan:
		return nil, unfit{errors.New("the load that is to start is not the one that was prepared")}
	case !t.ready:
		return nil, unfit{errors.New("the load that is to start is not ready")}
	case t.begun || !t.running():
		return nil, unfit{errors.New("the load has been started before")}
	case ahead <= 0:
		return nil, fmt.Errorf("the order to start came %v late", -ahead)
	case ahead > time.Minute:
		return nil, unfit{fmt.Errorf("the load is to start in %v: want a minute at most", ahead)}
	}
	t.begun = true
	return t, nil
}

// longestWait is how long a load that is ready waits for its start.
const longestWait = 2 * time.Minute

// carryOut carries out a task until it ends or ctx does.
func (s *session) carryOut(ctx context.Context, t *task, request loader.Request) (l Loaded, err error) {
	request.Share = t.Share
	var at clocks.Start
	var missed error
	var before uint64
	take := s.agent.take
	if take == nil {
		take = takeShare
	}
	l.Outcome, err = take(ctx, request, func(length time.Duration) error {
		t.length <- length
		select {
		case at = <-t.begin:
			return nil
		case <-ctx.Done():
			return errors.New("stopped before its start")
		case <-time.After(longestWait):
			return errors.New("no order to start came")
		}
	}, func() {
		s.agent.until(ctx, at.TheirNS+int64(s.agent.delay))
		before, l.BeganNS = s.link.messages(), s.agent.now()
		if err := at.Missed(l.BeganNS, int64(Skew)); err != nil && ctx.Err() == nil {
			missed = err
			t.cancel() // rather than make load for nothing
		}
	})
	l.Messages = s.link.messages() - before
	if missed != nil {
		return l, fmt.Errorf("it %w", late(missed))
	}
	return l, err
}

// late returns the error of a generator that missed the common time.
func late(missed error) error {
	return fmt.Errorf("did not start on time, so there is no result: %w; try again", missed)
}

// takeLoad carries out a share of a load, as loader.New and Plan.Measure do. ready is given the length of
// the window.
type takeLoad func(ctx context.Context, r loader.Request, ready func(time.Duration) error, begin func()) (
	*loader.Outcome, error)

func takeShare(ctx context.Context, r loader.Request, ready func(time.Duration) error, begin func()) (
	*loader.Outcome, error) {
	plan, err := loader.New(ctx, r)
	if err != nil {
		return nil, err
	}
	return plan.Measure(ctx, func() error { return ready(plan.Length) }, begin)
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
