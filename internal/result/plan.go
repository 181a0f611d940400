package result

import (
	"cmp"
	"slices"

	"dyno/internal/protocol"
)

// Plan says what a run measures, what it compares and when it ends. Package plan makes it of what the
// user asks.
type Plan struct {
	Format  int     `json:"format"`
	Origin  Origin  `json:"origin"`
	Profile string  `json:"profile"`
	Study   OfStudy `json:"study,omitzero"`
	Title   string  `json:"title,omitempty"`

	Scenario    string   `json:"scenario"`
	Contestants []string `json:"contestants"` // in the order asked, controls not among them
	// Controls are reference servers that ride along: the reference, its copy for the A/A check, others.
	Controls []string `json:"controls"`
	// Ceiling is the reference server that shows the generator's ceiling, in the pilots and beside External alone.
	Ceiling string  `json:"ceiling,omitempty"`
	Backend string  `json:"backend,omitempty"` // program that the contestants call, on the generator's CPUs
	Servers Servers `json:"servers,omitzero"`

	Levels []Level `json:"levels"` // no two are alike
	// Cells are what is loaded: contestants and controls at levels, and the server that shows the ceiling.
	Cells []Cell `json:"cells"`
	// Family are the comparisons that the run decides, all together.
	Family []Comparison `json:"family"`
	// ExtraEpochs is, by level, in how many epochs a cell that is in no comparison is loaded, once each.
	ExtraEpochs []int `json:"extra_epochs"`

	// Heap says that the heaps of contestants in Go and .NET are read before and after each window.
	Heap bool `json:"heap,omitempty"`

	Seed    uint64  `json:"seed"`
	Primary string  `json:"primary"` // metric that decides pairs and stops the run
	Alpha   float64 `json:"alpha"`   // family-wise
	Margin  float64 `json:"margin"`  // of equivalence, as a share: 0.03
	Rounds  int     `json:"rounds"`  // per epoch
	Pilots  int     `json:"pilots"`  // epochs before the first that counts
	// Epochs are the numbers of valid epochs after which the comparisons may be decided, at interim
	// analyses. The largest ends the run.
	Epochs []int `json:"epochs"`
	// Processes says for how long servers run: PerEpoch, PerPart or PerLoad.
	Processes string     `json:"processes"`
	Links     Links      `json:"links,omitzero"`
	Load      LoadLength `json:"load"`
	Long      LongLoads  `json:"long,omitzero"`
	BudgetNS  int64      `json:"budget_ns"` // after the builds

	// SLO is the objective of a search for the highest rate that keeps it.
	SLO *SLO `json:"slo,omitempty"`
	// External are external load generators, each of which makes each load once more, after dyno's own.
	External []string `json:"external,omitempty"`
}

// Origin says which program made a plan, for which command and when.
type Origin struct {
	Dyno          string `json:"dyno"`    // version of dyno
	Command       string `json:"command"` // repeats the run
	StartedUnixNS int64  `json:"started_unix_ns"`
}

// OfStudy is the study whose question a plan answers; zero: none.
type OfStudy struct {
	Slug       string   `json:"slug,omitempty"`
	ClaimsHash string   `json:"claims_hash,omitempty"` // of the study's claims when the run was planned (claim.Hash)
	LevelNames []string `json:"level_names,omitempty"` // of Plan.Levels; "": the study gives that one no name
}

// Servers are the contestants that are started, warmed up or left out in a way of their own.
type Servers struct {
	Managed []string `json:"managed,omitempty"`
	// Attached are the contestants that were already running. dyno does not start, freeze or stop
	// them, and an epoch is a block of rounds on the same processes.
	Attached []string `json:"attached,omitempty"`
	// Unserved are the contestants that a level leaves out, because they do not serve its protocol, or
	// need more CPUs.
	Unserved []Unserved `json:"unserved,omitempty"`
}

// Links says in how many orders of its functions a contestant is linked.
type Links struct {
	// Layouts is in how many, where its toolchain can; each epoch draws one. 0: one.
	Layouts int `json:"layouts,omitempty"`
	// Relink is the linker's seed of the first of them; the next ones follow. 0: that has the linker's own
	// order.
	Relink int `json:"relink,omitempty"`
}

// LoadLength is the length of the loads in rounds.
type LoadLength struct {
	NS       int64 `json:"ns"`
	Requests int64 `json:"requests,omitempty"` // of one load, instead of NS
	RewarmNS int64 `json:"rewarm_ns"`
	// OpenNS is the longest that a load of an open loop may take to have as many requests as its tail needs. Such
	// loads come after the others of their round. 0: there are only open loops of the profile's own, of one length.
	OpenNS int64 `json:"open_ns,omitempty"`
	// UnloadedNS is how long a contestant is watched without load, at the end of an epoch.
	UnloadedNS int64 `json:"unloaded_ns,omitempty"`
}

// LongLoads are the long loads after the epochs (doc/method.md).
type LongLoads struct {
	NS     int64  `json:"ns,omitempty"`     // length of one; 0: there are none
	Absent string `json:"absent,omitempty"` // why not, where there could be some
}

// Values of Plan.Processes. PerEpoch: all servers are started for an epoch and warmed up, and frozen
// while another is loaded. PerPart: a level has servers of its own, started for it, not warmed up and
// loaded once; but a level with a Step has those of the level before it. PerLoad: a server is started
// for each load, in the order asked for, and not warmed up.
const (
	PerEpoch = "epoch"
	PerPart  = "part"
	PerLoad  = "load"
)

// OpenRequests is how many requests an epoch is to have at each open loop that was asked for: 1,000 beyond the 99th
// percentile.
const OpenRequests = 100_000

// Fresh reports whether the loads of the plan are the first ones of freshly started processes, by level.
func (p *Plan) Fresh() bool { return p.Processes == PerPart }

// InRounds reports whether contestants are loaded in rounds, and compared within these.
func (p *Plan) InRounds() bool { return p.Processes != PerLoad && p.SLO == nil }

// Ranks reports whether all pairs of contestants are compared at the first level, and nothing is
// compared at any other.
func (p *Plan) Ranks() bool {
	if !p.InRounds() {
		return false
	}
	at, n := 0, 0
	for i, l := range p.Levels {
		if i == 0 || !l.Open() {
			n++
		}
	}
	for _, name := range p.Contestants {
		if p.Has(Cell{Contestant: name}) {
			at++
		}
	}
	if len(p.Contestants) < 2 {
		return n < 2
	}
	return len(p.Family) == at*(at-1)/2 && !slices.ContainsFunc(p.Family, func(f Comparison) bool {
		return f.A.Level > 0 || f.B.Level > 0
	})
}

// Complete sets what a plan has where nothing else is asked: every contestant at every level, all pairs compared at the first
// level, servers that are started for each epoch.
func (p *Plan) Complete() {
	p.Processes = cmp.Or(p.Processes, PerEpoch)
	for len(p.ExtraEpochs) < len(p.Levels) {
		p.ExtraEpochs = append(p.ExtraEpochs, 6) // with fewer a median has no interval at 95 %
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

// PairsAt returns the comparisons of all pairs of contestants at each of some levels where the plan has both.
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

// Level is one operating point. Its launch part, delay, work and number of CPUs, reaches the
// contestant when it is started. Its load part reaches the generator.
type Level struct {
	DelayNS int64  `json:"delay_ns,omitempty"`
	Work    string `json:"work,omitempty"` // of the handlers: "", or CPUBound
	// CPUs is how many CPUs the servers are given; 0: all of the host's ServerCPUs.
	CPUs        int `json:"cpus,omitempty"`
	Connections int `json:"connections"`
	Pipeline    int `json:"pipeline"`
	// PerConnection is the number of requests after which a connection is replaced; 0 means no
	// limit.
	PerConnection int `json:"per_connection,omitempty"`
	// RatePerSec makes an open loop of Poisson arrivals; 0: a closed loop.
	RatePerSec float64 `json:"rate_per_sec,omitempty"`
	// RateShare makes an open loop at this share of the slowest contestant's capacity in the closed
	// loop with the same delay, scenario and records, measured in the pilots. The level of a trial
	// has the resulting rate in RatePerSec; that of a plan has none.
	RateShare float64 `json:"rate_share,omitempty"`
	// OwnRate makes RateShare a share of each contestant's own capacity: each has a rate of its own.
	OwnRate  bool   `json:"own_rate,omitempty"`
	Scenario string `json:"scenario,omitempty"` // where it is not the plan's
	// HTTP is how the generator talks to the contestant; absent: HTTP/1.1 in the clear. In HTTP/2
	// Pipeline is the number of streams on each connection.
	HTTP    protocol.HTTP `json:"protocol,omitempty"`
	Records int           `json:"records,omitempty"` // that the backend answers with
	// Step is how many loads its processes carry before, in a plan of fresh ones: those of the
	// levels before it in the plan, one after another.
	Step int `json:"step,omitempty"`
}

// CPUBound is the work of handlers that hash before they answer, which takes a few milliseconds or
// less (doc/run.md).
const CPUBound = "cpu"

// LaunchPart is the part of a level that a contestant receives when it is started. Levels with
// different launch parts never share a round.
type LaunchPart struct {
	DelayNS int64
	Work    string
	CPUs    int
}

// Launch returns the launch part of the level.
func (l Level) Launch() LaunchPart { return LaunchPart{l.DelayNS, l.Work, l.CPUs} }

// AtBackend returns what a level asks of the backend: the scenario and the protocol are between the
// generator and the contestants, and the backend has CPUs of its own.
func (l Level) AtBackend() Level {
	l.Scenario, l.HTTP, l.CPUs = "", protocol.Clear, 0
	return l
}

// Open reports whether the level is an open loop, whose arrivals do not wait for answers.
func (l Level) Open() bool { return l.RatePerSec > 0 || l.RateShare > 0 }

// Planned returns the level as planned: without the rate that was computed from a share.
func (l Level) Planned() Level {
	if l.RateShare > 0 {
		l.RatePerSec = 0
	}
	return l
}

// Cell is a contestant at a level. Level is an index into the plan's Levels; it is 0 if the plan
// has only one level.
type Cell struct {
	Contestant string `json:"contestant"`
	Level      int    `json:"level"`
}

// Unserved is a contestant that is not measured at a level: it does not serve the level's protocol
// or, where CPUs is set, needs more than the CPUs that servers have there.
type Unserved struct {
	Contestant string        `json:"contestant"`
	HTTP       protocol.HTTP `json:"protocol,omitempty"`
	CPUs       int           `json:"cpus,omitempty"`
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

// limit limits the connections of all levels, which have the same number.
func (p *Plan) limit(connections int) {
	p.Levels = slices.Clone(p.Levels)
	for i := range p.Levels {
		p.Levels[i].Connections = min(p.Levels[i].Connections, connections)
	}
}

// LevelOf returns the level of a trial of the plan.
func (p *Plan) LevelOf(t *Trial) Level {
	if t.Level != nil {
		return *t.Level
	}
	return p.First()
}

// At returns the index of a trial's level among the plan's Levels. It is −1 if the level is none of
// them, as in a search.
func (p *Plan) At(t *Trial) int {
	return slices.Index(p.Levels, p.LevelOf(t).Planned())
}

// LevelName returns the name that a study gives to a level of the plan's Levels, or "".
func (p *Plan) LevelName(i int) string {
	if i < 0 || i >= len(p.Study.LevelNames) {
		return ""
	}
	return p.Study.LevelNames[i]
}

// SLO is the objective of a search: a share Quantile of all requests must be answered within the
// response time.
type SLO struct {
	Quantile   float64 `json:"quantile"`
	LimitNS    int64   `json:"limit_ns"`
	ErrorShare float64 `json:"error_share"` // that is allowed
}
