package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
)

// impossible says what arithmetic forbids of a trial, or nil: a server that was faster than its delay, or shorter than its answer, did not do the
// work. The ceiling's server does none, and is not asked.
func (b *Bench) impossible(s Server, o plan.Order, l *result.Load) error {
	p := &b.run.Plan
	if o.Driver != "" || o.Contestant == p.Ceiling || o.Contestant == p.Companion {
		return nil
	}
	job := b.job(o.Contestant, s, o.Level, o.LoadSeed)
	return job.Impossible(l, time.Duration(o.Level.DelayNS), b.shownBytes(o.Contestant, o.Level))
}

// shownBytes is how long the answers were when the contestant's process was verified, where all that it is loaded with has one answer; else 0.
func (b *Bench) shownBytes(name string, level result.Level) int {
	sc := b.scenario(level.Scenario)
	seen := b.exact.seen[shown{name, sc.Name, level.Records}]
	loaded := 0
	for i := range sc.Requests {
		r := &sc.Requests[i]
		if r.Weight == 0 {
			continue
		}
		if loaded++; loaded > 1 || r.Expect.Body == nil || !r.Expect.Verbatim && strings.Contains(*r.Expect.Body, "{") {
			return 0
		}
	}
	if seen == nil || sc.Session != "" || sc.Cookies {
		return 0
	}
	return seen.HeaderBytes + seen.BodyBytes
}

// proveAgain verifies every process of an epoch once more, after its last load: what was proved before the first may have been a show.
func (b *Bench) proveAgain(ctx context.Context, epoch int) error {
	p := &b.run.Plan
	for _, name := range slices.Sorted(maps.Keys(b.servers)) {
		if name == p.Ceiling || name == p.Companion {
			continue
		}
		s := b.servers[name]
		err := b.thawed(ctx, s, epoch, plan.First(p, epoch))
		if err == nil {
			_, err = b.verify(ctx, name, b.differs(name), s, epoch)
		}
		if gone := b.gone(); gone != nil || ctx.Err() != nil { // nobody here is to blame
			return ctx.Err()
		}
		if frozen := b.frozen(s); err == nil {
			err = frozen
		}
		if err != nil {
			err = fmt.Errorf("after the last load of epoch %d: %w", epoch, err)
			if err := b.fail(name, "verify", epoch, &LogError{Err: err, Tail: s.LogTail()}); err != nil {
				return err
			}
		}
	}
	return nil
}
