package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"dyno/internal/conf"
)

// kept is the state that a session keeps between orders.
type kept struct {
	working sync.WaitGroup // concurrent orders, and loads
	run     context.Context
	end     context.CancelFunc // cancels run
	mu      sync.Mutex         // guards run, serving and archive
	serving *serving           // nil: no servers
	archive *os.File           // the sources for the next run, as far as they have come; nil: none
	taken   int64              // bytes in archive
	watches table[func() Watched]
	loads   table[*opened]
}

// lookEvery is the interval at which the controller checks whether the agent that it waits for is still
// connected. The check sends nothing.
const lookEvery = 250 * time.Millisecond

// travel limits the time for sending an order of this size: 100 KB/s.
func travel(bytes int) time.Duration { return time.Duration(bytes) * 10 * time.Microsecond }

// ask sends an order to an agent and returns the answer. limit limits the time for the answer; 0 means no
// limit. The error is ctx's, a *LostError, or the agent's.
func ask[Q, A any](ctx context.Context, h *Hub, name string, k kind[Q, A], q Q, limit time.Duration) (a A, err error) {
	body, err := orderOf(q)
	if err != nil {
		return a, err
	}
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	if limit > 0 {
		late := &LostError{Machine: name, Why: fmt.Sprintf("it did not answer %q within %v", k, limit)}
		defer time.AfterFunc(limit+travel(len(body)), func() { giveUp(late) }).Stop()
	}
	if string(k) != string(hello) { // hello begins a session
		go h.follow(waiting, name, giveUp)
	}
	reply, err := h.wire.ask(waiting, name, encoded(h.order(name, string(k), body)))
	switch {
	case err != nil && ctx.Err() != nil:
		return a, ctx.Err()
	case err != nil && waiting.Err() != nil:
		return a, context.Cause(waiting)
	case err != nil:
		return a, &LostError{name, err.Error()}
	}
	var answer Answer
	if err := strict(reply, &answer); err != nil {
		return a, fmt.Errorf("%s: its answer to %q cannot be read: %w", name, k, err)
	}
	if answer.Body != nil {
		if err := strict(answer.Body, &a); err != nil {
			return a, fmt.Errorf("%s: its answer to %q cannot be read: %w", name, k, err)
		}
	}
	switch f := answer.Fault; {
	case f == nil:
		return a, nil
	case f.Refused:
		return a, fmt.Errorf("%s refused: %w", name, f)
	case f.Usage:
		return a, conf.Usagef("%w", f)
	default:
		return a, fmt.Errorf("%s: %w", name, f)
	}
}

// mostOrder limits an order's JSON: it is one message.
const mostOrder = 4 << 20

// orderOf returns the body of an order. It returns a usage error if that is too large.
func orderOf(v any) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	switch {
	case len(data) > mostOrder:
		err = conf.Usagef("the requests and expected responses take %d MB, and at most %d MB can be sent to other machines; "+
			"make their bodies smaller", len(data)>>20, mostOrder>>20)
	case bytes.Contains(data, []byte(`\ufffd`)) && notUTF8.Match(data): // the second is slow
		err = conf.Usagef("a request has text outside its body that is not UTF-8; it cannot be sent to other machines")
	}
	return data, err
}

// notUTF8 matches encoding/json's output for bytes that are not UTF-8.
var notUTF8 = regexp.MustCompile(`[^\\](\\\\)*\\ufffd`)

// withoutMachine returns the error of a server or a contestant as its machine reported it; else err.
func withoutMachine(err error) error {
	if f, is := errors.AsType[*Fault](err); is && !f.Refused {
		return f
	}
	return err
}

// follow gives up when the agent's connection, with which its session began, has ended.
func (h *Hub) follow(ctx context.Context, name string, giveUp context.CancelCauseFunc) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for client := h.Hello(name).Client; !h.wire.left(name, client); {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	giveUp(&LostError{name, errAbsent.Error()})
}

// table holds a session's values between orders, by numbers that it assigns.
type table[T any] struct {
	last atomic.Int64
	all  sync.Map
}

// put keeps v and returns its number.
func (t *table[T]) put(v T) int {
	n := int(t.last.Add(1))
	t.all.Store(n, v)
	return n
}

// get returns the value with a number.
func (t *table[T]) get(n int) (T, error) { return found[T](n)(t.all.Load(n)) }

// take returns the value with a number, and removes it.
func (t *table[T]) take(n int) (T, error) { return found[T](n)(t.all.LoadAndDelete(n)) }

func found[T any](n int) func(v any, ok bool) (T, error) {
	return func(v any, ok bool) (T, error) {
		if kept, is := v.(T); is && ok {
			return kept, nil
		}
		return *new(T), unfit{fmt.Errorf("an order about number %d, which is not there", n)}
	}
}

// drain returns all values, and removes them.
func (t *table[T]) drain() (all []T) {
	for n := range t.all.Range {
		if v, err := t.take(n.(int)); err == nil {
			all = append(all, v)
		}
	}
	return all
}
