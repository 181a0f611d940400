package bench

import (
	"context"
	"time"

	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/result"
)

// idle ends an epoch: it reads what each contestant holds with more and more idle connections, one
// contestant after another. Each connection carries one request, so that the server has made all
// that it makes for one. A contestant that cannot hold so many has fewer records, and goes on.
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

// idleOf thaws, dials what a step lacks, asks once on each new connection, freezes and reads. The
// error is of the record.
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
		session, err := b.Driver.Open(ctx, b.job(name, s, level, uint64(n)))
		if err != nil {
			return ownTrouble(ctx, err)
		}
		defer session.Close()
		seen, err := session.Run(ctx, load.Window{Requests: int64(n - held)})
		if err != nil || broken(&seen) != nil {
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

// ownTrouble is the error of a reading that failed and is no loss, unless dyno itself is to blame.
func ownTrouble(ctx context.Context, err error) error {
	if load.OutOfFiles(err) {
		return err
	}
	return ctx.Err()
}
