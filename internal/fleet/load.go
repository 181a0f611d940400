package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno/internal/clocks"
	"dyno/internal/conf"
	"dyno/internal/load"
	"dyno/internal/loader"
	"dyno/internal/summary"
)

const (
	// Skew is how far a start may be from its time at most, the bound of the clock included: half of
	// the samples of 20 ms of which a load's rates are made.
	Skew = load.Slice / 2

	lead      = 500 * time.Millisecond // from the order to start until the start
	preparing = time.Minute            // for connections, beside the warm-up
	ending    = 15 * time.Second       // after a window, for what is in flight and for the results
)

// run is one load with all generators, as the controller sees it.
type run struct {
	*Hub
	id     string
	plan   *Plan
	clocks map[string]*clocks.Other
	starts map[string]clocks.Start
	at     time.Time     // of the start
	length time.Duration // of the window; 0: until its requests are done
}

// Load carries out a load with all generators and merges what they measured, by second, too, if the plan has a
// CSV file. say tells people how far it is. If a generator is lost, or starts late, or fails,
// there is an error and no summary; after an interruption the summary is of all until then.
func (h *Hub) Load(ctx context.Context, plan *Plan, say func(string)) (*summary.Summary, error) {
	r := &run{Hub: h, id: token(), plan: plan, clocks: map[string]*clocks.Other{}, starts: map[string]clocks.Start{}}
	if len(h.fleet.Generators) == 0 {
		return nil, conf.Usagef("%s: no machine makes load; add a table [[generator]] with its name", h.fleet.path)
	}
	if n := int64(len(h.fleet.Generators)); r.plan.Request.Connections > 0 && r.plan.Request.Connections < n ||
		r.plan.Request.Requests > 0 && r.plan.Request.Requests < n {
		return nil, conf.Usagef("each of the %d generators needs a connection and a request; raise -c and -n, or name "+
			"fewer machines", n)
	}
	// What is begun is ended in an orderly way, even if ctx is done.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	s, err := r.carryOut(ctx, work, say)
	if err == nil {
		return s, nil
	}
	r.leave(work)
	switch ended := r.wire.ended(); {
	case ctx.Err() != nil:
		err = errInterrupted
	case ended != nil:
		err = fmt.Errorf("%w Without it there is no result", ended)
	}
	return nil, err
}

// errInterrupted is the error of a wait whose context is done.
var errInterrupted = errors.New("interrupted")

// together calls do for all generators at once, and ends the others at the first error, which it returns.
func (r *run) together(ctx context.Context, do func(ctx context.Context, i int, name string) error) error {
	all, end := context.WithCancelCause(ctx)
	defer end(nil)
	_ = each(r.Names(), func(i int, name string) error {
		err := do(all, i, name)
		if err != nil {
			end(err)
		}
		return err
	})
	return context.Cause(all)
}

func (r *run) carryOut(ctx, work context.Context, say func(string)) (*summary.Summary, error) {
	names := r.Names()
	say(fmt.Sprintf("connecting from %s", strings.Join(names, ", ")))
	lengths := make([]int64, len(names))
	if err := r.together(ctx, func(ctx context.Context, i int, name string) error {
		a, err := ask[Ready](ctx, r.Hub, name, prepare, Task{Run: r.id, Plan: *r.plan,
			Share: load.Share{Index: i, Of: len(names)}}, r.plan.Request.Warmup+preparing)
		if err == nil {
			lengths[i] = a.LengthNS
		}
		return err
	}); err != nil {
		return nil, err
	}
	r.length = time.Duration(lengths[0])
	if err := r.schedule(work, names); err != nil {
		return nil, err
	}
	if r.length > 0 {
		say(fmt.Sprintf("loading for %v; the machines are silent until then", r.length))
	} else {
		say("loading; the machines are silent until all requests are done")
	}
	done, err := r.window(ctx, work, names)
	if err != nil {
		return nil, err
	}
	return r.merge(work, names, done)
}

// schedule compares clocks, and chooses the time at which all begin.
func (r *run) schedule(ctx context.Context, names []string) error {
	for _, name := range names {
		r.clocks[name] = &clocks.Other{}
	}
	if err := each(r.Names(), func(_ int, name string) error { return r.Ping(ctx, name, r.clocks[name]) }); err != nil {
		return err
	}
	at := r.now() + int64(lead)
	r.at = r.began.Add(time.Duration(at))
	for _, name := range names {
		r.starts[name] = r.clocks[name].Start(at)
		if bound := r.starts[name].BoundNS; bound > int64(Skew) {
			return fmt.Errorf("%s: its clock is known to ± %s only, and its start would not be known to %v; use a link "+
				"with a shorter round trip", name, short(bound), Skew)
		}
	}
	return nil
}

// window lets all begin, and returns what they saw. If ctx is done they end before their time.
func (r *run) window(ctx, work context.Context, names []string) ([]Loaded, error) {
	limit := time.Duration(0)
	if r.length > 0 {
		limit = lead + r.length + r.plan.Request.Timeout + ending
	}
	waiting, giveUp := context.WithCancel(work)
	defer giveUp()
	defer context.AfterFunc(ctx, func() { // what was seen until now is a result, too
		time.AfterFunc(ending, giveUp)
		r.leave(work)
	})()
	done, first := make([]Loaded, len(names)), sync.Once{}
	err := r.together(waiting, func(ctx context.Context, i int, name string) (err error) {
		done[i], err = ask[Loaded](ctx, r.Hub, name, start, Start{Run: r.id, Plan: r.plan.digest(),
			AtNS: r.starts[name].TheirNS, BoundNS: r.starts[name].BoundNS}, limit)
		if err == nil && limit == 0 {
			first.Do(func() { time.AfterFunc(others(time.Since(r.at), r.plan.Request.Timeout), giveUp) })
		}
		return err
	})
	if err != nil && waiting.Err() != nil {
		i := slices.IndexFunc(done, func(l Loaded) bool { return l.Outcome == nil })
		return nil, fmt.Errorf("%s is late: it was to be done by now, so there is no result", names[max(i, 0)])
	}
	return done, err
}

// leave ends what the agents do for the run, as far as they can be reached.
func (r *run) leave(ctx context.Context) {
	_ = each(r.Names(), func(_ int, name string) error {
		_, err := ask[Done](ctx, r.Hub, name, toLeave, Done{}, patience)
		return err
	})
}

// slowest is how many times as long as the first generator another one may take for its requests. Their links may
// differ, and who does not go on says nothing.
const slowest = 10

// others is how long generators may take for their requests once one of them has taken so long.
func others(took, timeout time.Duration) time.Duration { return slowest*took + timeout + ending }

// merge joins the outcomes, unless one began too far from its time.
func (r *run) merge(ctx context.Context, names []string, done []Loaded) (*summary.Summary, error) {
	err := each(r.Names(), func(_ int, name string) error { return r.Ping(ctx, name, r.clocks[name]) })
	if errors.Is(err, errClock) { // its start was at another time than it said; who is gone by now has told all
		return nil, err
	}
	var outcomes []*loader.Outcome
	for i, name := range names {
		e := &done[i]
		if e.Outcome != nil && e.Outcome.Summary.Interrupted && e.BeganNS < r.starts[name].TheirNS {
			return nil, errInterrupted // before its window
		}
		if err := r.starts[name].Missed(e.BeganNS, int64(Skew)); err != nil && e.Outcome != nil {
			return nil, fmt.Errorf("%s %w", name, late(err))
		}
		if e.Outcome == nil {
			return nil, fmt.Errorf("%s sent a result without figures", name)
		}
		if e.Messages > 0 && !e.Outcome.Summary.Interrupted { // by a message
			return nil, fmt.Errorf("%s exchanged %d messages with the controller within the window, which the network "+
				"had held up, so there is no result; try again", name, e.Messages)
		}
		outcomes = append(outcomes, e.Outcome)
	}
	s, err := loader.Merge(outcomes, names)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		s.Generators[i].BeganNS = done[i].BeganNS - r.starts[name].TheirNS
		s.Generators[i].BoundNS = r.starts[name].BoundNS
	}
	if r.plan.Request.CSV != "" {
		err = loader.BySecond(s, outcomes)
	}
	return s, err
}
