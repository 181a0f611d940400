package record

import (
	"cmp"
	"slices"
	"strings"

	"dyno/internal/wire"
)

// Plan says what a run measures and compares, and when it ends. Package plan makes it from the
// user's request.
type Plan struct {
	Format  int     `json:"format"`
	Origin  Origin  `json:"origin"`
	Profile string  `json:"profile"`
	Study   OfStudy `json:"study,omitzero"`
	Title   string  `json:"title,omitempty"`

	Scenario    string   `json:"scenario"`
	Contestants []string `json:"contestants"` // names in the order asked for, without controls
	// Controls are reference servers that ride along: the reference, and its copy for the A/A check.
	Controls []string `json:"controls"`
	// Ceiling is the reference server that shows the generator's ceiling, in the pilots alone.
	Ceiling string `json:"ceiling,omitempty"`
	// Services are the programs that the contestants call.
	Services []Service `json:"services,omitempty"`
	Servers  Servers   `json:"servers,omitzero"`
	// SameProgram says that the contestants are revisions, or builds, of one program.
	SameProgram bool `json:"same_program,omitempty"`

	Levels []Level `json:"levels"` // no two are alike
	// Cells lists the loaded cells: contestants and controls at levels, and the server that shows
	// the ceiling.
	Cells []Cell `json:"cells"`
	// Family are the comparisons that the run decides, as one family.
	Family []Comparison `json:"family"`
	// ExtraEpochs is, by level, the number of epochs in which a cell outside any comparison is
	// loaded, once in each.
	ExtraEpochs []int `json:"extra_epochs"`

	// Heap says that heaps are read before and after each window, for contestants in Go and .NET.
	Heap bool `json:"heap,omitempty"`

	Seed    uint64  `json:"seed"`
	Primary string  `json:"primary"` // metric that decides pairs and stops the run
	Alpha   float64 `json:"alpha"`   // family-wise error rate
	Margin  float64 `json:"margin"`  // margin for equivalence, as a share: 0.03
	Rounds  int     `json:"rounds"`  // rounds per epoch
	Pilots  int     `json:"pilots"`  // epochs before the first that counts
	// Epochs lists the numbers of valid epochs at which an interim analysis may decide comparisons.
	// The largest ends the run.
	Epochs []int `json:"epochs"`
	// Processes says for how long servers run: PerEpoch, PerPart or PerLoad.
	Processes string     `json:"processes"`
	Links     Links      `json:"links,omitzero"`
	Load      LoadLength `json:"load"`
	Last
	BudgetNS int64 `json:"budget_ns"` // time limit, counted from the end of the builds

	// FailIf are the conditions of dyno compare, as METRIC>N%.
	FailIf []string `json:"fail_if,omitempty"`
}

// Service is a program that contestants call, and that is not compared: a database, a cache.
type Service struct {
	Name string `json:"name"`
	// Records says that it is a program of the project that answers with a level's number of
	// records, as a scenario asks, and that the generator can load it itself.
	Records bool `json:"records,omitempty"`
	// Each says that every contestant has one of its own.
	Each bool `json:"each,omitempty"`
	// PerRun says that it is started once for the run, not for each epoch.
	PerRun bool `json:"per_run,omitempty"`
}

// Of returns the name of the instance that a contestant calls.
func (s *Service) Of(contestant string) string {
	if s.Each {
		return s.Name + " of " + contestant
	}
	return s.Name
}

// Source returns the name of the service with Records; "" if there is none.
func (p *Plan) Source() string {
	i := slices.IndexFunc(p.Services, func(s Service) bool { return s.Records })
	if i < 0 {
		return ""
	}
	return p.Services[i].Name
}

// Service returns the service with that name, or with an instance of that name; nil if there is
// none.
func (p *Plan) Service(name string) *Service {
	for i := range p.Services {
		if s := &p.Services[i]; s.Name == name || s.Each && strings.HasPrefix(name, s.Of("")) {
			return s
		}
	}
	return nil
}

// IsService reports whether a service has that name.
func (p *Plan) IsService(name string) bool { return p.Service(name) != nil }

// Origin says which program made a plan, for which command and when.
type Origin struct {
	Dyno          string `json:"dyno"`    // version of dyno
	Command       string `json:"command"` // repeats the run
	StartedUnixNS int64  `json:"started_unix_ns"`
}

// OfStudy is the study whose question a plan answers; zero: none.
type OfStudy struct {
	Slug       string `json:"slug,omitempty"`
	ClaimsHash string `json:"claims_hash,omitempty"` // the study's claims when the run was planned (Hash)
	// names by index in Plan.Levels; "": the study does not name the level
	LevelNames []string `json:"level_names,omitempty"`
}

// Servers lists contestants that need special treatment: managed, already running, or not served.
type Servers struct {
	Managed []string `json:"managed,omitempty"`
	// Attached are the contestants that were already running. dyno does not start, freeze or stop
	// them, and an epoch is a block of rounds on the same processes.
	Attached []string `json:"attached,omitempty"`
	// Unserved lists contestants that a level leaves out, because they do not serve its protocol,
	// or need more CPUs.
	Unserved []Unserved `json:"unserved,omitempty"`
}

// Links says in how many orders a contestant's functions are linked.
type Links struct {
	// Layouts is the number of orders, if the toolchain can reorder functions; each epoch draws
	// one. 0 means 1.
	Layouts int `json:"layouts,omitempty"`
	// Relink is the linker seed for the first order; the others count up from it. 0: the first has
	// the linker's default order.
	Relink int `json:"relink,omitempty"`
}

// LoadLength is the length of loads in rounds.
type LoadLength struct {
	NS       int64 `json:"ns"`
	Requests int64 `json:"requests,omitempty"` // number of requests per load, instead of NS
	RewarmNS int64 `json:"rewarm_ns"`
	// UnloadedNS is the time for which a contestant is watched without load, at an epoch's end.
	UnloadedNS int64 `json:"unloaded_ns,omitempty"`
}

// Last are the loads after the epochs (doc/method.md): long ones, and open loops at one rate.
type Last struct {
	Long  LastLoads `json:"long,omitzero"`
	Rated LastLoads `json:"rated,omitzero"`
}

// LastLoads are loads after the epochs, two on each contestant.
type LastLoads struct {
	NS          int64  `json:"ns,omitempty"`          // length of each load; 0: none
	Contestants int    `json:"contestants,omitempty"` // number of contestants that have long loads
	Absent      string `json:"absent,omitempty"`      // why there are none, or no time is kept for them, if there could be
}

// Values for Plan.Processes. PerEpoch: all servers are started for an epoch, warmed up, and frozen
// while another is loaded. PerPart: a level has its own servers, started for it, not warmed up and
// loaded once; but a level with a Step shares the servers of the level before. PerLoad: a server is
// started for each load, in the order asked for, and not warmed up.
const (
	PerEpoch = "epoch"
	PerPart  = "part"
	PerLoad  = "load"
)

// Fresh reports whether each level's loads are the first on freshly started processes.
func (p *Plan) Fresh() bool { return p.Processes == PerPart }

// InRounds reports whether contestants are loaded in rounds, and compared within them.
func (p *Plan) InRounds() bool { return p.Processes != PerLoad }

// Ranks reports whether all pairs are compared at the first level, and none at any other.
func (p *Plan) Ranks() bool {
	if !p.InRounds() {
		return false
	}
	at := 0
	for _, name := range p.Contestants {
		if p.Has(Cell{Contestant: name}) {
			at++
		}
	}
	if len(p.Contestants) < 2 {
		return len(p.Levels) < 2
	}
	return len(p.Family) == at*(at-1)/2 && !slices.ContainsFunc(p.Family, func(f Comparison) bool {
		return f.A.Level > 0 || f.B.Level > 0
	})
}

// Complete fills in defaults: every contestant at every level, all pairs compared at the first
// level, servers started for each epoch.
func (p *Plan) Complete() {
	p.Processes = cmp.Or(p.Processes, PerEpoch)
	for len(p.ExtraEpochs) < len(p.Levels) {
		p.ExtraEpochs = append(p.ExtraEpochs, 6) // with fewer a median has no 95 % interval
	}
	if len(p.Cells) == 0 {
		for _, name := range p.Contestants {
			for i := range p.Levels {
				p.Cells = append(p.Cells, Cell{Contestant: name, Level: i})
			}
		}
	}
	if len(p.Family) == 0 && p.InRounds() {
		p.Family = p.PairsAt(0)
	}
}

// AllPairs returns the comparisons of all pairs at every level.
func (p *Plan) AllPairs() (all []Comparison) {
	for i := range p.Levels {
		all = append(all, p.PairsAt(i)...)
	}
	return all
}

// PairsAt returns the comparisons of all pairs at each given level where the plan has both
// contestants.
func (p *Plan) PairsAt(levels ...int) (all []Comparison) {
	for _, level := range levels {
		for i, a := range p.Contestants {
			for _, b := range p.Contestants[i+1:] {
				f := Comparison{A: Cell{Contestant: a, Level: level}, B: Cell{Contestant: b, Level: level}}
				if p.Has(f.A) && p.Has(f.B) {
					all = append(all, f)
				}
			}
		}
	}
	return all
}

// Has reports whether the plan has a cell.
func (p *Plan) Has(c Cell) bool { return slices.Contains(p.Cells, c) }

// First returns the first level of the plan.
func (p *Plan) First() Level {
	if len(p.Levels) == 0 {
		return Level{}
	}
	return p.Levels[0]
}

// Level is one operating point. A contestant gets the launch part, delay, work and CPUs, at its
// start; the generator gets the load part.
type Level struct {
	DelayNS int64  `json:"delay_ns,omitempty"`
	Work    string `json:"work,omitempty"` // work of the handlers: "", or CPUBound
	// CPUs is the number of CPUs that the servers get; 0: all the host's ServerCPUs.
	CPUs int `json:"cpus,omitempty"`
	// AsPublished pins nothing: servers, services and generator may use all CPUs, as in published
	// benchmarks on one machine. CPUs is then 0.
	AsPublished bool `json:"as_published,omitempty"`
	Connections int  `json:"connections"`
	Pipeline    int  `json:"pipeline"`
	// PerConnection is the number of requests after which a connection is replaced; 0 means no
	// limit.
	PerConnection int `json:"per_connection,omitempty"`
	// RatePerSec makes an open loop of Poisson arrivals; 0: a closed loop.
	RatePerSec float64 `json:"rate_per_sec,omitempty"`
	// RateShare is the share of the slowest contestant's throughput that RatePerSec is, in the open
	// loops after the epochs.
	RateShare float64 `json:"rate_share,omitempty"`
	Scenario  string  `json:"scenario,omitempty"` // if it is not the plan's
	// HTTP is the protocol between generator and contestant; absent: HTTP/1.1 in the clear. For
	// HTTP/2 Pipeline is the number of streams on each connection.
	HTTP    wire.HTTP `json:"protocol,omitempty"`
	Records int       `json:"records,omitempty"` // number of records in each answer of the source
	// Step is the number of loads that the same processes carried before, in a plan with fresh
	// processes: at the levels before this one, one after another.
	Step int `json:"step,omitempty"`
}

// CPUBound makes handlers hash before they answer, which takes a few milliseconds or less
// (doc/run.md).
const CPUBound = "cpu"

// LaunchPart is the part of a level that a contestant gets at its start. Levels with different
// launch parts never share a round.
type LaunchPart struct {
	DelayNS     int64
	Work        string
	CPUs        int
	AsPublished bool
}

// Launch returns the level's launch part.
func (l Level) Launch() LaunchPart { return LaunchPart{l.DelayNS, l.Work, l.CPUs, l.AsPublished} }

// AtSource returns the part of a level that concerns the source: scenario and protocol are between
// generator and contestants, and the source has its own CPUs.
func (l Level) AtSource() Level {
	l.Scenario, l.HTTP, l.CPUs = "", wire.Clear, 0
	return l
}

// Open reports whether the level is an open loop: arrivals do not wait for answers.
func (l Level) Open() bool { return l.RatePerSec > 0 }

// Cell is a contestant at a level. Level is an index into the plan's Levels; it is 0 if the plan
// has only one level.
type Cell struct {
	Contestant string `json:"contestant"`
	Level      int    `json:"level"`
}

// Unserved is a contestant that is not measured at a level: it does not serve the level's protocol
// or, if CPUs is set, needs more CPUs than servers have there.
type Unserved struct {
	Contestant string    `json:"contestant"`
	HTTP       wire.HTTP `json:"protocol,omitempty"`
	CPUs       int       `json:"cpus,omitempty"`
}

// Comparison is a pair of cells that a run decides.
type Comparison struct {
	A Cell `json:"a"`
	B Cell `json:"b"`
}

// Connections returns the number of connections that all levels have; 0 if they differ.
func (p *Plan) Connections() int {
	n := p.First().Connections
	for _, l := range p.Levels {
		if l.Connections != n {
			return 0
		}
	}
	return n
}

// limit reduces the connections of each level to at most this number.
func (p *Plan) limit(connections int) {
	p.Levels = slices.Clone(p.Levels)
	for i := range p.Levels {
		p.Levels[i].Connections = min(p.Levels[i].Connections, connections)
	}
}

// LevelOf returns a trial's level.
func (p *Plan) LevelOf(t *Trial) Level {
	if t.Level != nil {
		return *t.Level
	}
	return p.First()
}

// At returns the index of a trial's level in the plan's Levels, or −1 if they do not have it, as in
// a search.
func (p *Plan) At(t *Trial) int {
	return slices.Index(p.Levels, p.LevelOf(t))
}

// LevelName returns the study's name for level i, or "".
func (p *Plan) LevelName(i int) string {
	if i < 0 || i >= len(p.Study.LevelNames) {
		return ""
	}
	return p.Study.LevelNames[i]
}
