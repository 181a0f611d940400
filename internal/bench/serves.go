package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
)

const (
	// answered is the time that a server has for an answer on each connection.
	answered = 5 * time.Second
	// accepted is the time after which a server that accepts none of the remaining connections is
	// given up.
	accepted = time.Second
	// A wait for starved or longer, and starvedTimes the usual time, asks for a longer load.
	starved      = time.Second
	starvedTimes = 10
	// trying is the least length of a load that shows what a server does with its connections.
	trying = 500 * time.Millisecond
	// redialling is the length of a load that shows dropped dials, and lost requests that are rare.
	redialling = 1500 * time.Millisecond
	// queued is the time that a dial to a frozen server may take.
	queued = 200 * time.Millisecond
)

// serves finds the largest number of connections, up to the level's, that a server serves fully: each
// gets an answer in time, and if connections are closed under load, the listen queue holds the dials
// that replace them. It returns nil if the server serves the level's number. It sets the costs that it
// measures.
func (b *Bench) serves(ctx context.Context, name string, s Server, level record.Level,
	costs *record.Costs) (*record.Fewer, error) {
	var fewer *record.Fewer
	asked := level.Connections
	for _, c := range b.run.Contestants {
		if c.Fewer != nil {
			asked = c.Fewer.Asked
		}
	}
	window := max(plan.WarmWindow(level), trying)
	for {
		job := b.job(name, s, level, 0)
		job.Timeout -= 10*time.Second - answered
		job.ConnectTimeout = accepted
		l, seen, err := b.try(ctx, job, load.Window{For: window})
		if err != nil {
			return nil, err
		}
		n, why := servedOf(&l, seen, job.Timeout)
		if l.Errored() > l.Errors["timeout"] {
			window = redialling // with fewer connections this may be rare
		} else if waited := l.Errors["timeout"] > 0 || starves(seen.Service); waited || why != "" {
			again := load.Window{For: window} // the machine may have paused
			if waited {
				// The server may have waited for further requests on connections that had no more to
				// send: only waits within a load count.
				again = load.Window{For: job.Timeout + trying, Cut: true}
			}
			b.recover(ctx, job)
			if l, seen, err = b.try(ctx, job, again); err != nil {
				return nil, err
			}
			n, why = servedOf(&l, seen, job.Timeout)
		}
		if why == "" && seen.Connect != nil && seen.Connect.Count() > int64(l.Established) {
			holds := b.queue(ctx, s, job)
			switch {
			case holds == 0: // it cannot be frozen
				if l, seen, err = b.try(ctx, job, load.Window{For: redialling}); err != nil {
					return nil, err
				}
				n, why = servedOf(&l, seen, job.Timeout)
			case holds < n:
				n, why = holds, fmt.Sprintf("has a listen queue for %s, and connections are closed under load",
					document.Count(holds, "connection"))
			}
		}
		switch {
		case why == "":
			costs.ConnectNS, costs.AnswerNS = l.OpeningNS/int64(n), l.WindowNS/max(1, l.Succeeded)
			if l.RepeatedDials > 0 {
				b.tell(record.Event{Stage: "verify", Contestant: name, Text: fmt.Sprintf("%s opened in %v: %s "+
					"repeated, because the server's listen queue was full or packets were lost",
					document.Count(n, "connection"), time.Duration(l.OpeningNS).Round(time.Millisecond),
					document.Count(l.RepeatedDials, "dial"))})
			}
			if fewer != nil && window == redialling { // a margin, because another start may lose some
				fewer.Served = max(n/2, 1)
			}
			return fewer, nil
		case level.Connections == 1:
			return nil, cmp.Or(broken(&l, b.scenario(level.Scenario)), fmt.Errorf("it %s", why))
		}
		fewer = &record.Fewer{Asked: asked, Served: n, Why: why}
		level.Connections = n
		b.recover(ctx, job)
	}
}

// try loads a server for one window.
func (b *Bench) try(ctx context.Context, job load.Job, w load.Window) (l record.Load, seen *record.Detail, err error) {
	session, err := b.Generator.Open(ctx, job)
	if err != nil {
		return l, nil, err
	}
	defer session.Close()
	seen = &record.Detail{}
	w.Uncounted, w.Observe = true, &load.Observe{Into: seen}
	l, err = session.Run(ctx, w)
	return l, seen, err
}

// queue returns the number of connections that a server's listen queue holds: those established
// while the server is frozen; 0 if it cannot be frozen, or answers nevertheless.
func (b *Bench) queue(ctx context.Context, s Server, job load.Job) int {
	b.recover(ctx, job) // the queue may hold closed connections
	b.Generator.Rest(settle)
	if s.Freeze() != nil {
		return 0
	}
	job.Timeout, job.ConnectTimeout = queued, queued
	l, _, err := b.try(ctx, job, load.Window{For: queued})
	if s.Thaw() != nil || err != nil || l.Succeeded > 0 {
		return 0
	}
	b.recover(ctx, job)
	return l.Established
}

// recover waits until a server has worked off requests from closed connections, and answers again.
func (b *Bench) recover(ctx context.Context, job load.Job) {
	job.Connections, job.Timeout, job.ConnectTimeout = 1, time.Minute, time.Minute
	if session, err := b.Generator.Open(ctx, job); err == nil {
		session.Run(ctx, load.Window{Requests: 1, Uncounted: true})
		session.Close()
	}
}

// servedOf returns the number of connections that the server served in a load with that timeout, or
// the number that it may serve, at least 1; and unless it served all, the reason.
func servedOf(l *record.Load, seen *record.Detail, timeout time.Duration) (n int, why string) {
	n = l.Connections
	fewer := func(to int, text string, args ...any) {
		if to = max(to, 1); to < n || n == 1 {
			n, why = to, fmt.Sprintf(text, args...)
		}
	}
	if lost := n - l.Established; lost > 0 {
		fewer(l.Established, "did not accept %d of %d connections within %v", lost, l.Connections, accepted)
	}
	unanswered := l.Errors["timeout"]
	if unanswered > 0 {
		fewer(l.Connections-int(unanswered), "gave no answer within %v on %d of %d connections", timeout, unanswered,
			l.Connections)
	}
	if late := above(seen.Connect, foreign.Dropped); late > 0 {
		fewer(l.Connections/2, "accepted some of %d connections only after %v or more", l.Connections, foreign.Dropped)
	}
	if other := l.Errored() - unanswered; other > 0 {
		fewer(l.Connections/2, "gave no whole response to %d of %d requests over %d connections (%s)", other, l.Started,
			l.Connections, kinds(l.Errors))
	}
	return n, why
}

// starves reports whether some requests waited far longer than is usual.
func starves(h *record.Histogram) bool {
	return h != nil && above(h, max(starved, starvedTimes*time.Duration(h.Quantile(0.5)))) > 0
}

// above returns the number of times in h that are longer than limit; 0 if h is nil.
func above(h *record.Histogram, limit time.Duration) int64 {
	if h == nil {
		return 0
	}
	return h.Count() + h.Over() - h.AtMost([]int64{int64(limit)})[0]
}
