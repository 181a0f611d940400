package bench

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dyno/internal/document"
	"dyno/internal/hist"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/result"
)

const (
	// answered is how long a server may take for an answer on each connection.
	answered = 5 * time.Second
	// starved is how long a connection waits that a server leaves alone while it serves others, at least, and
	// how many times as long as usual.
	starved      = time.Second
	starvedTimes = 10
	// dropped is a time that a dial exceeds only if its first packet was dropped, because the server's accept
	// queue was full: TCP repeats it after 1 s (RFC 6298, 2.1). A load in which a server closes connections
	// lasts for redialling, to see it.
	dropped    = 900 * time.Millisecond
	redialling = 1500 * time.Millisecond
)

// serves finds over how many connections, at most those of the level, a server serves all of them, by loads:
// each gets an answer in time, and the dials in place of those that the server closes are not dropped. It
// returns nil if these are all.
func (b *Bench) serves(ctx context.Context, name string, s Server, level result.Level) (*result.Fewer, error) {
	fewer := &result.Fewer{Asked: level.Connections}
	for {
		job := b.job(name, s, level, 0)
		job.Timeout -= 10*time.Second - answered
		l, seen, err := b.try(ctx, job, plan.WarmWindow(level))
		if err != nil {
			return nil, err
		}
		fewer.Served = level.Connections
		n, why := served(&l, seen, job.Timeout)
		switch {
		case why == "" && n == fewer.Asked:
			if l.RepeatedDials > 0 {
				b.tell(result.Event{Stage: "verify", Contestant: name, Text: fmt.Sprintf("%s opened in %v: %s "+
					"repeated, because the server's listen queue was full or packets were lost",
					document.Count(n, "connection"), time.Duration(l.OpeningNS).Round(time.Millisecond),
					document.Count(l.RepeatedDials, "dial"))})
			}
			return nil, nil
		case why == "":
			return fewer, nil
		case level.Connections == 1:
			return nil, cmp.Or(broken(&l, b.scenario(level.Scenario)), fmt.Errorf("over one connection, %s", why))
		}
		fewer.Tried, fewer.Why = level.Connections, why
		level.Connections = n
		b.recover(ctx, job)
	}
}

// try loads a server for one window; for a longer one if it closes connections.
func (b *Bench) try(ctx context.Context, job load.Job, window time.Duration) (l result.Load, seen *result.Detail, err error) {
	session, err := b.Generator.Open(ctx, job)
	if err != nil {
		return l, nil, err
	}
	defer session.Close()
	for range 2 {
		seen = &result.Detail{}
		l, err = session.Run(ctx, load.Window{For: window, Uncounted: true, Observe: &load.Observe{Into: seen}})
		if err != nil || seen.Connect == nil || seen.Connect.Count() <= int64(l.Established) {
			break
		}
		window = max(window, redialling)
	}
	return l, seen, err
}

// recover waits until a server has worked off what connections asked that are closed by now, and answers
// again.
func (b *Bench) recover(ctx context.Context, job load.Job) {
	job.Connections, job.Timeout = 1, time.Minute
	if session, err := b.Generator.Open(ctx, job); err == nil {
		session.Run(ctx, load.Window{Requests: 1, Uncounted: true})
		session.Close()
	}
}

// served returns how many connections of a load with that timeout its server served, or how many it may serve, at
// least 1; and unless these are all, what became of the others.
func served(l *result.Load, seen *result.Detail, timeout time.Duration) (n int, why string) {
	n = l.Connections
	fewer := func(to int, text string, args ...any) {
		if to = max(to, 1); to < n || n == 1 {
			n, why = to, fmt.Sprintf(text, args...)
		}
	}
	unanswered := l.Errors["timeout"]
	if lost := n - l.Established; lost > 0 {
		fewer(l.Established, "%d were not accepted within %v", lost, timeout)
	}
	if unanswered > 0 {
		fewer(l.Connections-int(unanswered), "%d got no answer within %v", unanswered, timeout)
	}
	if seen.Service != nil {
		usual := time.Duration(seen.Service.Quantile(0.5))
		if waited := above(seen.Service, max(starved, starvedTimes*usual)) - unanswered; waited > 0 {
			fewer(l.Connections-int(unanswered+waited), "%d waited for an answer for more than %v, usual are %v",
				waited, max(starved, starvedTimes*usual), usual)
		}
	}
	if late := above(seen.Connect, dropped); late > 0 {
		fewer(l.Connections/2, "%d were accepted only after %v or more", late, dropped)
	}
	if other := l.Errored() - unanswered; other > 0 {
		fewer(l.Connections/2, "%d of %d requests got no whole response: %s", other, l.Started, kinds(l.Errors))
	}
	return n, why
}

// above returns how many times of h are longer than limit; 0 of none.
func above(h *hist.Histogram, limit time.Duration) int64 {
	if h == nil {
		return 0
	}
	return h.Count() + h.Over() - h.AtMost([]int64{int64(limit)})[0]
}
