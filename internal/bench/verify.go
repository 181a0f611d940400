package bench

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"dyno/internal/alike"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// build builds all contestants, two at a time, and returns those that could be built. For the
// others it records the reason.
func (b *Bench) build(ctx context.Context) ([]record.Contestant, error) {
	p := &b.run.Plan
	names := append(append([]string(nil), p.Contestants...), p.Controls...)
	if p.Ceiling != "" && p.Ceiling != p.Source() {
		names = append(names, p.Ceiling)
	}
	for _, s := range p.Services {
		names = append(names, s.Name)
	}
	// failed before the run was resumed
	lost := func(name string) bool { return !p.IsService(name) && b.run.FailureOf(name) != nil }
	built := make([]record.Contestant, len(names))
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
				b.tell(record.Event{Stage: "build", Contestant: name, Text: text})
			})
			if failed[i] == nil && built[i].BuildNS > 0 { // commands, images and URLs are not built
				b.tell(record.Event{Stage: "built", Contestant: name})
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var standing []record.Contestant
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
		if built[i].Name != "" { // at least its title is known
			if err := b.record(record.Record{Contestant: &built[i]}); err != nil {
				return nil, err
			}
		}
		if err := b.fail(name, "build", 0, failed[i]); err != nil {
			return nil, err
		}
		if p.IsService(name) {
			return nil, fmt.Errorf("build the service %s, which the contestants need: %w", name, failed[i])
		}
	}
	return standing, nil
}

// verifyAll starts each contestant once, alone, and verifies that it keeps the contract. Only then
// it records the contestant, with the observations.
func (b *Bench) verifyAll(ctx context.Context, built []record.Contestant) error {
	ctx, cancel := b.bounded(ctx)
	defer cancel()
	names := make([]string, len(built))
	for i := range built {
		names[i] = built[i].Name
	}
	if _, failed := b.startServices(ctx, 0, names); failed != nil {
		return cmp.Or(b.over(ctx), error(failed))
	}
	defer b.stopEpoch()
	for _, c := range built {
		if err := b.verifyOne(ctx, c); err != nil {
			return err
		}
	}
	for _, c := range built { // only now it is known which share a port
		if !b.Host.Apart(c.Name) || b.run.FailureOf(c.Name) != nil {
			continue
		}
		if err := b.verifyOne(ctx, c); err != nil {
			return err
		}
	}
	return b.agree(ctx)
}

// verifyOne verifies a contestant where it is loaded, and records it with the observations, once.
func (b *Bench) verifyOne(ctx context.Context, c record.Contestant) error {
	b.tell(record.Event{Stage: "verify", Contestant: c.Name})
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
		return gone
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
		return nil
	}
	return b.record(record.Record{Contestant: &c})
}

// agree compares all contestants' responses, and makes their common properties the load's contract.
// It records, once, which parts of every answer are checked.
func (b *Bench) agree(ctx context.Context) error {
	a := b.specified()
	if b.Alike != nil {
		contract, found, err := b.Alike.Agree(b.Scenario)
		if err != nil && b.askAnew(ctx) == nil {
			contract, found, err = b.Alike.Agree(b.Scenario)
		}
		if err != nil || found.Requests == 0 { // no contestant answered
			return err
		}
		b.exact.agreed(contract, b.Scenario, append([]string{b.run.Plan.Ceiling}, b.run.Plan.Controls...))
		b.Scenario, a = contract, found
	}
	if b.run.Alike != nil { // recorded before the run was resumed
		return nil
	}
	for _, c := range b.run.Contestants {
		if b.Host.Apart(c.Name) {
			a.Apart = append(a.Apart, c.Name)
		}
		if c.URL != "" { // its earlier requests are unknown
			a.InTurn = 0
		}
	}
	b.run.Alike = a
	text := "checked under load: " + b.run.Checked()
	if len(a.Varies) > 0 {
		text += "; varies between answers of one side: " + strings.Join(a.Varies, ", ")
	}
	if len(a.Excused) > 0 {
		text += "; accepted differences: " + strings.Join(a.Excused, ", ")
	}
	for _, more := range b.run.CheckedAlso() {
		text += "; " + more
	}
	b.tell(record.Event{Stage: "verify", Text: text})
	return b.record(record.Record{Alike: a})
}

// askAnew restarts all contestants and sends them Ask's requests: answers that differ then, such as
// a start time, distinguish none of them.
func (b *Bench) askAnew(ctx context.Context) error {
	all := map[string][]scenario.Answer{}
	for _, c := range b.run.Contestants {
		if c.URL != "" || b.Alike.Times(c.Name) == 0 || b.run.FailureOf(c.Name) != nil {
			continue
		}
		s, err := b.launch(ctx, c.Name, plan.Padding(b.run.Plan.Seed, 0, 0), 0)
		if err != nil {
			return err
		}
		said, err := b.Generator.Ask(ctx, s.At(b.run.Plan.First().HTTP), Question{What: AskAnswers,
			Scenario: b.exact.asked(c.Name, b.Scenario)})
		b.stop(c.Name, s)
		if err != nil {
			return err
		}
		all[c.Name] = said.Answers
	}
	b.Alike.Anew(all)
	return nil
}

// specified counts the loaded requests, and those whose whole body their scenario determines.
func (b *Bench) specified() *record.Alike {
	a := &record.Alike{}
	all := []*scenario.Scenario{b.Scenario}
	for _, name := range slices.Sorted(maps.Keys(b.Others)) {
		all = append(all, b.Others[name])
	}
	for _, s := range all {
		if s == nil {
			continue
		}
		for i := range s.Requests {
			switch r := &s.Requests[i]; {
			case r.Weight == 0:
				continue
			case r.Expect.Whole() && r.Method != "HEAD":
				a.Constant++
			default:
				a.Open++
			}
			a.Requests++
		}
	}
	return a
}

// judge compares the answers sampled in an epoch since the last call, while its processes still
// run.
func (b *Bench) judge(ctx context.Context, epoch int) error {
	samples := b.samples
	b.samples = nil
	maps.DeleteFunc(samples, func(name string, s *load.Sampler) bool {
		answers, _, _, _ := s.Seen()
		return answers == 0 && len(s.Heads()) == 0 || b.servers[name] == nil
	})
	if len(samples) == 0 {
		return nil
	}
	again := func(name string, marks []scenario.Mark) ([]scenario.Answer, error) {
		s := b.servers[name]
		if err := b.thawed(ctx, name, s, epoch, plan.First(&b.run.Plan, epoch)); err != nil {
			return nil, err
		}
		to := s.At(b.run.Plan.First().HTTP)
		sc := b.exact.asked(name, b.Scenario)
		var answers []scenario.Answer
		var err error
		switch {
		case marks == nil:
			answers, err = sc.Answers(ctx, to)
		case &marks[0] == &alike.InTurn[0]:
			answers, err = sc.InTurn(ctx, to, scenario.MostInTurn, plan.MostSequence)
		default:
			answers, err = sc.Again(ctx, to, marks)
		}
		if frozen := b.frozen(name, s); err == nil {
			err = frozen
		}
		return answers, err
	}
	found := b.Alike.Judge(b.Scenario, samples, b.inTurn, again)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		v := found[name]
		if v.Wrong != nil { // recorded first: a sampled answer counts as checked
			err := WithLog(b.servers[name], v.Wrong)
			if err := b.fail(name, "verify", epoch, err); err != nil {
				return err
			}
		}
		seen := &record.Sampled{Contestant: name, Epoch: epoch, Answers: v.Answers, Compared: v.Compared, Long: v.Long,
			Headers: v.Heads}
		if err := b.record(record.Record{Sampled: seen}); err != nil {
			return err
		}
	}
	return nil
}

// sampler returns the sampler for a contestant's answers in this epoch at a level; nil if they are
// not compared. Header sections are only compared at the protocol in which the contestants were
// first asked.
func (b *Bench) sampler(name string, at record.Level) *load.Sampler {
	if !b.compared(name) || b.scenario(at.Scenario) != b.Scenario {
		return nil
	}
	if b.samples == nil {
		b.samples = map[string]*load.Sampler{}
	}
	if b.samples[name] == nil {
		b.samples[name] = new(load.Sampler)
	}
	b.samples[name].OnlyBodies = at.HTTP != b.run.Plan.First().HTTP
	return b.samples[name]
}

// compared reports whether a contestant's answers under load are compared.
func (b *Bench) compared(name string) bool { return b.Alike != nil && b.exact.base[name] == nil }

// askInTurn sends a contestant Scenario.InTurn's requests: as many as each contestant answered in its
// first start, in the time that plan.Sequence allows, or what it answers in that time. It sends nothing if
// the client keeps a state, if the first load has to be cold, or if the generator is on other machines.
func (b *Bench) askInTurn(ctx context.Context, name string, s Server, within time.Duration) ([]scenario.Answer, error) {
	g, ok := b.Generator.(interface {
		InTurn(context.Context, *scenario.Scenario, wire.Endpoint, int, time.Duration) ([]scenario.Answer, error)
	})
	if !ok || b.Scenario.Session != "" || b.Scenario.Cookies || b.run.Plan.Fresh() && b.Alike.Fixed {
		return nil, nil
	}
	most := b.Alike.InTurn()
	if a := b.run.Alike; a != nil {
		most = cmp.Or(a.InTurn, most) // no more are compared
	}
	answers, err := g.InTurn(ctx, b.exact.asked(name, b.Scenario), s.At(b.run.Plan.First().HTTP),
		cmp.Or(most, scenario.MostInTurn), within)
	if len(answers) > 0 { // the load counts missing answers
		err = ctx.Err()
	}
	return answers, err
}

// laterSequence times plan.Sequence is the time for a later start's requests: their number is known.
const laterSequence = 5

// freshly sends a freshly started contestant Ask's requests and then InTurn's, and returns the
// answers to InTurn.
func (b *Bench) freshly(ctx context.Context, name string, s Server) ([]scenario.Answer, error) {
	if c := b.run.Contestant(name); c != nil && c.URL != "" { // it keeps running from epoch to epoch
		return nil, nil
	}
	q := Question{What: AskAnswers, Scenario: b.exact.asked(name, b.Scenario)}
	for range b.Alike.Times(name) {
		if _, err := b.Generator.Ask(ctx, s.At(b.run.Plan.First().HTTP), q); err != nil {
			return nil, err
		}
	}
	return b.askInTurn(ctx, name, s, laterSequence*plan.Sequence(&b.run.Plan))
}

// proveOne verifies that a contestant keeps its contract, and that it ends on SIGTERM. It returns
// the observations; nil for the ceiling's server, which implements only the loaded requests, and
// for services, which are already running.
func (b *Bench) proveOne(ctx context.Context, c *record.Contestant) (*scenario.Observed, error) {
	if b.run.Plan.IsService(c.Name) {
		return nil, nil
	}
	costs, began := &record.Costs{}, b.Generator.Now()
	spent := func(since time.Time) {
		if c.URL == "" || since == began { // its epochs do not ask for these
			costs.StartNS += int64(b.Generator.Now().Sub(since))
		}
	}
	s, err := b.launch(ctx, c.Name, plan.Padding(b.run.Plan.Seed, 0, 0), 0)
	if err != nil {
		return nil, err
	}
	defer b.stop(c.Name, s)
	if c.Name == b.run.Plan.Ceiling {
		return nil, nil
	}
	seen, err := b.verify(ctx, c.Name, c.Differs, s, 0, 0, plan.Asked(&b.run.Plan, c.Name))
	spent(began)
	if b.Alike != nil && !c.Control { // its answers are judged once all are asked
		to, sc := s.At(b.run.Plan.First().HTTP), b.exact.asked(c.Name, b.Scenario)
		err = b.Alike.Ask(ctx, c.Name, sc, func() ([]scenario.Answer, error) {
			defer spent(b.Generator.Now())
			a, err := b.Generator.Ask(ctx, to, Question{What: AskAnswers, Scenario: sc})
			return a.Answers, err
		})
		if err == nil {
			since := b.Generator.Now()
			var inTurn []scenario.Answer
			inTurn, err = b.askInTurn(ctx, c.Name, s, plan.Sequence(&b.run.Plan))
			spent(since)
			b.Alike.Fresh(c.Name, inTurn)
		}
		if err == nil && b.run.Plan.Connections() > 0 && b.run.Contestant(c.Name) == nil {
			c.Fewer, err = b.serves(ctx, c.Name, s, b.run.Plan.First(), costs)
		}
	}
	if err == nil {
		since := b.Generator.Now()
		err = s.End()
		spent(since)
	}
	if err != nil {
		return seen, WithLog(s, err)
	}
	if costs.VerifyNS = int64(b.Generator.Now().Sub(began)); costs.VerifyNS > 0 {
		c.Costs = costs
	}
	return seen, nil
}

// verify checks that a contestant keeps the contract for each scenario that it is asked, for each
// number of records. The result describes the first check, plus framing and differences
// from the others. The load then requires the bytes seen here. The source responds with epoch
// told's records.
func (b *Bench) verify(ctx context.Context, name string, differs []string, s Server, epoch, told int,
	asked []plan.Asking) (*scenario.Observed, error) {
	var all *scenario.Observed
	for _, of := range asked {
		sc, err := b.contract(ctx, of, told)
		if err != nil {
			return nil, err
		}
		a, err := b.Generator.Ask(ctx, s.At(of.HTTP), Question{What: AskVerify, Scenario: b.exact.asked(name, sc),
			Differs: differs, Delay: b.delay(epoch)})
		seen := a.Observed
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
		all.Date = seen.Date
		for request, framing := range seen.Framing {
			all.Framing[of.Label(request)] = framing
		}
		for _, d := range seen.Differs {
			all.Differs = report.AddNew(all.Differs, d)
		}
	}
	return all, nil
}

// inspect replaces verify for the ceiling's server: the load requires the bytes that it sends here.
func (b *Bench) inspect(ctx context.Context, name string, s Server, epoch int) error {
	for _, of := range plan.AskedIn(b.run, epoch, name) {
		if !plan.AtCeiling(&b.run.Plan, of) {
			continue
		}
		sc := b.scenario(of.Scenario)
		a, err := b.Generator.Ask(ctx, s.At(of.HTTP), Question{What: AskInspect, Scenario: sc})
		if err != nil {
			return err
		}
		b.exact.saw(name, sc, of, a.Observed)
	}
	return nil
}
