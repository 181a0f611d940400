package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	lab "dyno/internal/bench"
	"dyno/internal/endpoint"
	"dyno/internal/load"
	"dyno/internal/scenario"
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
func (s *session) leave(*Generating) (Done, error) {
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

// Generating asks what machine a generator is.
type Generating struct{}

func (s *session) generate(*Generating) (Described, error) {
	return Described{s.agent.site.describe()}, nil
}

// Opened names a load that is open.
type Opened struct {
	Number      int    `json:"number,omitempty"`
	Error       string `json:"error,omitempty"` // why it is not
	OutOfFiles  bool   `json:"out_of_files,omitempty"`
	Unreachable bool   `json:"unreachable,omitempty"`
	Lost        bool   `json:"lost,omitempty"` // segments of its connections
}

func (s *session) open(q *Loading) (o Opened, err error) {
	if err := q.Share.Check(); err != nil {
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
	return Opened{Number: s.loads.put(&opened{Session: session, share: q.Share, ctx: ctx, end: end})}, nil
}

// Numbered names what an order is about.
type Numbered struct {
	Number int `json:"number"`
}

func (s *session) shut(q *Numbered) (Done, error) {
	l, err := s.loads.take(q.Number)
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
	Number int       `json:"number"`
	Window Windowing `json:"window"`
	AtNS   int64     `json:"at_ns,omitempty"` // when it begins, by the agent's clock; 0: now
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
	w := q.Window.window()
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

// Used is what an agent has used until now.
type Used struct {
	CPU time.Duration `json:"cpu"`
}

func (s *session) cpu(*Generating) (u Used, err error) {
	u.CPU, err = s.agent.site.used()
	return u, err
}

// Question asks a generator to send single requests to a server (bench.Asker).
type Question struct {
	What     string        `json:"what"`
	To       Place         `json:"to"`
	Contract *Contract     `json:"contract,omitempty"`
	Differs  []string      `json:"differs,omitempty"`
	Delay    time.Duration `json:"delay,omitempty"`
	Number   int           `json:"number,omitempty"` // of connections
	Records  *lab.Records  `json:"records,omitempty"`
	Path     string        `json:"path,omitempty"`
}

// What a generator can be asked for.
const (
	askVerify  = "verify"
	askInspect = "inspect"
	askAnswers = "answers"
	askDial    = "dial"
	askTell    = "tell"
	askFetch   = "fetch"
)

// Said is what came of a question.
type Said struct {
	Observed *scenario.Observed `json:"observed,omitempty"`
	Answers  []scenario.Answer  `json:"answers,omitempty"`
	Late     int                `json:"late,omitempty"`
	Body     []byte             `json:"body,omitempty"`
	Error    string             `json:"error,omitempty"` // of the server

	Unreachable bool `json:"unreachable,omitempty"`
	Lost        bool `json:"lost,omitempty"` // segments of its connections
}

const longestQuestion = 2 * time.Minute

// askServer sends single requests to a server.
func (s *session) askServer(q *Question) (a Said, err error) {
	to, err := q.To.endpoint()
	if err != nil {
		return a, unfit{err}
	}
	sc := q.Contract.unpack()
	if sc == nil && (q.What == askVerify || q.What == askInspect || q.What == askAnswers) ||
		q.Records == nil && q.What == askTell {
		return a, unfit{errors.New("a question without what is asked")}
	}
	to.Watch = &endpoint.Watch{}
	ctx, cancel := context.WithTimeout(s.begin(), longestQuestion)
	defer cancel()
	by := s.agent.site.asker()
	switch q.What {
	case askVerify:
		a.Observed, err = by.Verify(ctx, sc, to, q.Differs, q.Delay)
	case askInspect:
		a.Observed, err = by.Inspect(ctx, sc, to)
	case askAnswers:
		a.Answers, err = by.Answers(ctx, sc, to)
	case askDial:
		a.Late, err = by.Dial(ctx, to, q.Number)
	case askTell:
		err = by.Tell(ctx, to, *q.Records)
	case askFetch:
		a.Body, err = by.Fetch(ctx, to, q.Path)
	default:
		return a, unfit{fmt.Errorf("unknown question %q", q.What)}
	}
	if err != nil {
		a.Error, a.Unreachable, a.Lost = err.Error(), unreachable(err), to.Watch.Lost() > 0
	}
	return a, nil
}
