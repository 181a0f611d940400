package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
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
	events chan Event
	clocks map[string]*clocks.Other
	starts map[string]clocks.Start
	at     time.Time     // of the start
	length time.Duration // of the window; 0: until its requests are done
}

// Load carries out a load with all generators and merges what they measured, by second, too, if the plan has a
// CSV file. say tells people how far it is. If a generator is lost, or starts late, or fails,
// there is an error and no summary; after an interruption the summary is of all until then.
func (h *Hub) Load(ctx context.Context, plan *Plan, say func(string)) (*summary.Summary, error) {
	r := &run{Hub: h, id: token(), plan: plan, events: make(chan Event, 1000),
		clocks: map[string]*clocks.Other{}, starts: map[string]clocks.Start{}}
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
	stop, err := r.consume(work)
	if err != nil {
		return nil, err
	}
	defer stop()
	s, err := r.carryOut(ctx, work, say)
	if err != nil {
		err = r.why(err)
		r.stopAll(work)
	}
	return s, err
}

// why returns the error of a lost agent, or of a lost NATS, instead of what came of that.
func (r *run) why(err error) error {
	if ended := r.wire.ended(); ended != nil && !errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w Without it there is no result", ended)
	}
	_, refused := errors.AsType[*RefusedError](err)
	if !refused && !errors.Is(err, errAbsent) && !errors.Is(err, errAnswer) {
		return err
	}
	for _, name := range r.Names() {
		if r.lost(name) {
			return lost(name)
		}
	}
	return err
}

func lost(name string) error {
	return fmt.Errorf("%s was lost: its connection ended before it was done, so there is no result; is the machine "+
		"still there?", name)
}

// consume hands events of the run to r.events, each ID once, until stop is called.
func (r *run) consume(ctx context.Context) (stop func(), err error) {
	known := map[string]bool{}
	stop, err = r.wire.results(ctx, func(agent string, result []byte) {
		var e Event
		switch err := strict(result, &e); {
		case err != nil:
			r.log("refused a result of " + agent + ": " + err.Error())
		case agent != e.Agent:
			r.log(fmt.Sprintf("refused a result of %s in the name of %q", agent, e.Agent))
		case e.Run != r.id:
			r.log("refused a result of " + agent + " of another load")
		case known[e.ID()]:
			r.log("dropped a result of " + agent + " that was there before")
		default:
			known[e.ID()] = true
			r.events <- e
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return stop, nil
}

func (r *run) carryOut(ctx, work context.Context, say func(string)) (*summary.Summary, error) {
	names := r.Names()
	if err := r.each(func(name string) error {
		ctx, cancel := context.WithTimeout(work, patience+r.plan.travel())
		defer cancel()
		_, err := ask[Task, Done](ctx, r.Hub, name, prepare, Task{Run: r.id, Plan: *r.plan,
			Share: load.Share{Index: index(names, name), Of: len(names)}})
		return err
	}); err != nil {
		return nil, err
	}
	say(fmt.Sprintf("connecting from %s", strings.Join(names, ", ")))
	ready := map[string]Event{}
	if err := r.await(ctx, "ready", ready, time.Now().Add(r.plan.Request.Warmup+preparing)); err != nil {
		return nil, err
	}
	for _, e := range ready {
		r.length = time.Duration(e.LengthNS)
	}
	if err := r.startAll(work, names); err != nil {
		return nil, err
	}
	end := time.Time{}
	if r.length > 0 {
		end = time.Now().Add(lead + r.length + r.plan.Request.Timeout + ending)
		say(fmt.Sprintf("loading for %v; the machines are silent until then", r.length))
	} else {
		say("loading; the machines are silent until all requests are done")
	}
	done := map[string]Event{}
	err := r.await(ctx, "done", done, end)
	if errors.Is(err, errInterrupted) { // what was seen until now is a result, too
		r.stopAll(work)
		err = r.await(work, "done", done, time.Now().Add(ending))
	}
	if err != nil {
		return nil, err
	}
	return r.merge(work, names, done)
}

// travel is how long a plan may be on its way.
func (p *Plan) travel() time.Duration {
	return travel(len(encoded(p)))
}

// travel is how long an order of so many bytes may be on its way, at 1 MB/s, in all tries together.
func travel(bytes int) time.Duration { return tries * time.Duration(bytes) * time.Microsecond }

func index(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// startAll compares clocks, and lets all begin at one time.
func (r *run) startAll(ctx context.Context, names []string) error {
	for _, name := range names {
		r.clocks[name] = &clocks.Other{}
	}
	if err := r.each(func(name string) error { return r.Ping(ctx, name, r.clocks[name]) }); err != nil {
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
	// An order that is not answered by then may have been lost; later ones would be messages in the window.
	ctx, cancel := context.WithTimeout(ctx, lead*9/10)
	defer cancel()
	return r.each(func(name string) error {
		_, err := ask[Start, Done](ctx, r.Hub, name, start, Start{Run: r.id, Plan: r.plan.digest(), AtNS: r.starts[name].TheirNS,
			BoundNS: r.starts[name].BoundNS})
		return err
	})
}

// stopAll ends what the agents do for the run, as far as they can be reached.
func (r *run) stopAll(ctx context.Context) {
	_ = r.each(func(name string) error {
		_, err := ask[Stop, Done](ctx, r.Hub, name, stop, Stop{r.id})
		return err
	})
}

// slowest is how many times as long as the first generator another one may take for its requests. Their links may
// differ, and who does not go on says nothing.
const slowest = 10

// others is how long generators may take for their requests once one of them has taken so long.
func others(took, timeout time.Duration) time.Duration { return slowest*took + timeout + ending }

// errInterrupted is the error of a wait whose context is done.
var errInterrupted = errors.New("interrupted")

// await adds the events of a kind to got, by the agents' names, until it has those of all. Whoever fails
// or is lost ends it with an error; so does end. If that is zero, the load ends with its requests, and the first event
// says when the others must be there.
func (r *run) await(ctx context.Context, kind string, got map[string]Event, end time.Time) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for len(got) < len(r.Names()) {
		select {
		case e := <-r.events:
			switch {
			case e.Kind == "failed" && e.Usage:
				return conf.Usagef("%s", e.Text)
			case e.Kind == "failed":
				return fmt.Errorf("%s: %s", e.Agent, e.Text)
			case e.Kind == kind:
				got[e.Agent] = e
				if end.IsZero() {
					end = time.Now().Add(others(time.Since(r.at), r.plan.Request.Timeout))
				}
			}
		case <-tick.C:
			for _, name := range r.Names() {
				if _, there := got[name]; !there && r.lost(name) {
					return cmp.Or(r.twins(ctx, name), lost(name))
				}
				if _, there := got[name]; !there && !end.IsZero() && time.Now().After(end) {
					return fmt.Errorf("%s is late: it was to be %s by now, so there is no result", name, kind)
				}
			}
		case <-ctx.Done():
			return errInterrupted
		}
	}
	return nil
}

// lost reports whether the connection of an agent with which its session began is gone.
func (r *run) lost(name string) bool {
	now := r.wire.connections()[name]
	r.mu.Lock()
	defer r.mu.Unlock()
	return now != r.member(name).client
}

// merge joins the outcomes, unless one began too far from its time.
func (r *run) merge(ctx context.Context, names []string, done map[string]Event) (*summary.Summary, error) {
	err := r.each(func(name string) error { return r.Ping(ctx, name, r.clocks[name]) })
	if errors.Is(err, errClock) { // its start was at another time than it said; who is gone by now has told all
		return nil, err
	}
	var outcomes []*loader.Outcome
	for _, name := range names {
		e := done[name]
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
		s.Generators[i].BeganNS = done[name].BeganNS - r.starts[name].TheirNS
		s.Generators[i].BoundNS = r.starts[name].BoundNS
	}
	if r.plan.Request.CSV != "" {
		err = loader.BySecond(s, outcomes)
	}
	return s, err
}
