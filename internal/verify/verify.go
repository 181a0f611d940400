// Package verify proves that a server keeps its contract: strictly, request by request, then under a short load, where a contract can break that
// holds for one visitor; and, by servers with one known defect each, that this proof finds what it is there for.
package verify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/load"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// Server is what is proved.
type Server struct {
	Network, Addr string
	Differs       []string // declared differences (scenario.Verify)
	Delay         time.Duration
}

// loads are the short loads: more requests in all than a mutant is right for, on connections that are many, and then on some with full pipelines.
var loads = []struct {
	connections, pipeline int
	requests              int64
}{{16, 1, 4000}, {8, 8, 8000}}

// Visitors of a session who come at once, and how often each.
const visitors, visits = 8, 50

// Prove proves that the server keeps the contract of s, which is asked at the paths that it has: by scenario.Verify, by many visitors at once, by
// loads through e, what is never loaded among them, by scenario.Verify once more after them, and by a Date that moves on. It ends with the first
// of these that fails; the error joins *scenario.Broken.
func Prove(ctx context.Context, e load.Engine, s *scenario.Scenario, to Server) (*scenario.Observed, error) {
	seen, err := scenario.Verify(ctx, s, to.Network, to.Addr, to.Differs, to.Delay)
	if err != nil {
		return seen, err
	}
	if err := scenario.VerifyTogether(ctx, s, to.Network, to.Addr, visitors, visits, to.Delay); err != nil {
		return seen, under("visitors at once", err)
	}
	moved, err := scenario.WatchDate(ctx, s, to.Network, to.Addr, to.Delay)
	if err != nil {
		return seen, err
	}
	exact := s.Exact(seen).Excuse(to.Differs)
	for _, l := range loads {
		job := load.Job{Network: to.Network, Addr: to.Addr, Scenario: exact.Mixed(), Seed: 1, Connections: l.connections, Pipeline: l.pipeline,
			Timeout: 10*time.Second + to.Delay}
		if _, err := short(ctx, e, job, l.requests); err != nil {
			return seen, err
		}
	}
	if _, err := scenario.Verify(ctx, s, to.Network, to.Addr, to.Differs, to.Delay); err != nil {
		return seen, under("after the loads", err)
	}
	return seen, moved(ctx)
}

// Load that a server with a delay is held to it under: more at once than one who waits for one request at a time answers in time.
const (
	waiters = 16
	rounds  = 4
)

// Waits proves that the handlers of the server, started with to.Delay as DYNO_DELAY, wait for it before they answer: alone and under a short
// load, which is audited by arithmetic. The error joins *scenario.Broken.
func Waits(ctx context.Context, e load.Engine, s *scenario.Scenario, to Server) error {
	if err := s.Waits(ctx, to.Network, to.Addr, to.Delay); err != nil {
		return err
	}
	pinned, err := s.Pin(ctx, to.Network, to.Addr, "")
	if err != nil {
		return err
	}
	job := load.Job{Network: to.Network, Addr: to.Addr, Scenario: pinned.Excuse(to.Differs), Seed: 1, Connections: waiters,
		Timeout: 10*time.Second + to.Delay}
	l, err := short(ctx, e, job, waiters*rounds)
	if err != nil {
		return err
	}
	if err := job.Impossible(&l, to.Delay, 0); err != nil {
		return &scenario.Broken{Request: "load", Sent: fmt.Sprintf("%d connections", waiters), Check: "delay under load", Reason: err.Error()}
	}
	return nil
}

// Ends proves that the server ends when it is told to; stop tells it, and its error says that it did not.
func Ends(stop func() error) error {
	if err := stop(); err != nil {
		return &scenario.Broken{Request: "end", Sent: "SIGTERM", Check: "end", Reason: err.Error()}
	}
	return nil
}

// under marks what was found by more than one request at a time.
func under(what string, err error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, e := range all {
		if b, ok := e.(*scenario.Broken); ok {
			b.Check = what + ": " + b.Check
		}
	}
	return err
}

// short is one short load, every answer of which must keep the contract.
func short(ctx context.Context, e load.Engine, job load.Job, requests int64) (result.Load, error) {
	sess, err := e.Open(ctx, job)
	if err != nil {
		return result.Load{}, err
	}
	defer sess.Close()
	var seen result.Detail
	l, err := sess.Run(ctx, load.Window{Requests: requests, Observe: &load.Observe{Into: &seen}})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return l, err
	}
	how := fmt.Sprintf("%d connections", job.Connections)
	if job.Pipeline > 1 {
		how += fmt.Sprintf(", %d requests in the pipeline", job.Pipeline)
	}
	bad := func(kinds map[string]int64, reason string) error {
		names := slices.Sorted(maps.Keys(kinds))
		return &scenario.Broken{Request: "load", Sent: how, Check: "load: " + strings.Join(names, ", "), Reason: reason}
	}
	switch {
	case l.Failed > 0:
		return l, bad(l.Failures, fmt.Sprintf("%d of %d answers broke the contract; the first: %s", l.Failed, l.Failed+l.Succeeded, seen.First))
	case l.Errored() > 0:
		var texts []string
		for _, kind := range slices.Sorted(maps.Keys(seen.Texts)) {
			texts = append(texts, seen.Texts[kind])
		}
		return l, bad(l.Errors, fmt.Sprintf("%d of %d requests got no answer: %s", l.Errored(), l.Started, strings.Join(texts, "; ")))
	case l.Succeeded < requests:
		return l, fmt.Errorf("only %d of %d requests were sent, over %s", l.Succeeded, requests, how)
	}
	return l, nil
}
