package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno/internal/result"
)

// Work asks an agent for what may take long. It is answered at once; a result with its ID says what came
// of it, later.
type Work struct {
	ID   string          `json:"id"`   // that nobody can guess
	Kind string          `json:"kind"` // a key of works
	Body json.RawMessage `json:"body"`
}

// Finished is the result of a Work. The controller heeds each ID once.
type Finished struct {
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
}

// The kinds of orders of a run, and of works.
const (
	toWork     = "work"
	toServer   = "server"
	toWatch    = "watch"
	toUnwatch  = "unwatch"
	toGenerate = "generate"
	toShut     = "shut"
	toCPU      = "cpu"
	toLeave    = "leave"

	toHost    = "host"
	toSupport = "support"
	toBuild   = "build"
	toLaunch  = "launch"
	toOpen    = "open"
	toLoad    = "load"
	toAsk     = "ask"
)

// works are all that an agent can be asked for by Work.
var works = map[string]func(*session, []byte) (any, error){
	toHost:    handle((*session).host),
	toSupport: handle((*session).support),
	toBuild:   handle((*session).build),
	toLaunch:  handle((*session).launch),
	toOpen:    handle((*session).open),
	toLoad:    handle((*session).loadWindow),
	toAsk:     handle((*session).askServer),
}

// workNeeds says which role an agent must have for a work.
var workNeeds = map[string][]Role{toHost: serves, toSupport: supports, toBuild: starts, toLaunch: starts,
	toOpen: generates, toLoad: generates, toAsk: generates}

// work begins a work, and returns.
func (s *session) work(w *Work) (Done, error) {
	do := works[w.Kind]
	if do == nil || w.ID == "" {
		return Done{}, unfit{fmt.Errorf("unknown kind of work %q", w.Kind)}
	}
	if err := s.agent.may(w.Kind, workNeeds[w.Kind]); err != nil {
		return Done{}, unfit{err}
	}
	s.working.Go(func() {
		answer, err := do(s, w.Body)
		a := s.said(answer, err)
		if a.Body != nil && len(a.Body) > mostBytes/2 {
			a = Answer{Failed: fmt.Sprintf("its result takes %d MB, more than can be sent", len(a.Body)>>20)}
		}
		data, id := encoded(Finished{w.ID, a}), w.ID+"/"+s.agent.Bundle.Name
		for s.ctx.Err() == nil {
			try, cancel := context.WithTimeout(s.ctx, patience)
			again := s.link.report(try, id, data)
			if cancel(); again == nil {
				return
			}
		}
	})
	return Done{}, nil
}

// kept is what a session keeps between the orders of a run.
type kept struct {
	working sync.WaitGroup // works
	run     context.Context
	end     context.CancelFunc // of run
	mu      sync.Mutex         // over serving
	serving *serving           // nil: no servers
	watches table[func(started, beside time.Duration) result.Causes]
	loads   table[*opened]
}

// LostError is the error of an order to a machine whose agent is gone, or does not answer in time.
type LostError struct{ Machine, Why string }

func (e *LostError) Error() string { return e.Machine + " was lost: " + e.Why }

// post is where results of works arrive on the controller.
type post struct {
	*Hub
	stop func()

	mu      sync.Mutex
	waiting map[string]chan Answer   // by ID and agent
	sending map[string]chan struct{} // by agent, one place: its orders are numbered, and must not overtake one another
}

// newPost begins to heed results.
func newPost(ctx context.Context, h *Hub, names []string) (p *post, err error) {
	p = &post{Hub: h, waiting: map[string]chan Answer{}, sending: map[string]chan struct{}{}}
	for _, name := range names {
		p.sending[name] = make(chan struct{}, 1)
	}
	p.stop, err = h.wire.results(ctx, p.heed)
	return p, err
}

// heed hands a result to whom it waits for.
func (p *post) heed(agent string, data []byte) {
	var f Finished
	if err := strict(data, &f); err != nil {
		p.log("refused a result of " + agent + ": " + err.Error())
		return
	}
	p.mu.Lock()
	to := p.waiting[f.ID+"/"+agent]
	delete(p.waiting, f.ID+"/"+agent)
	p.mu.Unlock()
	if to == nil {
		p.log("dropped a result of " + agent + " that nobody waits for, or that was there before")
		return
	}
	to <- f.Answer // which has room
}

// order sends an order that takes no longer than limit. The error is ctx's, a *LostError, or what the
// agent said.
func order[Q, A any](ctx context.Context, p *post, name, kind string, q Q, limit time.Duration) (*A, error) {
	select {
	case p.sending[name] <- struct{}{}:
		defer func() { <-p.sending[name] }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, err := ask[Q, A](limited, p.Hub, name, kind, q)
	_, failed := errors.AsType[*FailedError](err)
	_, refused := errors.AsType[*RefusedError](err)
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case p.gone(name) || errors.Is(err, errAbsent):
		return nil, p.absent(name)
	case failed || refused:
		return nil, err
	}
	return nil, &LostError{name, err.Error()}
}

// lookEvery is how often the controller looks whether the agent that it waits for is still connected. That
// sends nothing.
const lookEvery = 250 * time.Millisecond

// work has an agent do what may take until limit, or however long if that is 0.
func work[Q, A any](ctx context.Context, p *post, name, kind string, q Q, limit time.Duration) (*A, error) {
	w, to := Work{token(), kind, encoded(q)}, make(chan Answer, 1)
	p.mu.Lock()
	p.waiting[w.ID+"/"+name] = to
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, w.ID+"/"+name)
		p.mu.Unlock()
	}()
	if _, err := order[Work, Done](ctx, p, name, toWork, w, patience+travel(len(w.Body))); err != nil {
		return nil, err
	}
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case a := <-to:
			return answered[A](name, kind, a)
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return nil, &LostError{name, fmt.Sprintf("it did not %s within %v", kind, limit)}
		case <-tick.C:
			if p.gone(name) {
				return nil, p.absent(name)
			}
		}
	}
}

// absent returns the error of an agent that is gone.
func (h *Hub) absent(name string) error {
	if ended := h.wire.ended(); ended != nil {
		return &LostError{name, ended.Error()}
	}
	return &LostError{name, "its connection ended; is the machine still there?"}
}

// gone reports whether the connection of an agent with which its session began has ended.
func (h *Hub) gone(name string) bool {
	now := h.wire.connections()[name]
	h.mu.Lock()
	defer h.mu.Unlock()
	return now == 0 || now != h.member(name).client
}

// table holds what a session keeps between orders, by numbers that it gives out.
type table[T any] struct {
	mu   sync.Mutex
	last int
	all  map[int]T
}

// put keeps v and returns its number.
func (t *table[T]) put(v T) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[int]T{}
	}
	t.last++
	t.all[t.last] = v
	return t.last
}

// get returns what has a number.
func (t *table[T]) get(n int) (T, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok := t.all[n]
	if !ok {
		return v, unfit{fmt.Errorf("an order about number %d, which is not there", n)}
	}
	return v, nil
}

// take returns what has a number, and forgets it.
func (t *table[T]) take(n int) (T, error) {
	v, err := t.get(n)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, n)
	return v, err
}

// drain returns all, and forgets it.
func (t *table[T]) drain() (all []T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, v := range t.all {
		all = append(all, v)
	}
	t.all = nil
	return all
}
