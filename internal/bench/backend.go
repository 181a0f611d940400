package bench

import (
	"context"
	"fmt"
	"time"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// backendDeaths is the number of unexpected ends of the backend after which the run is given up. It
// is restarted in the next epoch.
const backendDeaths = 3

// backend returns the program that this epoch's contestants call; nil if they call none, or it is
// not running.
func (b *Bench) backend() Server { return b.servers[b.run.Plan.Backend] }

// startBackend starts an epoch's backend, before the contestants that call it, and returns its
// launch; nil if there is none.
func (b *Bench) startBackend(ctx context.Context, epoch int) (*record.Launch, error) {
	p := &b.run.Plan
	if p.Backend == "" {
		return nil, nil
	}
	b.progress("launch", p.Backend, epoch, nil)
	clear(b.exact.bound)
	l := &record.Launch{Contestant: p.Backend, Epoch: epoch, StartedUnixNS: time.Now().UnixNano()}
	s, err := b.Host.Launch(ctx, p.Backend, Launch{Epoch: epoch, Padding: plan.Padding(p.Seed, epoch, -1),
		AsPublished: plan.First(p, epoch).AsPublished,
		Probe:       Probe{Records: &Records{p.Levels[0].Records, plan.RecordsSeed(p, epoch)}}})
	if err != nil {
		return nil, err
	}
	if l.CPUs = b.Generator.CPUs(); b.run.Host.Backend != nil {
		l.CPUs = b.run.Host.Backend.ServerCPUs
	}
	b.servers[p.Backend], b.mute = s, nil
	r, _ := s.Read(ReadStart)
	l.ReadyNS, l.Meters, l.Absent = int64(r.Ready), r.Meters, r.Absent
	return l, nil
}

// beginEpoch starts an epoch's backend and records that. If the backend does not start, the epoch
// ends, and gone is true.
func (b *Bench) beginEpoch(ctx context.Context, epoch int) (gone bool, err error) {
	l, err := b.startBackend(ctx, epoch)
	switch {
	case ctx.Err() != nil:
		return true, ctx.Err()
	case err != nil:
		return true, b.lose(epoch, "launch", err)
	case l != nil:
		return false, b.record(record.Record{Launch: l})
	}
	return false, nil
}

// instruct sets the number of records in the backend's responses. The records stay the same
// throughout an epoch, because contestants must repeat the bytes from its start.
func (b *Bench) instruct(ctx context.Context, epoch, records int) error {
	s := b.backend()
	if s == nil || records == 0 {
		return nil
	}
	_, err := b.Generator.Ask(ctx, s.At(wire.Clear), Question{What: AskTell,
		Records: Records{records, plan.RecordsSeed(&b.run.Plan, epoch)}})
	if err != nil {
		err = fmt.Errorf("set it to %d records: %w", records, err)
		b.mute = err
	}
	return err
}

// contract returns the scenario for this epoch, with the expected responses for the backend's
// records.
func (b *Bench) contract(ctx context.Context, of plan.Asking, epoch int) (*scenario.Scenario, error) {
	s := b.scenario(of.Scenario)
	if s.Backend == "" || b.backend() == nil {
		return s, nil
	}
	if err := b.instruct(ctx, epoch, of.Records); err != nil {
		return nil, err
	}
	k := said{s.Name, of.Records}
	if known := b.exact.bound[k]; known != nil {
		return known, nil
	}
	bound, err := s.Bind(func(path string) ([]byte, error) {
		a, err := b.Generator.Ask(ctx, b.backend().At(wire.Clear), Question{What: AskFetch, Path: path})
		return a.Body, err
	})
	if err != nil {
		b.mute = err
		return nil, err
	}
	b.exact.bound[k] = bound
	return bound, nil
}

// gone returns an error if the backend has ended.
func (b *Bench) gone() error {
	if s := b.backend(); s != nil {
		if err := exited(s); err != nil {
			return fmt.Errorf("it exited: %w", err)
		}
	}
	return b.mute
}

// lose ends an epoch whose backend is gone. Its contestants do not fail, because measurements
// without the backend would be meaningless. The run continues with the next epoch, or lose returns
// an error.
func (b *Bench) lose(epoch int, stage string, why error) error {
	p := &b.run.Plan
	if b.lost() != nil {
		return errLost
	}
	cause := why
	if s := b.backend(); s != nil {
		cause = WithLog(s, why)
	}
	if err := b.fail(p.Backend, stage, epoch, cause); err != nil {
		return err
	}
	b.stopAll()
	b.mute = nil
	deaths := 0
	for i := range b.run.Failures {
		if b.run.Failures[i].Contestant == p.Backend {
			deaths++
		}
	}
	switch {
	case epoch < p.Pilots || p.Processes == record.PerLoad:
		return fmt.Errorf("the backend %s: %w", p.Backend, why)
	case deaths >= backendDeaths:
		return fmt.Errorf("the backend %s died %d times, the last time because %w", p.Backend, deaths, why)
	}
	return b.record(record.Record{Resume: &record.Resume{Epoch: epoch + 1, StartedUnixNS: time.Now().UnixNano()}})
}

// frozen freezes a contestant and the backend that it calls.
func (b *Bench) frozen(s Server) error {
	err := s.Freeze()
	if c := b.backend(); c != nil && c != s && err == nil {
		err = c.Freeze()
	}
	return err
}

// thawed thaws the backend, sets its number of records, and thaws the contestant.
func (b *Bench) thawed(ctx context.Context, s Server, epoch int, level record.Level) error {
	if c := b.backend(); c != nil {
		if err := c.Thaw(); err != nil {
			return err
		}
		if err := b.instruct(ctx, epoch, level.Records); err != nil {
			return err
		}
		if c == s {
			return nil
		}
	}
	return s.Thaw()
}
