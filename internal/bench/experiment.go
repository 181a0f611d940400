package bench

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"dyno/internal/alike"
	"dyno/internal/contestant"
	"dyno/internal/foreign"
	"dyno/internal/judge"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// Setup holds an experiment's inputs in addition to the plan. Functions may be nil.
type Setup struct {
	Root      string // the project's folder
	FS        fs.FS
	Manifests []*contestant.Manifest
	Scenario  func(name string) (*scenario.Scenario, error) // reads a scenario by name; not nil
	Folder    string                                        // the run's folder
	Offline   bool                                          // download no toolchain
	Dyno      string                                        // dyno's version
	// compares the responses of all contestants; nil: the scenario has their contract
	Alike *alike.Sides

	NewHost    func(LocalOptions) (Host, error)                // nil: this machine
	Calibrated func(*record.Plan) (*record.Calibration, error) // this machine's known latencies
	Event      func(record.Event)                              // called with each event
	// Decided reports whether the run may end, and Ends says in words what it looks at; nil: all pairs
	Decided func(*record.Run, *judge.Analysis) bool
	Ends    string
	Remark  func(*record.Run) string             // called after the pilots
	Claims  func(data *report.Data, file string) // adds the judged claims of the study
}

// Experiment is a plan, ready to be carried out.
type Experiment struct {
	Setup
	Plan *record.Plan
	Cost plan.Cost

	begun    *record.Run // the resumed run
	scenario *scenario.Scenario
	others   map[string]*scenario.Scenario
}

// New plans a request without starting anything.
func New(ctx context.Context, r plan.Request, w plan.World, s Setup) (*Experiment, error) {
	p, err := plan.New(r, w)
	if err != nil {
		return nil, err
	}
	x := &Experiment{Setup: s, Plan: &p}
	if x.Cost, err = plan.Estimate(&p); err != nil {
		return nil, err
	}
	return x, x.prepare()
}

// Resume resumes the interrupted run in s's folder with the run's plan.
func Resume(ctx context.Context, run *record.Run, s Setup) (*Experiment, error) {
	if _, err := plan.Resumable(run); err != nil {
		return nil, &plan.RequestError{Err: fmt.Errorf("resume %s: %w", s.Folder, err)}
	}
	x := &Experiment{Setup: s, Plan: &run.Plan, begun: run}
	return x, x.prepare()
}

// BeginsNow makes the present the start of a run that was planned before, unless it is resumed.
func (x *Experiment) BeginsNow() {
	if x.begun == nil {
		x.Plan.Origin.StartedUnixNS = time.Now().UnixNano()
	}
}

// prepare reads the scenarios.
func (x *Experiment) prepare() (err error) {
	if x.scenario, err = x.Scenario(x.Plan.Scenario); err != nil {
		return err
	}
	x.others = map[string]*scenario.Scenario{}
	for _, name := range plan.OtherScenarios(x.Plan) {
		if x.others[name], err = x.Scenario(name); err != nil {
			return err
		}
	}
	if x.Alike == nil && x.scenario.Open() && len(x.scenario.Services) == 0 {
		x.Alike = &alike.Sides{Apart: alike.Second, Fixed: true}
	}
	return nil
}

// Run carries out the plan and judges the record.
func (x *Experiment) Run(ctx context.Context) (*report.Data, error) {
	run, err := x.measure(ctx)
	if err != nil {
		return nil, err
	}
	if err := judge.Assert(run); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Folder, err)
	}
	data := study.Evaluate(run)
	if x.Claims != nil {
		x.Claims(data, x.Folder)
	}
	return data, nil
}

// relinked returns manifests whose layouts begin later by this number.
func relinked(all []*contestant.Manifest, by int) []*contestant.Manifest {
	if by == 0 {
		return all
	}
	all = slices.Clone(all)
	for i, m := range all {
		later := *m
		later.Relink += by
		all[i] = &later
	}
	return all
}

func (x *Experiment) measure(ctx context.Context) (*record.Run, error) {
	store, run, unlock, err := x.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer store.Close()
	newHost := x.NewHost
	if newHost == nil {
		newHost = func(o LocalOptions) (Host, error) { return NewLocal(o) }
	}
	host, err := newHost(LocalOptions{
		Root: x.Root, FS: x.FS, Manifests: relinked(x.Manifests, x.Plan.Links.Relink),
		Scenario: x.Plan.Scenario, Others: plan.OtherScenarios(x.Plan),
		Services: x.scenario.Services, Folder: x.Folder, Offline: x.Offline, Layouts: x.Plan.Links.Layouts,
		CPUs: plan.MostCPUs(x.Plan), AsPublished: plan.SomeAsPublished(x.Plan),
	})
	if err != nil {
		return nil, err
	}
	defer host.Close()
	b := &Bench{
		Host: host, Generator: host.Generator(), Alike: x.Alike,
		Scenario: x.scenario, Others: x.others,
		Append: store.Append, Sync: store.Sync, Event: x.Event, Decided: x.decided, Standing: study.Standing,
		Note: x.note, Dyno: x.Dyno, Query: contestant.Query,
	}
	if x.begun != nil {
		return b.Resume(ctx, run)
	}
	if x.Calibrated != nil {
		if b.Last, err = x.Calibrated(x.Plan); err != nil {
			return nil, err
		}
	}
	return b.Run(ctx, *x.Plan)
}

// open creates the run's record, or opens it to resume. No other process writes into the run's folder until
// unlock is called.
func (x *Experiment) open() (store *record.Store, run *record.Run, unlock func(), err error) {
	const other = "%w; pass another --run-folder"
	if x.begun == nil {
		if err = os.MkdirAll(x.Folder, 0o755); err != nil {
			return nil, nil, nil, fmt.Errorf("create run folder: "+other, err)
		}
	}
	if err = foreign.Folders(x.Folder, Folders...); err != nil {
		return nil, nil, nil, fmt.Errorf(other, err)
	}
	if unlock, err = machine.LockFolder(x.Folder); err != nil {
		return nil, nil, nil, fmt.Errorf(other, err)
	}
	if x.begun == nil {
		if store, err = record.Create(x.Folder); err != nil {
			err = fmt.Errorf(other, err)
		}
	} else if run, err = record.Open(x.Folder); err == nil { // read again, now that nobody else can write it
		store, err = record.Continue(x.Folder)
	}
	if err != nil {
		unlock()
		return nil, nil, nil, err
	}
	return store, run, unlock, nil
}

// decided reports whether the run may end. A gate needs no check that a few more epochs would settle.
func (x *Experiment) decided(r *record.Run) bool {
	d := study.Evaluate(r)
	may := x.Decided != nil && x.Decided(r, d.Analysis) || x.Decided == nil && d.Analysis.Decided()
	return may && (x.Ends != "" || d.Settled())
}
