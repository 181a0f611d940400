package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// build builds all contestants, two at a time, and returns those that could be built. For the
// others it records why not.
func (b *Bench) build(ctx context.Context) ([]result.Contestant, error) {
	p := &b.run.Plan
	names := append(append([]string(nil), p.Contestants...), p.Controls...)
	if p.Ceiling != "" && p.Ceiling != p.Backend {
		names = append(names, p.Ceiling)
	}
	if p.Backend != "" {
		names = append(names, p.Backend)
	}
	// before the run was resumed
	lost := func(name string) bool { return name != p.Backend && b.run.FailureOf(name) != nil }
	built := make([]result.Contestant, len(names))
	failed := make([]error, len(names))
	slots := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for i, name := range names {
		if lost(name) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			built[i], failed[i] = b.Host.Build(ctx, name, func(text string) {
				b.tell(result.Event{Stage: "build", Contestant: name, Text: text})
			})
			if failed[i] == nil && built[i].BuildNS > 0 { // commands, images and URLs are not built
				b.tell(result.Event{Stage: "built", Contestant: name})
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var standing []result.Contestant
	for i, name := range names {
		if lost(name) {
			continue
		}
		b.exact.paths[name] = built[i].Paths
		if failed[i] == nil {
			standing = append(standing, built[i])
			continue
		}
		if b.again != nil {
			return nil, refuse(name, failed[i])
		}
		if built[i].Name != "" { // its title, at least, is known
			if err := b.record(result.Record{Contestant: &built[i]}); err != nil {
				return nil, err
			}
		}
		if err := b.fail(name, "build", 0, failed[i]); err != nil {
			return nil, err
		}
		if name == p.Backend {
			return nil, fmt.Errorf("build the backend %s, which the contestants need: %w", name, failed[i])
		}
	}
	return standing, nil
}

// verifyAll starts each contestant once, alone, and verifies that it keeps the contract. Only then
// it records the contestant, with the observations.
func (b *Bench) verifyAll(ctx context.Context, built []result.Contestant) error {
	ctx, cancel := b.bounded(ctx)
	defer cancel()
	if _, err := b.startBackend(ctx, 0); err != nil {
		if err := b.over(ctx); err != nil {
			return err
		}
		return fmt.Errorf("the backend %s: %w", b.run.Plan.Backend, err)
	}
	defer b.stopAll()
	for _, c := range built {
		b.tell(result.Event{Stage: "verify", Contestant: c.Name})
		known := b.run.Contestant(c.Name)
		if known != nil {
			if err := sameProgram(known, &c); err != nil {
				return refuse(c.Name, err)
			}
		}
		c.VerifyUnixNS = time.Now().UnixNano()
		seen, err := b.proveOne(ctx, &c)
		if err := b.over(ctx); err != nil {
			return err
		}
		if gone := b.gone(); gone != nil {
			return fmt.Errorf("the backend %s: %w", b.run.Plan.Backend, gone)
		}
		if err != nil && b.again != nil {
			return refuse(c.Name, err)
		}
		if err != nil {
			if err := b.fail(c.Name, "verify", 0, err); err != nil {
				return err
			}
		}
		if seen != nil {
			c.Response, c.Differs = seen.Framing, seen.Differs
			c.HeaderBytes, c.BodyBytes = seen.HeaderBytes, seen.BodyBytes
		}
		if known != nil {
			continue
		}
		if err := b.record(result.Record{Contestant: &c}); err != nil {
			return err
		}
	}
	return b.agree()
}

// agree compares the responses of all contestants, and makes their common properties the contract
// of the load.
func (b *Bench) agree() error {
	if b.Alike == nil || b.run.Alike != nil {
		return nil
	}
	contract, a, err := b.Alike.Agree(b.Scenario)
	if err != nil || a.Checked == "" { // nobody answered
		return err
	}
	b.Scenario = contract
	text := "checked under load: " + a.Checked
	if len(a.Varies) > 0 {
		text += "; not compared, because it varies: " + strings.Join(a.Varies, ", ")
	}
	if len(a.Excused) > 0 {
		text += "; accepted differences: " + strings.Join(a.Excused, ", ")
	}
	b.tell(result.Event{Stage: "verify", Text: text})
	return b.record(result.Record{Alike: a})
}

// proveOne verifies that a contestant keeps its contract, and that it ends on SIGTERM. It returns
// the observations; nil for the ceiling's server, which implements only the loaded requests, and
// for the backend, which is already running.
func (b *Bench) proveOne(ctx context.Context, c *result.Contestant) (*scenario.Observed, error) {
	if c.Name == b.run.Plan.Backend {
		return nil, nil
	}
	s, err := b.launch(ctx, c.Name, plan.Padding(b.run.Plan.Seed, 0, 0), 0)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	if c.Name == b.run.Plan.Ceiling {
		return nil, nil
	}
	seen, err := b.verify(ctx, c.Name, c.Differs, s, 0, 0, plan.Asked(&b.run.Plan, c.Name))
	if b.Alike != nil && !c.Control { // what it answered is judged when all are asked
		to, sc := s.At(b.run.Plan.Level.HTTP), b.exact.asked(c.Name, b.Scenario)
		err = b.Alike.Ask(ctx, c.Name, sc, func() ([]scenario.Answer, error) { return b.Generator.Answers(ctx, sc, to) })
		if err == nil && c.URL == "" {
			err = accepts(ctx, b.Generator, to, b.run.Plan.Level.Connections, b.run.Plan.Command)
		}
	}
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return seen, &LogError{Err: err, Tail: s.LogTail()}
	}
	return seen, nil
}

// verify checks that a contestant keeps the contract of each scenario that it is asked, for each
// number of records of the backend. The result describes the first of these, plus framing and
// differences of the others. The load then requires the bytes seen here. The backend responds with
// the records of the epoch told.
func (b *Bench) verify(ctx context.Context, name string, differs []string, s Server, epoch, told int,
	asked []plan.Asking) (*scenario.Observed, error) {
	var all *scenario.Observed
	for _, of := range asked {
		sc, err := b.contract(ctx, of, told)
		if err != nil {
			return nil, err
		}
		seen, err := b.Generator.Verify(ctx, b.exact.asked(name, sc), s.At(of.HTTP), differs, b.delay(epoch))
		if err != nil {
			if of.String() != "" {
				err = fmt.Errorf("%s: %w", of, err)
			}
			return seen, err
		}
		b.exact.saw(name, sc, of, seen)
		if all == nil {
			all = seen
			continue
		}
		for request, framing := range seen.Framing {
			all.Framing[of.Label(request)] = framing
		}
		for _, d := range seen.Differs {
			if !slices.Contains(all.Differs, d) {
				all.Differs = append(all.Differs, d)
			}
		}
	}
	return all, nil
}

// inspect replaces verify for the ceiling's server: the load requires the bytes that it shows here.
func (b *Bench) inspect(ctx context.Context, name string, s Server, epoch int) error {
	for _, of := range plan.AskedIn(b.run, epoch, name) {
		if !plan.AtCeiling(&b.run.Plan, of) {
			continue
		}
		sc := b.scenario(of.Scenario)
		seen, err := b.Generator.Inspect(ctx, sc, s.At(of.HTTP))
		if err != nil {
			return err
		}
		b.exact.saw(name, sc, of, seen)
	}
	return nil
}
