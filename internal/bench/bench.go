// Package bench carries out a plan: it builds, launches, verifies, warms up, loads and records. It
// uses contestants and load generators only through Host and Generator, so that tests can simulate
// a run with known numbers.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"dyno/internal/alike"
	"dyno/internal/contestant"
	"dyno/internal/load"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Host is the machine that contestants run on.
type Host interface {
	Describe() record.Host
	// Build prepares the named contestant for launch. It calls note with progress messages. Failure
	// converts its error into a record.
	Build(ctx context.Context, name string, note func(string)) (record.Contestant, error)
	// Launch starts the contestant, or a service on the generator's CPUs or on a machine of its own,
	// and returns when it answers the probe.
	Launch(ctx context.Context, name string, l Launch) (Server, error)
	// Apart reports whether the contestant starts in a network namespace of its own from now on.
	Apart(name string) bool
	// Failure converts one of this host's errors into a record.
	Failure(name, stage string, err error) record.Failure
	// Watch starts to observe other programs' CPU use while that server is loaded. The returned
	// function ends the observation and returns the result, given the CPU time of the server, the
	// generator and the services, one of which may be the loaded server.
	Watch(loaded Server) func(server, generator, services time.Duration) record.Causes
	// Generator returns what loads the servers.
	Generator() Generator
	// Close ends the host after a run.
	Close()
}

// Launch holds the parameters for starting a contestant.
type Launch struct {
	Epoch    int
	Padding  int // bytes in the environment
	Layout   int // index of the function order to start, from 0, among those that it was linked in
	Delay    time.Duration
	Work     string            // work that its handlers do
	CPUs     int               // how many server CPUs it is pinned to; 0: all
	Stats    bool              // it should report its heap, if it can
	Env      map[string]string // variables with the addresses of the services that it calls
	Services []string          // addresses of the services that it calls, as of Endpoint.Relayed
	Instance string            // name of a service's instance
	Routes   []string          // scenario.Scenario.Routes over all its scenarios
	Probe    Probe
	// Protocols are the HTTP forms that it is loaded in; none: HTTP/1.1 in the clear.
	Protocols []wire.HTTP
	// AsPublished pins neither it nor the generator: both may use all CPUs of this machine.
	AsPublished bool
}

// Server is a started contestant.
type Server interface {
	// At says where it serves an HTTP form. A contestant that dyno did not start is always at its
	// URL.
	At(h wire.HTTP) wire.Endpoint
	Freeze() error
	Thaw() error
	// Read returns the readable figures of that kind. The error says why some are missing.
	Read(what What) (Reading, error)
	// Stop also returns how many bytes were cut from the middle of its log since the launch.
	Stop() (cut int64, err error)
	// End stops a server that must end on SIGTERM. It returns an error if the server had to be
	// killed.
	End() error
}

// Generator loads an address, and reads the load generator's own clocks.
type Generator interface {
	load.Engine
	Asker
	CPU() (time.Duration, error) // CPU time used by the generator
	CPUs() []int
	Now() time.Time
	Rest(time.Duration)
	Quiet() func() // pauses the garbage collector until the returned function is called
}

// Bench carries out one plan.
type Bench struct {
	Host      Host
	Generator Generator
	Scenario  *scenario.Scenario            // the plan's scenario
	Others    map[string]*scenario.Scenario // scenarios of levels with another one, by name
	Alike     *alike.Sides                  // compares all responses; nil: Scenario has their contract
	Last      *record.Calibration           // this machine's last calibration; nil: none
	Append    func(record.Record) error     // stores a record
	Sync      func() error                  // writes the store to disk
	Event     func(record.Event)            // may be nil; called from one goroutine at a time
	Decided   func(*record.Run) bool        // reports, at an interim analysis, whether every pair is decided
	Standing  func(*record.Run) []record.Standing
	Note      func(*record.Run) string // called once, after the pilots
	Dyno      string                   // version of dyno
	Query     Query                    // asks the contestants' database; nil if no scenario has one

	run     *record.Run
	servers map[string]Server
	samples map[string]*load.Sampler     // samplers by contestant, for this epoch
	inTurn  map[string][]scenario.Answer // contestants' answers before the epoch's loads
	exact   exact
	leaving sync.WaitGroup
	again   *record.Resume   // the resumption to record, until the run continues
	mute    error            // why the source could not be controlled
	wrong   error            // how PostgreSQL contradicts the last load's answers
	cut     map[string]int64 // the most bytes that were cut from one of a contestant's logs
	mu      sync.Mutex

	cost  plan.Cost     // estimated cost, once the contestants are verified
	until time.Time     // when the budget ends, by the generator's clock; zero: it has not begun
	spare time.Duration // before until, for the long loads
}

// Run carries out p until the plan stops it or ctx is cancelled, and returns the record. An error
// means that the bench itself failed: a contestant's failure is a record, not an error. All servers
// are stopped when it returns.
func (b *Bench) Run(ctx context.Context, p record.Plan) (*record.Run, error) {
	b.run, b.servers, b.exact, b.cut = &record.Run{}, map[string]Server{}, newExact(), map[string]int64{}
	host := b.Host.Describe()
	if err := errors.Join(b.record(record.Record{Plan: &p}), b.record(record.Record{Host: &host})); err != nil {
		return b.run, err
	}
	if b.Last != nil {
		if err := b.record(record.Record{Calibration: b.Last}); err != nil {
			return b.run, err
		}
	}
	return b.carryOut(ctx)
}

// carryOut carries out orders until the plan stops the run, and records how it ended.
func (b *Bench) carryOut(ctx context.Context) (*record.Run, error) {
	b.until = time.Time{}
	reason, err := b.all(ctx)
	lost := b.lost()
	b.stopAll()
	if b.again != nil { // it did not continue
		if ctx.Err() != nil {
			err = errors.New("interrupted before the run continued; its record is unchanged")
		}
		return b.run, cmp.Or(lost, err)
	}
	if lost != nil && err != nil {
		b.tell(record.Event{Stage: "analyse", Text: lost.Error() + "; the run is interrupted"})
		reason, err = plan.Interrupted, nil
	}
	if ctx.Err() != nil {
		reason, err = plan.Interrupted, nil
	}
	if err != nil {
		reason = "failed"
	}
	end := &record.End{Reason: reason, EndedUnixNS: time.Now().UnixNano(), MeasuredUnits: len(plan.Epochs(b.run)),
		LogCutBytes: b.cut}
	if e := errors.Join(b.record(record.Record{End: end}), b.Sync()); err == nil || !errors.Is(e, err) {
		err = errors.Join(err, e)
	}
	b.tell(record.Event{Stage: "done", Text: plan.Stop(reason).Words()})
	return b.run, err
}

// all carries out a run between its first and its last record: build, verify, then the plan's
// orders, until the plan or the budget ends it.
func (b *Bench) all(ctx context.Context) (string, error) {
	built, err := b.build(ctx)
	if err != nil {
		return "", err
	}
	if b.again == nil { // else the budget continues when the run does
		b.until = b.Generator.Now().Add(plan.Left(b.run))
	}
	reason, err := b.measure(ctx, built)
	if errors.Is(err, errSpent) || errors.Is(err, context.DeadlineExceeded) && b.over(ctx) == errSpent {
		return string(plan.Budget), nil
	}
	return reason, err
}

// errSpent is the error for work that exceeds the budget.
var errSpent = errors.New("the budget is spent")

// limit returns when the budget for the present work ends.
func (b *Bench) limit() time.Time { return b.until.Add(-b.spare) }

// over returns ctx's error if ctx has ended, and errSpent if the budget has.
func (b *Bench) over(ctx context.Context) error {
	if err := ctx.Err(); err != nil || b.until.IsZero() || b.Generator.Now().Before(b.limit()) {
		return err
	}
	return errSpent
}

// bounded returns a context that ends with the budget. It cuts off everything except trials.
func (b *Bench) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, b.limit().Sub(b.Generator.Now()))
}

// measure verifies the contestants and carries out the plan's orders. It returns errSpent if the
// budget ends first, before a trial that would not end in time.
func (b *Bench) measure(ctx context.Context, built []record.Contestant) (string, error) {
	for _, l := range b.run.Plan.Levels {
		if l.Scenario != "" && b.Others[l.Scenario] == nil {
			return "", fmt.Errorf("a level has the scenario %q, which was not loaded", l.Scenario)
		}
	}
	if err := b.verifyAll(ctx, built); err != nil {
		return "", err
	}
	if b.again != nil {
		if err := b.goOn(); err != nil {
			return "", err
		}
		b.until = b.Generator.Now().Add(plan.Left(b.run))
	} else if f := plan.Refit(b.run); f != nil {
		if err := b.record(record.Record{Refit: f}); err != nil {
			return "", err
		}
	}
	b.cost, _ = plan.EstimateOf(b.run)
	epoch := -1
	for {
		o, stop := plan.Next(b.run, func() bool { return b.Decided(b.run) })
		if stop == "" && o.Epoch == epoch && !b.fits(o) {
			return string(plan.Budget), cmp.Or(b.last(ctx, epoch, plan.Budget), b.judge(ctx, epoch))
		}
		if epoch >= 0 && (stop != "" || o.Epoch != epoch) {
			if stop != "" {
				if err := b.last(ctx, epoch, stop); err != nil {
					return "", err
				}
			}
			if err := b.judge(ctx, epoch); err != nil { // an unjudged epoch is not checked
				return "", err
			}
			if err := b.proveAgain(ctx, epoch); err != nil {
				return "", err
			}
		}
		if stop != "" {
			return string(stop), nil
		}
		if err := b.over(ctx); err != nil {
			return "", err
		}
		if b.run.Plan.Processes == record.PerLoad {
			if err := b.alone(ctx, o); err != nil {
				return "", err
			}
			continue
		}
		if o.Epoch != epoch {
			b.spare = plan.Reserve(b.run)
			if err := b.turn(ctx, o.Epoch); err != nil {
				return "", err
			}
			epoch = o.Epoch
			continue // a contestant that failed to start is not in the next order
		}
		if err := b.trial(ctx, o); err != nil {
			return "", err
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
}

// last makes the plan's loads after the epochs: the long ones, once more if something disturbed them or a contestant
// failed, then open loops. It says why the epochs ended, and how the servers stand. The loads' part of the budget was
// reserved from the first analysis on. The epoch's answers are judged first.
func (b *Bench) last(ctx context.Context, epoch int, why plan.Stop) error {
	began := b.Generator.Now()
	if err := b.judge(ctx, epoch); err != nil {
		return err
	}
	standing := b.Standing(b.run)
	b.until = b.until.Add(b.Generator.Now().Sub(began))
	for attempt := 0; attempt < 2 && len(plan.Epochs(b.run)) > 0; attempt++ {
		b.spare = time.Duration(attempt) * plan.RatedCost(b.run) // a repetition leaves time for them
		orders := plan.LongOrders(b.run, standing, attempt)
		if attempt == 0 && len(orders) > 0 {
			b.tell(record.Event{Stage: "analyse", Standing: standing, Text: fmt.Sprintf("%s; now %d loads of %v show whether "+
				"short ones mislead:", why.Words(), len(orders), time.Duration(b.run.Plan.Long.NS))})
		}
		if err := b.makeAll(ctx, orders); err != nil {
			return err
		}
		if loads, _ := plan.Long(b.run); loads != nil {
			break
		}
	}
	b.spare = 0
	orders := plan.RatedOrders(b.run)
	if len(orders) > 0 {
		b.tell(record.Event{Stage: "analyse", Text: fmt.Sprintf("now %d open loops of %v show response times; --rate none "+
			"omits them", len(orders), time.Duration(orders[0].TrialNS))})
	}
	return b.makeAll(ctx, orders)
}

// makeAll makes loads on contestants that have not failed, until one does not fit the budget.
func (b *Bench) makeAll(ctx context.Context, orders []plan.Order) error {
	for _, o := range orders {
		if b.over(ctx) != nil || !b.fits(o) {
			return ctx.Err()
		}
		if b.servers[o.Contestant] == nil || b.run.FailureOf(o.Contestant) != nil {
			continue
		}
		if err := b.trial(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether a trial can end within the budget. If a number of requests ends it, its
// length is unknown, and it counts as 0.
func (b *Bench) fits(o plan.Order) bool {
	p, end := &b.run.Plan, b.Generator.Now()
	if p.Load.Requests == 0 {
		end = end.Add(time.Duration(o.TrialNS + plan.Rewarm(p, o.Level)))
	}
	return !end.After(b.limit())
}

// scenario returns the scenario with that name, or the plan's.
func (b *Bench) scenario(name string) *scenario.Scenario {
	if s := b.Others[name]; s != nil {
		return s
	}
	return b.Scenario
}

// delay returns the handlers' delay in an epoch.
func (b *Bench) delay(epoch int) time.Duration {
	return time.Duration(plan.First(&b.run.Plan, epoch).DelayNS)
}

// launch starts a contestant. It is ready when it answers its first loaded request with the right
// status.
func (b *Bench) launch(ctx context.Context, name string, padding, epoch int) (Server, error) {
	asked := plan.Asked(&b.run.Plan, name)
	var routes []string
	for _, a := range asked {
		for _, r := range b.scenario(a.Scenario).Routes {
			routes = report.AddNew(routes, r)
		}
	}
	first := b.exact.asked(name, b.scenario(asked[0].Scenario))
	at := plan.First(&b.run.Plan, epoch)
	l := Launch{Epoch: epoch, Padding: padding, Layout: b.layout(name, epoch), Delay: b.delay(epoch),
		Work: at.Work, AsPublished: at.AsPublished, Stats: b.run.Plan.Heap, Routes: routes,
		Probe: Probe{Scenario: first, Delay: b.delay(epoch)}, Protocols: forms(asked)}
	if name != b.run.Plan.Ceiling { // the ceiling's server gets all CPUs: it shows what the generator can do
		l.CPUs = at.CPUs
	}
	l.Env = environment(b.Scenario, name, b.servers)
	for _, s := range b.called(name) {
		l.Services = append(l.Services, s.At(wire.Clear).Relayed())
	}
	return b.Host.Launch(ctx, name, l)
}

// layout returns the layout that a contestant starts in for an epoch: 0, its own, if it is linked
// in no other.
func (b *Bench) layout(name string, epoch int) int {
	layout, c := plan.Layout(&b.run.Plan, name, epoch), b.run.Contestant(name)
	if c == nil || layout > len(c.Layouts) {
		return 0
	}
	return layout
}

// record stores one record and adds it to the run.
func (b *Bench) record(rec record.Record) error {
	if err := b.Append(rec); err != nil {
		return err
	}
	b.run.Add(rec)
	return nil
}

// fail records that a contestant failed at a stage, and stops its process. If dyno itself lacks
// file descriptors, fail returns that error instead.
func (b *Bench) fail(name, stage string, epoch int, cause error) error {
	if lost := b.lost(); lost != nil { // not the contestant's fault
		return lost
	}
	if load.OutOfFiles(cause) { // not the contestant's fault
		return fmt.Errorf("%s %s: %w", stage, name, cause)
	}
	f := b.Host.Failure(name, stage, cause)
	f.Epoch = epoch
	if failed, is := errors.AsType[*contestant.Failed](cause); is && len(f.LogTail) == 0 {
		f.LogTail = failed.Tail
	}
	err := b.record(record.Record{Failure: &f})
	b.tell(record.Event{Stage: stage, Contestant: name, Text: f.Reason, Failure: &f})
	if s := b.servers[name]; s != nil {
		b.stop(name, s)
		delete(b.servers, name)
	}
	return err
}

// stop stops a server, and keeps the number of bytes cut from its log.
func (b *Bench) stop(name string, s Server) {
	cut, _ := s.Stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	if cut > b.cut[name] {
		b.cut[name] = cut
	}
}

// leave stops a server in the background. stopAll waits for it.
func (b *Bench) leave(name string) {
	s := b.servers[name]
	delete(b.servers, name)
	b.leaving.Go(func() { b.stop(name, s) })
}

// stopAll stops all servers and returns when none runs.
func (b *Bench) stopAll() {
	for name := range b.servers {
		b.leave(name)
	}
	b.leaving.Wait()
}

// stopEpoch stops all servers, and the services that are started for each epoch.
func (b *Bench) stopEpoch() {
	for name := range b.servers {
		if s := b.run.Plan.Service(name); s == nil || !s.PerRun {
			b.leave(name)
		}
	}
	b.leaving.Wait()
}

func (b *Bench) tell(e record.Event) {
	if b.Event == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.Time = time.Now()
	b.Event(e)
}

// broken returns an error if the load with sc had errors or wrong responses.
func broken(l *record.Load, sc *scenario.Scenario) error {
	switch {
	case l.Failed > 0:
		required := ""
		if l.Failures["header"] > 0 {
			required = "; required: " + strings.Join(sc.Required(), ", ")
		}
		return fmt.Errorf("%d of %d responses broke the contract: %s%s",
			l.Failed, l.Succeeded+l.Failed, kinds(l.Failures), required)
	case l.Errored() > 0:
		hint := ""
		if l.Errors["timeout"] > 0 && l.Succeeded > 0 {
			hint = fmt.Sprintf(
				"; can it accept %d connections at once (listen backlog)? If not, pass fewer --connections",
				l.Connections)
		}
		return fmt.Errorf("%d of %d requests got no whole response: %s%s", l.Errored(), l.Started, kinds(l.Errors), hint)
	case l.Established < l.Connections:
		return fmt.Errorf("only %d of %d connections were established", l.Established, l.Connections)
	case l.StreamsAllowed > 0 && l.Pace == nil: // a closed loop
		return fmt.Errorf("at some time it allowed %d requests in flight on a connection of HTTP/2 "+
			"(SETTINGS_MAX_CONCURRENT_STREAMS), and more were asked for; ask for %[1]d streams at most, or raise its limit",
			l.StreamsAllowed)
	case l.Succeeded == 0:
		return errors.New("no request was answered during the load")
	}
	return nil
}
