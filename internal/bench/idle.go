package bench

import (
	"context"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/result"
)

// idle ends an epoch: for one contestant after another, it reads the memory of a process with
// increasing numbers of idle connections. Each connection carries one request first, so that the
// server has allocated what it needs for one. A contestant that cannot hold the connections has
// fewer records, and stays in the run.
func (b *Bench) idle(ctx context.Context, epoch int) error {
	p := &b.run.Plan
	if epoch < p.Pilots || len(p.IdleConnections) == 0 {
		return nil
	}
	for _, name := range p.Contestants {
		s := b.servers[name]
		if s == nil {
			continue
		}
		b.progress("measure", name, epoch, nil)
		if err := b.idleOf(ctx, s, name, epoch); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// idleOf thaws, dials the missing connections of a step, sends one request on each new one, freezes
// and reads. Its error concerns the record.
func (b *Bench) idleOf(ctx context.Context, s Server, name string, epoch int) error {
	level := plan.First(&b.run.Plan, epoch)
	level.RatePerSec, level.PerConnection, level.Pipeline, level.Connections = 0, 0, 1, 0
	held := 0
	for _, n := range b.run.Plan.IdleConnections {
		r := result.Idle{Contestant: name, Epoch: epoch, Connections: n, StartedUnixNS: time.Now().UnixNano()}
		if b.thawed(ctx, s, epoch, level) != nil {
			return ctx.Err()
		}
		level.Connections = n - held
		session, err := b.Generator.Open(ctx, b.job(name, s, level, uint64(n)))
		if err != nil {
			return ownTrouble(ctx, err)
		}
		defer session.Close()
		seen, err := session.Run(ctx, load.Window{Requests: int64(n - held), Uncounted: true})
		if err != nil || broken(&seen, b.scenario(level.Scenario)) != nil {
			return ownTrouble(ctx, err)
		}
		held = n
		if b.frozen(s) != nil {
			return nil
		}
		s.Usage(&r.Server)
		r.EndedUnixNS = time.Now().UnixNano()
		if err := b.record(result.Record{Idle: &r}); err != nil {
			return err
		}
	}
	return nil
}

// ownTrouble returns the error of a reading if dyno itself caused it. Any other failed reading is
// only missing.
func ownTrouble(ctx context.Context, err error) error {
	if load.OutOfFiles(err) {
		return err
	}
	return ctx.Err()
}
