package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dyno/internal/load"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// turn ends the last epoch's processes. It starts, verifies, warms up and freezes this epoch's, in
// shuffled order.
func (b *Bench) turn(ctx context.Context, epoch int) error {
	b.stopEpoch()
	b.inTurn = map[string][]scenario.Answer{}
	if err := b.Sync(); err != nil {
		return err
	}
	p := &b.run.Plan
	if epoch == p.Pilots && b.Note != nil {
		b.tell(record.Event{Stage: "analyse", Text: b.Note(b.run)})
	}
	ctx, cancel := b.bounded(ctx)
	defer cancel()
	starts := plan.Starts(b.run, epoch)
	if gone, err := b.beginEpoch(ctx, epoch, starts); gone || err != nil {
		return err
	}
	var all []*started
	for i, name := range starts {
		if b.over(ctx) != nil {
			break
		}
		if p.IsService(name) { // it runs, and warms up along with its callers
			continue
		}
		b.progress("launch", name, epoch, nil)
		s := &started{position: i,
			Launch: record.Launch{Contestant: name, Epoch: epoch, Layout: b.layout(name, epoch)},
			at:     plan.Warmups(b.run, epoch, name)}
		s.err = b.open(ctx, s)
		all = append(all, s)
	}
	if p.Fresh() {
		b.unloaded(all)
	} else {
		b.warm(ctx, all)
	}
	if lost := b.lost(); lost != nil {
		return lost
	}
	if gone := b.gone(); gone != nil && b.over(ctx) == nil {
		return b.lose(epoch, "launch", gone)
	}
	for name, s := range b.servers {
		if !p.IsService(name) {
			continue
		} else if err := s.Freeze(); err != nil {
			return b.lose(epoch, "launch", &serviceError{name, err})
		}
	}
	for _, s := range all {
		if b.over(ctx) != nil {
			continue
		}
		if s.err == nil && s.idle == nil {
			s.err = s.server.Freeze()
		}
		var err error
		if s.err != nil {
			err = b.fail(s.Contestant, "launch", epoch, s.err)
		} else {
			s.meter()
			err = b.record(record.Record{Launch: &s.Launch})
		}
		if s.err == nil && s.idle != nil {
			err = errors.Join(err, b.record(record.Record{Idle: s.idle}))
		}
		if err != nil {
			return err
		}
	}
	return b.over(ctx)
}

// started is a contestant that is being started and warmed up.
type started struct {
	record.Launch
	plan.Warming
	position  int
	server    Server
	idle      *record.Idle   // for a fresh process, before its first load
	at        []record.Level // levels to warm it up at
	compiles  bool           // it used CPU at rest, in this epoch or an earlier one
	disturbed bool           // it compiles, and so does another contestant in the epoch
	need      int            // windows that its last level needs
	noise     [2]float64     // in the windows of all contestants warmed up with it: per CPU, and per second
	began     time.Time      // its first window
	loaded    time.Duration  // all its windows
	rests     time.Time      // since its last window
	cpu       time.Duration  // its CPU clock then
	compiled  time.Duration  // when, after began, it was last seen to use CPU at rest
	heapless  error          // why its heap cannot be read, if it should be
	err       error
}

// meter records how the contestant is measured, which figures cannot be read, and which CPUs it
// runs on.
func (s *started) meter() {
	r, _ := s.server.Read(ReadStart)
	s.ReadyNS, s.Processors, s.Limits, s.Meters, s.Absent = int64(r.Ready), r.Processors, r.Limits, r.Meters, r.Absent
	if s.heapless != nil {
		s.Absent = maps.Clone(s.Absent)
		if s.Absent == nil {
			s.Absent = map[string]string{}
		}
		s.Absent["heap"] = s.heapless.Error()
	}
}

// open launches and verifies one contestant.
func (b *Bench) open(ctx context.Context, s *started) error {
	s.StartedUnixNS = time.Now().UnixNano()
	server, err := b.launch(ctx, s.Contestant, plan.Padding(b.run.Plan.Seed, s.Epoch, s.position), s.Epoch)
	if err != nil {
		return err
	}
	s.server, b.servers[s.Contestant] = server, server
	if s.Contestant == b.run.Plan.Ceiling {
		err = b.inspect(ctx, s.Contestant, server, s.Epoch)
	} else {
		var seen *scenario.Observed
		seen, err = b.verify(ctx, s.Contestant, b.differs(s.Contestant), server, s.Epoch, s.Epoch,
			plan.AskedIn(b.run, s.Epoch, s.Contestant))
		if err == nil && seen != nil {
			b.exact.dates[s.Contestant] = dateSeen{seen.Date, time.Now()}
		}
	}
	if err == nil && b.compared(s.Contestant) {
		b.inTurn[s.Contestant], err = b.freshly(ctx, s.Contestant, server)
	}
	if err != nil {
		return WithLog(server, err)
	}
	if b.run.Plan.Heap {
		_, s.heapless = server.Read(ReadHeap)
	}
	return nil
}

// alone launches one contestant by itself, loads it once and stops it, as published benchmarks do.
func (b *Bench) alone(ctx context.Context, o plan.Order) error {
	b.stopEpoch()
	if err := b.Sync(); err != nil {
		return err
	}
	b.progress("launch", o.Contestant, o.Epoch, nil)
	s := &started{Launch: record.Launch{Contestant: o.Contestant, Epoch: o.Epoch}, position: o.Position}
	starting, cancel := b.bounded(ctx)
	defer cancel()
	if gone, err := b.beginEpoch(starting, o.Epoch, []string{o.Contestant}); gone || err != nil {
		return err
	}
	if err := b.open(starting, s); err != nil {
		if err := b.over(starting); err != nil {
			return err
		}
		if gone := b.gone(); gone != nil {
			return b.lose(o.Epoch, "launch", gone)
		}
		return b.fail(o.Contestant, "launch", o.Epoch, err)
	}
	s.meter()
	if err := b.record(record.Record{Launch: &s.Launch}); err != nil {
		return err
	}
	if !b.fits(o) {
		return errSpent
	}
	if err := b.trial(ctx, o); err != nil {
		return err
	}
	return b.proveAgain(ctx, o.Epoch)
}

// trial thaws, connects, warms up again, loads, drains, reads the clocks, disconnects, freezes, and
// records.
func (b *Bench) trial(ctx context.Context, o plan.Order) error {
	s := b.servers[o.Contestant]
	if s == nil {
		return b.fail(o.Contestant, "launch", o.Epoch, fmt.Errorf("it was not started in epoch %d", o.Epoch))
	}
	if exited := exited(s); exited != nil {
		return b.fail(o.Contestant, "load", o.Epoch, WithLog(s, endedBefore(exited)))
	}
	b.progress("measure", o.Contestant, o.Epoch, nil)
	b.wrong = nil
	t, err := b.load(ctx, s, o)
	if ctx.Err() != nil {
		return ctx.Err() // a trial cut short is no trial
	}
	if lost := b.lost(); lost != nil { // nor is one that lost a machine
		return lost
	}
	if gone := b.gone(); gone != nil { // nor is one whose service was gone
		gone.err = fmt.Errorf("while %s was loaded, %w", o.Contestant, gone.err)
		return b.lose(o.Epoch, "load", gone)
	}
	if t != nil {
		rec := record.Record{Trial: t}
		if o.Long {
			rec = record.Record{Long: t}
		} else if o.Rated {
			rec = record.Record{Rated: t}
		}
		if err := b.record(rec); err != nil {
			return err
		}
		// an open loop may ask for more than it can bear
		if o.Level.RatePerSec == 0 || t.Load.Failed > 0 {
			err = broken(&t.Load, b.scenario(o.Level.Scenario))
		}
		if err == nil {
			err = cmp.Or(b.impossible(s, o, t), b.wrong)
		}
		if err == nil {
			err = b.negotiated(o.Contestant, o.Level, &t.Load)
		}
	}
	if exited := exited(s); exited != nil {
		err = fmt.Errorf("it exited under load: %w", exited)
	}
	if err != nil {
		if err := b.fail(o.Contestant, "load", o.Epoch, WithLog(s, err)); err != nil {
			return err
		}
	}
	b.progress("measured", o.Contestant, o.Epoch, t)
	return nil
}

// endedBefore returns the failure for a server that ended that way before its load.
func endedBefore(how error) error {
	switch text := how.Error(); { // the text of os.ProcessState
	case strings.HasPrefix(text, "signal: killed"):
		return fmt.Errorf("it was killed before its load: %w; find out what killed it: another contestant, another "+
			"program, or the kernel's out-of-memory killer (see dmesg)", how)
	case strings.HasPrefix(text, "signal: "):
		return fmt.Errorf("it crashed before its load: %w", how)
	}
	return fmt.Errorf("it had ended before its load: %w", how)
}

// connect thaws a contestant, opens a load's connections, and warms it up again over them, with
// rewarmed requests.
func (b *Bench) connect(ctx context.Context, s Server, o plan.Order) (_ load.Session, _ *witness, rewarmed int64,
	_ error) {
	p := &b.run.Plan
	if err := b.thawed(ctx, o.Contestant, s, o.Epoch, o.Level); err != nil {
		return nil, nil, 0, err
	}
	if o.Contestant == p.Source() {
		of := plan.AskingAt(o.Level)
		if _, err := b.contract(ctx, of, o.Epoch); err != nil {
			return nil, nil, 0, err
		}
	}
	job := b.job(o.Contestant, s, o.Level, o.LoadSeed)
	job.Samples = b.sampler(o.Contestant, o.Level)
	var w *witness
	if slices.Contains(p.Contestants, o.Contestant) {
		w, job.Scenario = watch(job.Scenario, b.database(o.Contestant), b.Query)
	}
	sess, err := b.Generator.Open(ctx, job)
	if err != nil || p.Load.RewarmNS == 0 {
		return sess, w, 0, err
	}
	before := rewarm(p, o.Level)
	if o.Long || o.Rated {
		before.For, before.Requests = max(before.For, plan.LongRewarm), 0
	}
	seen, err := sess.Run(ctx, before)
	if err == nil && seen.Failed+seen.Errored() > 0 {
		err = fmt.Errorf("before a load that counts, %w", broken(&seen, job.Scenario))
	}
	if err != nil {
		sess.Close()
		return nil, nil, 0, err
	}
	return sess, w, seen.Succeeded, nil
}

// watchUnloaded thaws a contestant without loading it, and reads the CPU time that it uses: deferred
// work.
func (b *Bench) watchUnloaded(s Server, t *record.Trial, length time.Duration) error {
	if err := s.Thaw(); err != nil {
		return err
	}
	used, began := clocks(cpuOf(s)), b.Generator.Now()
	b.Generator.Rest(length)
	t.UnloadedCPUNS, t.UnloadedNS = used()[0].ns(), int64(b.Generator.Now().Sub(began))
	return s.Freeze()
}

// quantiles records an open loop's response times and lag.
func quantiles(l *record.Load, seen *record.Detail) {
	r := seen.Response
	if r == nil {
		return
	}
	l.ResponseP50NS, l.ResponseP99NS = r.Quantile(0.5), r.Quantile(0.99)
	l.LagP99NS = seen.Lag.Quantile(0.99)
	if l.CensoredFromNS = seen.CensoredFromNS; seen.Censored > 0 {
		l.ResponseP50MostNS, l.ResponseP99MostNS = seen.ResponseAtMost(0.5), seen.ResponseAtMost(0.99)
	}
}

// load makes a trial with dyno's own engine. It returns nil and an error if the load could not even
// begin.
func (b *Bench) load(ctx context.Context, s Server, o plan.Order) (*record.Trial, error) {
	p := &b.run.Plan
	services := b.called(o.Contestant)
	if _, err := s.Read(ReadRelay); err == nil && len(services) > 0 {
		services = append(services, relay{s})
	}
	defer b.Generator.Quiet()()
	watched := b.Host.Watch(s)
	outer := clocks(cpuOf(s), b.Generator.CPU, cpuOf(services...))
	t := &record.Trial{Key: o.Key, Contestant: o.Contestant, StartedUnixNS: time.Now().UnixNano()}
	if o.Level != p.First() {
		t.Level = &o.Level
	}
	var sess load.Session
	var err error
	var w *witness
	sess, w, t.RewarmRequests, err = b.connect(ctx, s, o)
	if err != nil {
		return nil, err
	}
	defer sess.Close()
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	log, _ := s.Read(ReadLog)
	heap := b.heap(s)
	s.Read(ReadCount)
	each := []func() (time.Duration, error){cpuOf(s), b.Generator.CPU}
	for _, service := range services {
		each = append(each, cpuOf(service))
	}
	inner, began := clocks(each...), b.Generator.Now()
	var seen record.Detail
	t.Load, err = sess.Run(ctx, b.window(o, &seen))
	t.ClocksNS = int64(b.Generator.Now().Sub(began))
	used := inner()
	if err != nil {
		return nil, err
	}
	if t.Executed, b.wrong, err = w.end(ctx, &t.Load); err != nil {
		return nil, err
	}
	quantiles(&t.Load, &seen)
	if o.Rated && seen.Response != nil {
		if t.Load.Responses, err = seen.Response.Encode(3); err != nil {
			return nil, err
		}
	}
	read(s, ReadCounted, &t.Server)
	heap(&t.Server)
	if o.Last { // or its repetition
		read(s, ReadTotals, &t.Server)
	}
	sess.Close()
	if err := b.frozen(o.Contestant, s); err != nil {
		return nil, err
	}
	t.EndedUnixNS = time.Now().UnixNano()
	all := outer()
	if o.Contestant == p.Source() { // it runs on the CPUs where it always does
		all[0], all[2] = all[2], all[0]
	}
	t.Causes = watched(all[0].or(0), all[1].or(0), all[2].or(0))
	read(s, ReadUsage, &t.Server)
	t.Server.LoggedBytes -= log.Logged
	for i, service := range services {
		t.Services = append(t.Services, record.Usage{})
		read(service, ReadUsage, &t.Services[i])
		t.Services[i].CPUNS = used[2+i].ns()
	}
	t.Server.CPUNS, t.Generator.CPUNS = used[0].ns(), used[1].ns()
	if all[0].ok && used[0].ok {
		t.OutsideCPUNS = reading{all[0].d - used[0].d, true}.ns()
	}
	t.Causes.GeneratorCPUs = max(1, len(b.Generator.CPUs()))
	t.Causes.GeneratorShared = len(services) > 0 && !b.run.Host.ServiceApart() || !b.run.Host.Pinned ||
		o.Level.AsPublished
	if o.Last && p.Load.UnloadedNS > 0 && slices.Contains(p.Contestants, o.Contestant) {
		if err := b.watchUnloaded(s, t, time.Duration(p.Load.UnloadedNS)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// differs returns a contestant's declared differences from the contract.
func (b *Bench) differs(name string) []string {
	if c := b.run.Contestant(name); c != nil {
		return c.Differs
	}
	return nil
}

// spins reports whether the generator polls instead of sleeping: it does if a CPU is free. With a
// service on the generator's CPUs it sleeps, because the service needs that CPU. In a closed loop a
// server pays for waking a sleeping generator, and a slow server pays more.
func (b *Bench) spins(level record.Level) bool {
	p, open := &b.run.Plan, level.RatePerSec > 0
	if level.AsPublished || len(p.Services) > 0 && !b.run.Host.ServiceApart() {
		return false
	}
	if all := b.run.Host.Generators; len(all) > 0 {
		return !slices.ContainsFunc(all, func(g record.Host) bool {
			own := load.Share{Of: len(all)}.Part(int64(level.Connections)) // the largest
			s := machine.Spinning{Usable: g.GeneratorCPUs, LoopCPUs: g.GeneratorCPUs, Quota: g.QuotaCPUs, Remote: true,
				Loops: load.Loops(len(g.GeneratorCPUs), int(own))}
			ok, _ := s.Allowed()
			return !ok
		})
	}
	ok, _ := machine.SpinAllowed(&b.run.Host, load.Loops(len(b.run.Host.GeneratorCPUs), level.Connections), open)
	return ok
}

func (b *Bench) job(name string, s Server, level record.Level, seed uint64) load.Job {
	form := level.HTTP
	sc := b.exact.loaded(name, b.scenario(level.Scenario), level).Excuse(b.differs(name))
	if name == b.run.Plan.Source() {
		sc, form = b.exact.bound[said{sc.Name, level.Records}].Direct(), wire.Clear
	}
	return load.Job{
		Endpoint: s.At(form), Scenario: sc, Seed: seed, CPUs: b.Generator.CPUs(), Free: level.AsPublished,
		Connections: level.Connections, Pipeline: level.Pipeline, PerConnection: level.PerConnection,
		Timeout: 10*time.Second + time.Duration(level.DelayNS) + 2*plan.Answered(level),
		Spin:    b.spins(level),
	}
}

// rewarm returns the load before a trial that does not count: one request at a time on each
// connection, whatever the pipeline. Handlers that hash only get as many requests as they can
// answer in that time, because one queued request per connection would take as long as the trial.
func rewarm(p *record.Plan, at record.Level) load.Window {
	return load.Window{For: time.Duration(plan.Rewarm(p, at)), Requests: plan.RewarmRequests(p, at),
		Spread: time.Duration(at.DelayNS), InFlight: 1, Uncounted: true}
}

// window returns a trial's load. For an open loop seen keeps the response times.
func (b *Bench) window(o plan.Order, seen *record.Detail) load.Window {
	if n := b.run.Plan.Load.Requests; n > 0 {
		return load.Window{Requests: n}
	}
	w := load.Window{For: time.Duration(o.TrialNS), Spread: time.Duration(o.Level.DelayNS)}
	if rate := o.Level.RatePerSec; rate > 0 {
		w.Schedule = &load.Schedule{Stages: []load.Stage{{From: rate, To: rate}}, Poisson: true, Seed: o.LoadSeed}
		w.Observe = &load.Observe{Into: seen}
	}
	return w
}

// kinds formats counts by kind, the most frequent first.
func kinds(m map[string]int64) string {
	names := slices.Collect(maps.Keys(m))
	slices.SortFunc(names, func(a, b string) int { return int(m[b] - m[a]) })
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s %d", n, m[n]))
	}
	return strings.Join(parts, ", ")
}
