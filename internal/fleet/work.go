package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"dyno/internal/conf"
	"dyno/internal/result"
)

// kept is what a session keeps between orders.
type kept struct {
	working sync.WaitGroup // orders that are carried out beside others, and loads
	run     context.Context
	end     context.CancelFunc // of run
	mu      sync.Mutex         // over serving, load
	serving *serving           // nil: no servers
	load    *task              // the last one; nil: none
	watches table[func(started, beside time.Duration) result.Causes]
	loads   table[*opened]
}

// lookEvery is how often the controller looks whether the agent that it waits for is still connected. That
// sends nothing.
const lookEvery = 250 * time.Millisecond

// travel is how long an order of so many bytes may be on its way: 100 KB/s.
func travel(bytes int) time.Duration { return time.Duration(bytes) * 10 * time.Microsecond }

// ask sends an order to an agent and returns its answer, for which it has time until limit, or however long if that
// is 0. The error is ctx's, a *LostError, or what the agent says.
func ask[A, Q any](ctx context.Context, h *Hub, name, kind string, q Q, limit time.Duration) (a A, err error) {
	body, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	if limit > 0 {
		late := &LostError{Machine: name, Why: fmt.Sprintf("it did not answer %q within %v", kind, limit)}
		defer time.AfterFunc(limit+travel(len(body)), func() { giveUp(late) }).Stop()
	}
	if kind != hello { // with which a session begins
		go h.follow(waiting, name, giveUp)
	}
	reply, err := h.wire.ask(waiting, name, encoded(h.order(name, kind, body)))
	switch {
	case err != nil && ctx.Err() != nil:
		return a, ctx.Err()
	case err != nil && waiting.Err() != nil:
		return a, context.Cause(waiting)
	case err != nil:
		return a, h.absent(ctx, name, err)
	}
	var answer Answer
	if err := strict(reply, &answer); err != nil {
		return a, fmt.Errorf("%s: its answer to %q cannot be read: %w", name, kind, err)
	}
	if answer.Refused == errSession.Error() {
		if err := h.twins(ctx, name); err != nil {
			return a, err
		}
	}
	switch {
	case answer.Refused != "":
		return a, &RefusedError{name, answer.Refused}
	case answer.Usage:
		return a, conf.Usagef("%s", answer.Failed)
	case answer.Failed != "":
		return a, &FailedError{name, answer.Failed}
	}
	if err := strict(answer.Body, &a); err != nil {
		return a, fmt.Errorf("%s: its answer to %q cannot be read: %w", name, kind, err)
	}
	return a, nil
}

// follow gives up once the connection of an agent with which its session began has ended.
func (h *Hub) follow(ctx context.Context, name string, giveUp context.CancelCauseFunc) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !h.gone(name) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	giveUp(h.absent(ctx, name, nil))
}

// absent returns the error of an agent that is gone, as cause says if it is not nil.
func (h *Hub) absent(ctx context.Context, name string, cause error) *LostError {
	gone := errors.New("its connection ended; is the machine still there?")
	if cause != nil && !errors.Is(cause, errAbsent) {
		gone = cause
	}
	return &LostError{name, cmp.Or(h.wire.ended(), h.twins(ctx, name), gone).Error(), cause}
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
