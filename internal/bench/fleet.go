package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
)

// Fleet is a Host of several machines, some of which may be lost while they are used.
type Fleet interface {
	Host
	// Lost says which machines were lost since Rejoin; nil: none. What is asked of them fails.
	Lost() *result.Lost
	// Rejoin waits until all are there again. The servers of a machine that was lost are gone.
	Rejoin(ctx context.Context) error
}

// errLost is the error of what could not be done because a machine was lost.
var errLost = errors.New("a machine was lost")

// lossesMost is the number of machines that may be lost one after another without a trial in between.
const lossesMost = 10

// lost says which machines were lost; nil: none.
func (b *Bench) lost() *result.Lost {
	if f, ok := b.Host.(Fleet); ok {
		return f.Lost()
	}
	return nil
}

// lasting calls do until it ends without that a machine was lost. It waits for each that is, and then
// goes on: with the round again in the pilots, else with another epoch. A run that waits in vain is
// interrupted.
func (b *Bench) lasting(ctx context.Context, do func(context.Context) (string, error)) (reason string, err error) {
	for again := false; ; {
		b.at = result.Key{Epoch: -1, Round: -1}
		reason, err = do(ctx)
		lost := b.lost()
		if again && b.again != nil && (lost == nil || ctx.Err() != nil) { // the run itself has gone on before
			b.again = nil
		}
		if lost == nil || ctx.Err() != nil {
			return reason, err
		}
		anew := b.at.Epoch >= b.run.Plan.Pilots && b.again == nil // of an epoch that has begun
		switch away, err := b.rejoin(ctx, lost, anew); {
		case away != nil:
			b.tell(result.Event{Stage: "wait", Text: away.Error()})
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
			b.again, again = &result.Resume{Epoch: b.at.Epoch + 1, StartedUnixNS: time.Now().UnixNano()}, true
		}
	}
}

// retaken reports whether the trial of o was cut off by the loss of generators alone. They are there
// again then, and the round is to be taken again.
func (b *Bench) retaken(ctx context.Context, o plan.Order) (bool, error) {
	lost := b.lost()
	if lost == nil || lost.Server || ctx.Err() != nil || b.run.Plan.Processes != result.PerEpoch {
		return false, nil // or its processes are for one load
	}
	if s := b.servers[o.Contestant]; s != nil {
		if b.frozen(s) != nil { // then there is more to do
			return false, nil
		}
	}
	away, err := b.rejoin(ctx, lost, false)
	return away == nil, err
}

// rejoin waits for machines that were lost, and records that they were; in a pause that Resume counts, if
// anew. away says that they did not come.
func (b *Bench) rejoin(ctx context.Context, lost *result.Lost, anew bool) (away, err error) {
	lost.Key = b.at
	lost.Seed = b.run.Plan.Seed
	began := time.Now()
	defer func() {
		if !b.until.IsZero() {
			b.until = b.until.Add(time.Since(began))
		}
	}()
	b.tell(result.Event{Stage: "wait", Text: fmt.Sprintf("%s was lost: %s; waiting for it", lost.Machine, lost.Reason)})
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
	return nil, b.record(result.Record{Lost: lost})
}
