package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno/internal/clocks"
	"dyno/internal/conf"
	"dyno/internal/load"
	"dyno/internal/loader"
)

// Task asks an agent to prepare its share of a load: to connect, and to warm up.
type Task struct {
	Run   string     `json:"run"`  // that nobody can guess; its events have it
	Plan  Plan       `json:"plan"` // of all generators
	Share load.Share `json:"share"`
}

// Start asks an agent to begin what it has prepared.
type Start struct {
	Run  string `json:"run"`
	Plan string `json:"plan"`  // digest of the Plan that was prepared
	AtNS int64  `json:"at_ns"` // by the agent's clock
	// BoundNS is how far that may be from the common time.
	BoundNS int64 `json:"bound_ns"`
}

// Stop asks an agent to end a load, and what it opened for it.
type Stop struct {
	Run string `json:"run"`
}

// Done is the answer to an order that has no other.
type Done struct{}

// Event is what an agent says of a task that it carries out. The controller heeds each ID once.
type Event struct {
	Run   string `json:"run"`
	Agent string `json:"agent"`
	Kind  string `json:"kind"` // ready, done or failed

	LengthNS int64           `json:"length_ns,omitempty"` // ready: of the window; 0: until its requests are done
	Text     string          `json:"text,omitempty"`      // failed: why
	Usage    bool            `json:"usage,omitempty"`     // failed: the request is a mistake of its author
	Outcome  *loader.Outcome `json:"outcome,omitempty"`   // done
	BeganNS  int64           `json:"began_ns,omitempty"`  // done: when the window began, by the agent's clock
	Messages uint64          `json:"messages,omitempty"`  // done: sent and received in the window
}

// ID names the event: an agent that is not sure that it was received sends it again.
func (e *Event) ID() string { return e.Run + "/" + e.Agent + "/" + e.Kind }

// task is a load that a session prepares and carries out.
type task struct {
	*Task
	plan   string // digest of the Plan
	ready  chan struct{}
	begin  chan clocks.Start // takes the time of Start, once
	begun  bool
	cancel context.CancelFunc
	done   chan struct{}
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

// prepare begins to prepare a load, and returns at once: an event says when it is ready.
func (s *session) prepare(q *Task) (Done, error) {
	request, err := q.Plan.unpack()
	switch {
	case s.load != nil && s.load.running():
		return Done{}, errors.New("it is busy with another load")
	case err != nil:
		return Done{}, unfit{err}
	case q.Run == "" || q.Share.Check() != nil:
		return Done{}, unfit{errors.New("a load without a run or a share")}
	}
	t := &task{Task: q, plan: q.Plan.digest(), ready: make(chan struct{}), begin: make(chan clocks.Start, 1),
		done: make(chan struct{})}
	var ctx context.Context
	ctx, t.cancel = context.WithCancel(s.ctx)
	s.load = t
	s.tasks.Go(func() {
		defer close(t.done)
		defer t.cancel()
		e := s.carryOut(ctx, t, request)
		e.Run, e.Agent = t.Run, s.agent.Bundle.Name
		s.report(s.ctx, e)
	})
	return Done{}, nil
}

// start lets the load begin that was prepared.
func (s *session) start(q *Start) (Done, error) {
	t := s.load
	if t == nil || t.Run != q.Run || t.plan != q.Plan {
		return Done{}, unfit{errors.New("the load that is to start is not the one that was prepared")}
	}
	select {
	case <-t.ready:
	default:
		return Done{}, unfit{errors.New("the load that is to start is not ready")}
	}
	switch ahead := time.Duration(q.AtNS - s.agent.now()); {
	case t.begun || !t.running():
		return Done{}, unfit{errors.New("the load has been started before")}
	case ahead <= 0:
		return Done{}, fmt.Errorf("the order to start came %v late", -ahead)
	case ahead > time.Minute:
		return Done{}, unfit{fmt.Errorf("the load is to start in %v: want a minute at most", ahead)}
	}
	t.begun = true
	t.begin <- clocks.Start{TheirNS: q.AtNS, BoundNS: q.BoundNS}
	return Done{}, nil
}

// stop ends a load, and waits for its end. What it did until then is in its event.
func (s *session) stop(q *Stop) (Done, error) {
	t := s.load
	if t == nil || t.Run != q.Run {
		return Done{}, nil
	}
	t.cancel()
	select {
	case <-t.done:
		return Done{}, nil
	case <-time.After(patience - time.Second):
		return Done{}, errors.New("the load does not end")
	}
}

// longestWait is how long a load that is ready waits for its start.
const longestWait = 2 * time.Minute

// carryOut carries out a task until it ends or ctx does, and returns the event that says so.
func (s *session) carryOut(ctx context.Context, t *task, request loader.Request) Event {
	request.Share = t.Share
	var at clocks.Start
	var began int64
	var missed error
	var before, after uint64
	take := s.agent.take
	if take == nil {
		take = takeShare
	}
	o, err := take(ctx, request, func(length time.Duration) error {
		close(t.ready)
		// If nobody says that it was stored, the start does: no message may be left for the window.
		unheard, heard := context.WithCancel(s.ctx)
		var reports sync.WaitGroup
		reports.Go(func() {
			s.report(unheard, Event{Run: t.Run, Agent: s.agent.Bundle.Name, Kind: "ready", LengthNS: int64(length)})
		})
		defer reports.Wait()
		defer heard()
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
		before, began = s.link.messages(), s.agent.now()
		if err := at.Missed(began, int64(Skew)); err != nil && ctx.Err() == nil {
			missed = err
			t.cancel() // rather than make load for nothing
		}
	})
	after = s.link.messages()
	switch {
	case missed != nil:
		return Event{Kind: "failed", Text: "it " + late(missed).Error()}
	case err != nil:
		_, usage := errors.AsType[*conf.UsageError](err)
		return Event{Kind: "failed", Text: err.Error(), Usage: usage}
	}
	return Event{Kind: "done", Outcome: o, BeganNS: began, Messages: after - before}
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

// report sends an event, and again until the controller's server has stored it: that keeps one of each
// ID. It gives up with ctx.
func (s *session) report(ctx context.Context, e Event) {
	data, unfit := json.Marshal(e)
	if len(data) > mostBytes/2 {
		unfit = fmt.Errorf("its figures take %d MB, more than can be sent; make the load shorter", len(data)>>20)
	}
	if unfit != nil {
		e.Kind, e.Outcome, e.Text = "failed", nil, unfit.Error()
		data = encoded(e)
	}
	for ctx.Err() == nil {
		try, cancel := context.WithTimeout(ctx, patience)
		again := s.link.report(try, e.ID(), data)
		if cancel(); again == nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}
