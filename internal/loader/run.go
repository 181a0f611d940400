package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"dyno/internal/judge"
	"dyno/internal/load"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/wire"
)

// Run runs the load and calls tick, unless it is nil, every second. After an interruption it returns the
// results so far, without an error.
func (p *Plan) Run(ctx context.Context, tick func(record.Interval)) (*report.Summary, error) {
	s := p.frame()
	session, err := p.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	start := time.Now()
	p.window.Observe = &load.Observe{Into: &s.Detail, Every: time.Second, Each: true, Tick: func(i record.Interval) {
		s.Seconds = append(s.Seconds, report.Of(i))
		if tick != nil {
			tick(i)
		}
	}}
	suspended := machine.Suspended()
	s.Load, err = session.Run(ctx, p.window)
	s.Wall = time.Since(start)
	s.SentHTTP2 = sentHTTP2(s.Detail)
	s.Suspended = machine.SuspendedBetween(suspended, machine.Suspended())
	if s.Interrupted = err != nil && ctx.Err() != nil; s.Interrupted {
		err = nil
	}
	return s, err
}

// Connect opens the connections, and warms up.
func (p *Plan) Connect(ctx context.Context) (load.Session, error) {
	session, err := p.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.warmUp(ctx, session); err != nil {
		session.Close()
		return nil, err
	}
	return session, nil
}

// sentHTTP2 reports whether the server answered in HTTP/2 although dyno sent HTTP/1.1.
func sentHTTP2(d record.Detail) bool { return d.Texts["parse"] == load.ErrHTTP2.Error() }

// frame returns a Summary with the facts known before the load.
func (p *Plan) frame() *report.Summary {
	s := &report.Summary{
		Dyno: p.Dyno, Command: p.Command, Target: p.Target, Did: p.Did, CPU: machine.CPU(), Seed: p.Seed,
		Timeout: p.Timeout, NoSpin: p.noSpin,
		Checked: p.job.Scenario.Checked(), Unverified: p.TLS.Insecure,
		OneLoad: judge.OneLoad{Open: p.openLoop, Joining: p.job.Lazy, For: p.Length, Renewing: p.job.PerConnection > 0,
			AnyStatus: p.Scenario == "" && p.ExpectStatus.Empty(), Objectives: p.SLO, HTTP2: p.job.HTTP2},
	}
	if !p.openLoop {
		s.Ramp, s.Depth = p.window.Spread, load.Turn(&p.window, &p.job)
	}
	for i := range p.job.Scenario.Requests {
		q := &p.job.Scenario.Requests[i]
		s.Names = append(s.Names, cmp.Or(q.Name, q.Method+" "+q.Path))
	}
	return s
}

// open makes the connections.
func (p *Plan) open(ctx context.Context) (load.Session, error) {
	runtime.GC()            // collect the garbage of the preparation
	debug.SetGCPercent(400) // an observer makes little, short-lived garbage
	// The event loops keep their threads, and the observer gets one more.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), min(p.job.Workers, runtime.NumCPU())+1))
	session, err := p.engine.Open(ctx, p.job)
	switch {
	case err == nil:
		return session, nil
	case ctx.Err() != nil:
		return nil, errors.New("interrupted while connecting")
	}
	return nil, unopened(err, p.target.Endpoint)
}

// unopened returns the error for a load that could not connect, with advice.
func unopened(err error, to wire.Endpoint) error {
	if _, other := errors.AsType[*wire.NotHTTP2Error](err); !other && load.Unconnected(err) == load.Dial {
		return fmt.Errorf("%w; is a server listening at %s?", err, to.Addr)
	}
	return advised(err)
}

// advised adds advice to a connection error.
func advised(err error) error {
	if _, other := errors.AsType[*wire.NotHTTP2Error](err); other {
		return fmt.Errorf("%w; without --http dyno speaks HTTP/1.1", err)
	}
	if wire.NoProtocol(err) {
		return fmt.Errorf("%w; pass --http h2 if it speaks HTTP/2 alone", err)
	}
	return wire.Advised(err)
}

// warmUp loads the server for the duration Warmup, and discards the results.
func (p *Plan) warmUp(ctx context.Context, session load.Session) error {
	if p.Warmup <= 0 {
		return nil
	}
	w := load.Window{For: p.Warmup}
	if p.Rate > 0 {
		w.Schedule = &load.Schedule{Stages: []load.Stage{{For: p.Warmup, From: p.Rate, To: p.Rate}},
			Poisson: p.Arrivals == "poisson", Seed: p.Seed}
	}
	_, err := session.Run(ctx, w)
	if ctx.Err() != nil {
		return errors.New("interrupted during --warmup")
	}
	return err
}

// Failed reports whether the load must not count as a success.
func (r *Request) Failed(s *report.Summary) bool {
	for _, o := range s.Results() {
		if o.Kept == nil || !*o.Kept {
			return true
		}
	}
	return slices.ContainsFunc(s.Findings(), func(f judge.Finding) bool {
		switch f.ID {
		case judge.Errors:
			return !judge.OfErrors(r.SLO) // else a result judges them
		case judge.Standstill:
			return r.Strict || judge.OfLatency(r.SLO) && !s.Open
		case judge.GeneratorShare, judge.Pauses:
			return r.Strict
		}
		return f.State == judge.Fail
	})
}
