package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/document"
	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// contracted is the server to verify.
type contracted struct {
	wire.Endpoint
	Differs []string      // declared differences (scenario.Verify)
	Delay   time.Duration // the handlers' delay before a response
}

// loads are the short loads. Together they send more requests than any mutant answers correctly: first over
// many connections, then over fewer with full pipelines, as deep as a scenario that states a depth allows.
var loads = []struct {
	connections, pipeline int
	requests              int64
}{{16, 1, 4000}, {8, 8, 8000}}

// keepsContract verifies that the server satisfies the contract in s, whose paths are the server's. The steps
// are scenario.Verify, loads through e that include requests that are otherwise
// only verified, scenario.Verify again, and a Date that advances unless NoDate is declared. It ends with the
// first failed step. The error joins *scenario.Broken.
func keepsContract(ctx context.Context, e load.Engine, s *scenario.Scenario, to contracted) (*scenario.Observed,
	error) {
	seen, err := scenario.Verify(ctx, s, to.Endpoint, to.Differs, to.Delay)
	if err != nil {
		return seen, err
	}
	moved := func(context.Context) error { return nil }
	if !scenario.Declares(to.Differs, scenario.NoDate) {
		if moved, err = scenario.WatchDate(ctx, s, to.Endpoint, to.Delay); err != nil {
			return seen, err
		}
	}
	mixed := s.Exact(seen).Excuse(to.Differs).Mixed()
	for _, l := range loads {
		job := to.job(mixed, l.connections)
		if job.Pipeline = l.pipeline; s.Pipeline > 0 && !to.HTTP2 {
			job.Pipeline = min(l.pipeline, s.Pipeline)
		}
		if _, err := shortLoad(ctx, e, job, l.requests); err != nil {
			return seen, err
		}
	}
	if _, err := scenario.Verify(ctx, s, to.Endpoint, to.Differs, to.Delay); err != nil {
		return seen, under("after the loads", err)
	}
	return seen, moved(ctx)
}

// job returns a load on the server. Of a machine that does much else, an answer of many rows may take long.
func (to *contracted) job(s *scenario.Scenario, connections int) load.Job {
	return load.Job{Endpoint: to.Endpoint, Scenario: s, Seed: 1, Connections: connections,
		Timeout: 30*time.Second + to.Delay}
}

// Load for a server with a delay: more concurrent requests than a server that waits for one after the other
// can answer in time.
const (
	waiters = 16
	rounds  = 4
)

// waitsFor verifies that the server's handlers, with to.Delay as DYNO_DELAY, wait that long before they
// respond: one request at a time, and under a short load, whose figures must be possible. The error joins
// *scenario.Broken.
func waitsFor(ctx context.Context, e load.Engine, s *scenario.Scenario, to contracted) error {
	if err := s.Waits(ctx, to.Endpoint, to.Delay); err != nil {
		return err
	}
	pinned, err := s.Pin(ctx, to.Endpoint)
	if err != nil {
		return err
	}
	job := to.job(pinned.Excuse(to.Differs), waiters)
	l, err := shortLoad(ctx, e, job, waiters*rounds)
	if err != nil {
		return err
	}
	if err := job.Impossible(&l, to.Delay, 0); err != nil {
		return &scenario.Broken{Request: "load", Sent: unsent(&job), Check: "delay under load", Reason: err.Error()}
	}
	return nil
}

// ends verifies that the server ends on SIGTERM, which stop sends.
func ends(stop func() error) error {
	if err := stop(); err != nil {
		return &scenario.Broken{Request: "end", Sent: "SIGTERM", Check: "end", Reason: err.Error()}
	}
	return nil
}

// under prefixes the checks in a joined error with the circumstances of the failure.
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

// unsent describes a job for Broken.Sent.
func unsent(job *load.Job) string {
	how := document.Count(job.Connections, "connection")
	if job.Pipeline > 1 {
		how += fmt.Sprintf(", %d requests in the pipeline", job.Pipeline)
	}
	return how
}

// shortLoad runs a short load. Every response must satisfy the contract.
func shortLoad(ctx context.Context, e load.Engine, job load.Job, requests int64) (record.Load, error) {
	sess, err := e.Open(ctx, job)
	if err != nil {
		return record.Load{}, err
	}
	defer sess.Close()
	var seen record.Detail
	l, err := sess.Run(ctx, load.Window{Requests: requests, Observe: &load.Observe{Into: &seen}})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return l, err
	}
	bad := func(kinds map[string]int64, format string, args ...any) error {
		check := "load: " + strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		return &scenario.Broken{Request: "load", Sent: unsent(&job), Check: check, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case l.Failed > 0:
		return l, bad(l.Failures, "%d of %d responses broke the contract; the first: %s",
			l.Failed, l.Failed+l.Succeeded, seen.First)
	case l.Errored() > 0:
		var texts []string
		for _, kind := range slices.Sorted(maps.Keys(seen.Texts)) {
			texts = append(texts, seen.Texts[kind])
		}
		return l, bad(l.Errors, "%d of %d requests got no whole response: %s", l.Errored(), l.Started, strings.Join(texts,
			"; "))
	case l.Succeeded < requests:
		return l, fmt.Errorf("only %d of %d requests were sent, over %s", l.Succeeded, requests, unsent(&job))
	}
	return l, nil
}
