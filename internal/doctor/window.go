package doctor

import (
	"context"
	"fmt"
	"time"

	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// seed orders the rounds and draws the random parts of requests: every calibration uses the same.
const seed = 1

// rewarm is the length of the load on new connections before each counted window, as in a trial.
const rewarm = 30 * time.Millisecond

// seen is a window's result.
type seen struct {
	record.Load
	detail         record.Detail // the details, in an observed window
	server, client time.Duration // CPU time that they used
}

// perSec returns the rate of right responses.
func (s *seen) perSec() float64 {
	v, _ := s.PerSec()
	return v
}

// clean returns an error if a window had errors or missing connections. Requests that started late
// are allowed, because response times and lag include their delay.
func (s *seen) clean() error {
	if s.Established != s.Connections || s.Succeeded != s.Started || s.Succeeded == 0 {
		return fmt.Errorf("%d of %d connections, %d of %d requests succeeded: %v %v",
			s.Established, s.Connections, s.Succeeded, s.Started, s.Errors, s.Failures)
	}
	return nil
}

// load loads s for one window, on fresh connections.
func (b *setup) load(ctx context.Context, s *server, shape Shape, w load.Window) (*seen, error) {
	defer machine.Quiet()()
	sess, err := loop.Engine{}.Open(ctx, b.job(s.Addr, shape, w.Schedule != nil))
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", s.name, err)
	}
	defer sess.Close()
	v := &seen{}
	if w.Schedule == nil {
		if _, err := sess.Run(ctx, load.Window{For: rewarm}); err != nil {
			return nil, fmt.Errorf("load %s: %w", s.name, err)
		}
	} else {
		w.Observe = &load.Observe{Into: &v.detail}
	}
	server, client, err := clocks(s)
	if err != nil {
		return nil, err
	}
	if v.Load, err = sess.Run(ctx, w); err != nil {
		return nil, fmt.Errorf("load %s: %w", s.name, err)
	}
	if v.server, v.client, err = clocks(s); err != nil {
		return nil, err
	}
	v.server, v.client = v.server-server, v.client-client
	return v, nil
}

// job returns the job of a load on addr; open means that it has a schedule.
func (b *setup) job(addr string, shape Shape, open bool) load.Job {
	return load.Job{
		Endpoint: wire.TCP(addr), Scenario: b.Scenario, Seed: seed, CPUs: b.pinned(b.cal.Host.GeneratorCPUs),
		Connections: shape.Connections, Pipeline: shape.Pipeline, PerConnection: shape.PerConnection,
		Spin: b.spins(shape, open),
	}
}

// spins reports whether the generator spins, as in a run.
func (b *setup) spins(shape Shape, open bool) bool {
	ok, _ := machine.SpinAllowed(&b.cal.Host, load.Loops(len(b.cal.Host.GeneratorCPUs), shape.Connections), open)
	return ok
}

// probe sends one request and checks the answer.
func (b *setup) probe(ctx context.Context, to wire.Endpoint) error {
	sess, err := loop.Engine{}.Open(ctx, b.job(to.Addr, Shape{Connections: 1, Pipeline: 1}, false))
	if err != nil {
		return err
	}
	defer sess.Close()
	l, err := sess.Run(ctx, load.Window{Requests: 1})
	if err == nil && l.Succeeded != 1 {
		err = fmt.Errorf("the first response was wrong: %v %v", l.Failures, l.Errors)
	}
	return err
}

// paced returns an open loop of evenly spaced requests. The schedule is endless; the window ends
// it.
func paced(rate float64, length time.Duration) load.Window {
	return load.Window{For: length, Schedule: &load.Schedule{Stages: []load.Stage{{From: rate, To: rate}}, Seed: seed}}
}
