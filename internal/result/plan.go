package result

import (
	"slices"

	"dyno/internal/protocol"
)

// Plan is the input of the planner. Together with the seed it determines everything that a run
// does.
type Plan struct {
	Format   int    `json:"format"`
	Dyno     string `json:"dyno"`    // version of dyno
	Command  string `json:"command"` // repeats the run
	Protocol string `json:"protocol"`
	Profile  string `json:"profile"`

	Study       string   `json:"study,omitempty"`
	ClaimsHash  string   `json:"claims_hash,omitempty"` // of the study's claims when the run was planned (claim.Hash)
	Title       string   `json:"title,omitempty"`
	Scenario    string   `json:"scenario"`
	Contestants []string `json:"contestants"` // in the order asked, controls not among them
	// reference servers that ride along: the reference, its copy for the A/A check, others
	Controls []string `json:"controls"`
	// reference server that shows the generator's ceiling; in the pilots only
	Ceiling string   `json:"ceiling,omitempty"`
	Backend string   `json:"backend,omitempty"` // program that the contestants call, on the generator's CPUs
	Managed []string `json:"managed,omitempty"`
	// Attached are the contestants that were already running. dyno does not start, freeze or stop
	// them, and an epoch is a block of rounds on the same processes.
	Attached []string `json:"attached,omitempty"`
	Level    Level    `json:"level"`            // of a run at one level; where there are Levels, the first of them
	Levels   []Level  `json:"levels,omitempty"` // of a sweep, and of a paired comparison at several; no two are alike
	SLO      *SLO     `json:"slo,omitempty"`    // of a search

	// of Levels, as a study calls them; "": it gives that one no name
	LevelNames []string `json:"level_names,omitempty"`
	// those of levels that a null server as the ceiling answers besides Scenario
	CeilingScenarios []string `json:"ceiling_scenarios,omitempty"`
	// forms of HTTP, besides HTTP/1.1 in the clear, in which a null server as the ceiling answers
	CeilingProtocols []protocol.HTTP `json:"ceiling_protocols,omitempty"`
	// Unserved are the contestants that a level leaves out, because they do not serve its protocol, or
	// need more CPUs.
	Unserved []Unserved `json:"unserved,omitempty"`

	// Of a paired comparison at several levels. Cells are what is loaded, empty: every contestant
	// at every level. Family are the comparisons that the run decides, all
	// together, empty: all pairs of contestants at the first level. ExtraEpochs is in how many
	// epochs a cell that is in no comparison is loaded, once each; 0: six.
	Cells       []Cell       `json:"cells,omitempty"`
	Family      []Comparison `json:"family,omitempty"`
	ExtraEpochs int          `json:"extra_epochs,omitempty"`
	// LevelExtraEpochs is the same by level, where it is not ExtraEpochs: 0 stands for that.
	LevelExtraEpochs []int `json:"level_extra_epochs,omitempty"`
	// Uncontrolled are the levels, as indices, that no control is loaded at.
	Uncontrolled []int `json:"uncontrolled,omitempty"`

	// Heap says that the heaps of contestants in Go and .NET are read before and after each window.
	Heap bool `json:"heap,omitempty"`

	Seed     uint64  `json:"seed"`
	Primary  string  `json:"primary"`          // metric that decides pairs and stops the run
	Alpha    float64 `json:"alpha"`            // family-wise
	Margin   float64 `json:"margin"`           // of equivalence, as a share: 0.03
	Rounds   int     `json:"rounds"`           // per epoch
	Pilots   int     `json:"pilots"`           // epochs before the first that counts
	Analyses []int   `json:"interim_analyses"` // candidate numbers of valid epochs; the largest ends the run
	// Layouts is in how many orders of its functions a contestant is linked, where its toolchain can;
	// each epoch draws one. 0: one.
	Layouts int `json:"layouts,omitempty"`
	// Relink is the linker's seed of the first of them; the next ones follow. 0: that has the linker's own
	// order.
	Relink int `json:"relink,omitempty"`

	Epochs int `json:"epochs,omitempty"` // sweep: of each launch part; classic: repeats

	// External are external load generators, each of which makes each load of a classic run once
	// more, after dyno's own.
	External []string `json:"external,omitempty"`

	// Chained: a round begins with what was loaded last in its epoch, so that each follows itself
	// as often as any other.
	Chained bool `json:"chained,omitempty"`

	// Retakes is how often a trial of a search is repeated that was disturbed, or missed with the generator at its limit.
	Retakes int `json:"retakes,omitempty"`

	// Fresh: each level has processes of its own, started for it, not warmed up and loaded once
	// with Requests; but a level with a Step has those of the level before it.
	Fresh bool `json:"fresh,omitempty"`

	TrialNS    int64  `json:"trial_ns"`
	RewarmNS   int64  `json:"rewarm_ns"`
	LongNS     int64  `json:"long_ns,omitempty"`     // length of the long loads after the epochs (doc/method.md); 0: there are none
	NoLong     string `json:"no_long,omitempty"`     // why not, where there could be some
	UnloadedNS int64  `json:"unloaded_ns,omitempty"` // how long a contestant is watched without load, at the end of an epoch
	BudgetNS   int64  `json:"budget_ns"`             // after the builds

	// OpenRequests is how many requests an epoch is to have at each open loop, for its tail; OpenNS is
	// the longest that this may take. Such loads come after the others of their round. 0: there are only open loops of the profile's own, of one length.
	OpenRequests int64 `json:"open_requests,omitempty"`
	OpenNS       int64 `json:"open_ns,omitempty"`

	Requests int64 `json:"requests,omitempty"` // classic, and of fresh processes: of one load, instead of TrialNS

	StartedUnixNS int64 `json:"started_unix_ns"`
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

// Points returns the levels of the plan: Levels, or the single Level.
func (p *Plan) Points() []Level {
	if len(p.Levels) > 0 {
		return p.Levels
	}
	return []Level{p.Level}
}

// LevelOf returns the level of a trial of the plan.
func (p *Plan) LevelOf(t *Trial) Level {
	if t.Level != nil {
		return *t.Level
	}
	return p.Level
}

// At returns the index of a trial's level among the plan's Points. It is −1 if the level is none of
// them, as in a search.
func (p *Plan) At(t *Trial) int {
	return slices.Index(p.Points(), p.LevelOf(t).Planned())
}

// LevelName returns the name that a study gives to a level of the plan's Points, or "".
func (p *Plan) LevelName(i int) string {
	if i < 0 || i >= len(p.LevelNames) {
		return ""
	}
	return p.LevelNames[i]
}

// SLO is the objective of a search: a share Quantile of all requests must be answered within the
// response time.
type SLO struct {
	Quantile   float64 `json:"quantile"`
	LimitNS    int64   `json:"limit_ns"`
	ErrorShare float64 `json:"error_share"` // that is allowed
}
