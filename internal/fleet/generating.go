package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	lab "dyno/internal/bench"
	"dyno/internal/endpoint"
	"dyno/internal/load"
	"dyno/internal/result"
)

// begin returns the context of the run that is going on.
func (s *session) begin() context.Context {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	if s.kept.run == nil {
		s.kept.run, s.kept.end = context.WithCancel(s.ctx)
	}
	return s.kept.run
}

// release stops all that the session does for a run.
func (s *session) release() {
	s.begin()
	s.kept.mu.Lock()
	s.kept.end()
	s.kept.run = nil
	s.kept.mu.Unlock()
	s.working.Wait()
	for _, l := range s.loads.drain() {
		l.close()
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.clear()
}

// leave ends a run.
func (s *session) leave(*Done) (Done, error) {
	s.release()
	return Done{}, nil
}

// opened is a load whose connections are open.
type opened struct {
	load.Session
	share load.Share
	ctx   context.Context // of its windows
	end   context.CancelFunc
	mu    sync.Mutex // one window at a time, and none while it is closed
}

// close ends a window that goes on, and closes the connections after it.
func (l *opened) close() error {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Session.Close()
}

// generate says what machine a generator is.
func (s *session) generate(*Done) (result.Host, error) { return s.agent.site.describe(), nil }

// Opened names a load that is open.
type Opened struct {
	Number      int    `json:"number,omitempty"`
	Error       string `json:"error,omitempty"` // why it is not
	OutOfFiles  bool   `json:"out_of_files,omitempty"`
	Unreachable bool   `json:"unreachable,omitempty"`
	Lost        bool   `json:"lost,omitempty"` // segments of its connections
}

func (s *session) open(q *Loading) (o Opened, err error) {
	if err := q.Job.Share.Check(); err != nil {
		return o, unfit{err}
	}
	job, err := q.job(s.agent.site.describe().GeneratorCPUs)
	if err != nil {
		return o, unfit{err}
	}
	ctx, end := context.WithCancel(s.begin())
	session, err := s.agent.site.engine().Open(ctx, job)
	if err != nil {
		end()
		var lost *load.LossError
		return Opened{Error: err.Error(), OutOfFiles: load.OutOfFiles(err), Unreachable: unreachable(err),
			Lost: errors.As(err, &lost)}, nil
	}
	return Opened{Number: s.loads.put(&opened{Session: session, share: q.Job.Share, ctx: ctx, end: end})}, nil
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
	Number int         `json:"number"`
	Window load.Window `json:"window"`
	AtNS   int64       `json:"at_ns,omitempty"` // when it begins, by the agent's clock; 0: now
}

// LoadedWindow is what was seen in it.
type LoadedWindow struct {
	BeganNS  int64      `json:"began_ns"` // by the agent's clock
	Messages uint64     `json:"messages"` // sent and received in it
	Part     *load.Part `json:"part,omitempty"`
	Error    string     `json:"error,omitempty"` // why there is no part
	Late     bool       `json:"late,omitempty"`  // it came after the time at which it was to begin
}

// loadWindow loads for one window. It sends and receives nothing meanwhile, nor collects garbage.
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
	ctx := l.ctx
	if ctx.Err() != nil {
		return r, errors.New("the load was ended")
	}
	var before uint64
	w := q.Window
	w.Observe = &load.Observe{}
	w.Begin = func() {
		if q.AtNS != 0 {
			s.agent.until(ctx, q.AtNS+int64(s.agent.delay))
		}
		before, r.BeganNS = s.link.messages(), s.agent.now()
	}
	r.Part, err = load.Measure(ctx, l.Session, l.share, w)
	r.Messages = s.link.messages() - before
	if err != nil {
		r.Part, r.Error = nil, err.Error()
	}
	return r, nil
}

// cpu returns what the agent has used until now.
func (s *session) cpu(*Done) (time.Duration, error) { return s.agent.site.used() }

// Question asks a generator to ask a server.
type Question struct {
	To       Place     `json:"to"`
	Contract *Contract `json:"contract,omitempty"` // of the scenario
	lab.Question
}

// Said is what came of it.
type Said struct {
	lab.Said
	Error       string `json:"error,omitempty"` // of the server
	Unreachable bool   `json:"unreachable,omitempty"`
	Lost        bool   `json:"lost,omitempty"` // segments of its connections
}

const longestQuestion = 2 * time.Minute

// askServer sends single requests to a server.
func (s *session) askServer(q *Question) (a Said, err error) {
	to, err := q.To.endpoint()
	if err != nil {
		return a, unfit{err}
	}
	q.Scenario = q.Contract.unpack()
	if q.Scenario == nil && slices.Contains([]string{lab.AskVerify, lab.AskInspect, lab.AskAnswers}, q.What) {
		return a, unfit{errors.New("a question without what is asked")}
	}
	to.Watch = &endpoint.Watch{}
	ctx, cancel := context.WithTimeout(s.begin(), longestQuestion)
	defer cancel()
	a.Said, err = s.agent.site.asker().Ask(ctx, to, q.Question)
	if err != nil {
		a.Error, a.Unreachable, a.Lost = err.Error(), unreachable(err), to.Watch.Lost() > 0
	}
	return a, nil
}
