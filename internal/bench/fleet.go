package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
)

// Fleet is a Host with several machines, some of which may be lost during use.
type Fleet interface {
	Host
	// Lost says which machines were lost since Rejoin; nil: none. Calls to them fail.
	Lost() *record.Lost
	// Rejoin waits until all have returned. The servers on a lost machine are gone.
	Rejoin(ctx context.Context) error
}

// errLost is the error for work that failed because a machine was lost.
var errLost = errors.New("a machine was lost")

// lossesMost is the number of machines that may be lost one after another without a trial in
// between.
const lossesMost = 10

// lost says which machines were lost; nil: none.
func (b *Bench) lost() *record.Lost {
	if f, ok := b.Host.(Fleet); ok {
		return f.Lost()
	}
	return nil
}

// lasting calls do until it ends without a lost machine. It waits for each lost machine, and then
// continues: with the same round in the pilots, else with another epoch. A run that waits in vain
// is interrupted.
func (b *Bench) lasting(ctx context.Context, do func(context.Context) (string, error)) (reason string, err error) {
	for again := false; ; {
		b.at = record.Key{Epoch: -1, Round: -1}
		reason, err = do(ctx)
		lost := b.lost()
		if again && b.again != nil && (lost == nil || ctx.Err() != nil) { // the run itself has continued before
			b.again = nil
		}
		if lost == nil || ctx.Err() != nil {
			return reason, err
		}
		anew := b.at.Epoch >= b.run.Plan.Pilots && b.again == nil // in an epoch that has begun
		switch away, err := b.rejoin(ctx, lost, anew); {
		case away != nil:
			b.tell(record.Event{Stage: "wait", Text: away.Error()})
			if b.again != nil && !again {
				return "", away
			}
			b.again = nil
			return plan.Interrupted, nil
		case err != nil:
			return "", err
		}
		b.stopAll()
		if anew {
			b.again, again = &record.Resume{Epoch: b.at.Epoch + 1, StartedUnixNS: time.Now().UnixNano()}, true
		}
	}
}

// retaken reports whether the loss of generators alone cut off the trial of o. They have returned
// then, and the round must be repeated.
func (b *Bench) retaken(ctx context.Context, o plan.Order) (bool, error) {
	lost := b.lost()
	if lost == nil || lost.Server || ctx.Err() != nil || b.run.Plan.Processes != record.PerEpoch {
		return false, nil // or its processes serve a single load
	}
	if s := b.servers[o.Contestant]; s != nil {
		if b.frozen(o.Contestant, s) != nil { // then more must be repeated
			return false, nil
		}
	}
	away, err := b.rejoin(ctx, lost, false)
	return away == nil, err
}

// rejoin waits for lost machines, and records the loss; if anew, Resume counts the pause. away says
// that they did not return.
func (b *Bench) rejoin(ctx context.Context, lost *record.Lost, anew bool) (away, err error) {
	lost.Key = b.at
	lost.Seed = b.run.Plan.Seed
	began := time.Now()
	defer func() {
		if !b.until.IsZero() {
			b.until = b.until.Add(time.Since(began))
		}
	}()
	b.tell(record.Event{Stage: "wait", Text: fmt.Sprintf("%s was lost: %s; waiting for it", lost.Machine, lost.Reason)})
	if away := b.Host.(Fleet).Rejoin(ctx); away != nil {
		return away, nil
	}
	if b.losses++; len(b.run.Trials) > b.measured {
		b.losses, b.measured = 1, len(b.run.Trials)
	}
	if b.losses > lossesMost {
		return nil, fmt.Errorf("%s was lost %d times without a trial in between, the last time because %s", lost.Machine,
			b.losses, lost.Reason)
	}
	if !anew {
		lost.PausedNS = int64(time.Since(began))
	}
	return nil, b.record(record.Record{Lost: lost})
}
