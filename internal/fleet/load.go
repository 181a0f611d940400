package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"dyno/internal/conf"
	"dyno/internal/load"
	"dyno/internal/loader"
	"dyno/internal/report"
)

const (
	// Skew limits the error of a start, including the clock's bound: half of a 20 ms sample in a load's
	// rates.
	Skew = load.Slice / 2

	lead      = 500 * time.Millisecond // time from the start order until the start
	preparing = time.Minute            // time for opening connections, in addition to the warm-up
	ending    = 15 * time.Second       // time after a window, for requests in flight and results
)

// errInterrupted is the error for a wait whose context is done.
var errInterrupted = errors.New("interrupted")

// Load carries out a load with all generators and merges their results. say reports progress. If a
// generator is lost, starts late, or fails, there is an error and no summary; after an interruption
// the summary covers the time until then.
func (h *Hub) Load(ctx context.Context, r loader.Request, say func(string)) (*report.Summary, error) {
	names := h.Names()
	if len(names) == 0 {
		return nil, conf.Usagef("%s: no machine makes load; add a table [[generator]] with its name", h.fleet.path)
	}
	// Work that has begun is ended in an orderly way, even if ctx is done.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	g := (&Host{hub: h, machines: names, generators: names, work: work, gone: map[string]bool{}}).generator()
	g.hasty = true
	defer g.leave(patience)
	s, err := g.load(ctx, &r, say)
	switch {
	case err == nil:
		return s, nil
	case ctx.Err() != nil:
		err = errInterrupted
	case errors.Is(err, errGone):
		err = fmt.Errorf("%s: %s, so there is no result; try again", g.lost.Machine, g.lost.Reason)
	}
	return nil, err
}

func (g *generator) load(ctx context.Context, r *loader.Request, say func(string)) (*report.Summary, error) {
	names := g.generators
	say(fmt.Sprintf("connecting from %s", strings.Join(names, ", ")))
	all, err := g.openAll(ctx, names, Loading{Request: r}, r.Warmup+preparing, r.Timeout)
	if err != nil {
		return nil, err
	}
	starts, err := all.starts(g.work, trips, lead)
	if err != nil {
		return nil, err
	}
	limit := time.Duration(0)
	if all.length > 0 {
		limit = lead + all.length + r.Timeout + ending
		say(fmt.Sprintf("loading for %v; the machines are silent until then", all.length))
	} else {
		say("loading; the machines are silent until all requests are done")
	}
	waiting, giveUp := context.WithCancel(g.work)
	defer giveUp()
	defer context.AfterFunc(ctx, func() { // the results so far are a result, too
		time.AfterFunc(ending, giveUp)
		g.leave(patience)
	})()
	seen, err := all.windows(waiting, load.Window{}, starts, limit)
	if err != nil {
		return nil, err
	}
	err = each(names, func(_ int, name string) error { return g.hub.pings(g.work, name, g.clocks[name], trips) })
	// the start was not when the agent said; an agent that is gone by now has already reported
	if errors.Is(err, errClock) {
		return nil, err
	}
	var outcomes []*loader.Outcome
	for _, w := range seen {
		outcomes = append(outcomes, w.Outcome)
	}
	s, err := loader.Merge(outcomes, names)
	if err != nil {
		return nil, err
	}
	for i, w := range seen {
		s.Generators[i].BeganNS, s.Generators[i].BoundNS = w.BeganNS-starts[i].TheirNS, starts[i].BoundNS
	}
	return s, nil
}
