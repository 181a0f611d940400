package plan

import (
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// Standard is the default profile, Lab the one for machines with more CPUs; Tail is the primary
// metric that only Lab ranks.
const (
	Standard = "standard"
	Lab      = "lab"
	Tail     = "response_p99"
)

// profile sets trial lengths and numbers (doc/method.md): trials are short, because the
// machine's own speed changes within tenths of a second. The rounds in an epoch load each
// contestant for a fixed time. A trial lasts at least 20 handler delays, and the re-warm two.
type profile struct {
	name                string
	long                bool // up to 48 epochs, rather than 24, for one pair
	pilots              int
	trial, rewarm, load time.Duration
	controls            []string
	margin              float64       // equivalence margin for speeds
	budget, manyBudget  time.Duration // budget applies to up to four contestants, manyBudget, if set, to more
	warmLeast           time.Duration // least warm-up; 0: WarmLeast
	compiling, quiet    time.Duration // for contestants that compile: Warming.Compiling, Warming.Quiet; 0: the usual
	requests            int64         // minimum for contestants that compile; 0: warmRequests
	cpus                int           // number of CPUs that the profile is made for
}

// brief is the profile for a comparison whose budget is too short for Standard (see fit): a
// shorter warm-up leaves time for epochs.
const brief = "brief"

// profiles are all profiles by name. The lab profile leaves one CPU to the system and one to the
// generator.
var profiles = map[string]*profile{
	Standard: {
		name: Standard, pilots: 1, trial: standardTrial, rewarm: standardRewarm,
		load:     1200 * time.Millisecond,
		controls: []string{"ref", "ref'"}, margin: 0.03, budget: 5 * time.Minute,
	},
	brief: {
		name: brief, pilots: 1, trial: standardTrial, rewarm: standardRewarm,
		load: leastRounds * standardTrial, controls: []string{"ref", "ref'"}, margin: 0.03,
		budget: 5 * time.Minute, compiling: 8 * time.Second, quiet: time.Second, requests: 5000,
	},
	"full": {
		name: "full", long: true, pilots: 2, trial: standardTrial, rewarm: standardRewarm,
		load:     2 * time.Second,
		controls: []string{"ref", "ref'", "ref+5%"}, margin: 0.03,
		budget: 10 * time.Minute, manyBudget: 30 * time.Minute,
	},
	Lab: {
		name: Lab, long: true, pilots: 2, trial: 2 * time.Second,
		rewarm: 200 * time.Millisecond,
		load:   12 * time.Second, controls: []string{"ref", "ref'", "ref+5%"}, margin: 0.02,
		budget: time.Hour, warmLeast: 3 * time.Second, cpus: 4,
	},
}

const (
	standardTrial  = 100 * time.Millisecond
	standardRewarm = 30 * time.Millisecond
	tailTrial      = 10 * time.Second // length of an open-loop trial, where the tail is ranked
	tailRounds     = 3                // with more of these an hour would pass without a verdict
	tailShare      = 0.5              // their rate over the slowest contestant's capacity: queueing begins
	tailMargin     = 0.05             // equivalence margin there
	leastRounds    = judge.TrendRounds
)

// profileOf returns a plan's profile. The default is Standard.
func profileOf(p *record.Plan) *profile {
	if pr := profiles[p.Profile]; pr != nil {
		return pr
	}
	return profiles[Standard]
}

// ranksTail reports whether tails can be compared with this profile.
func (pr *profile) ranksTail() bool { return pr.cpus > 0 }

// marginOf returns the profile's equivalence margin for a primary metric.
func (pr *profile) marginOf(primary string) float64 {
	if isTail(primary) {
		return tailMargin
	}
	return pr.margin
}

func isTail(primary string) bool { return primary == "p99" || primary == Tail }

// times sets the lengths of trials and of the loads before them.
func (pr *profile) times(p *record.Plan, trial time.Duration) {
	rewarm := pr.rewarm
	if p.Fresh() {
		rewarm = 0
	}
	p.Load.NS, p.Load.RewarmNS = int64(trial), Rewarm(&record.Plan{Load: record.LoadLength{RewarmNS: int64(rewarm)}}, p.First())
}

// RanksTails reports whether a plan's profile can rank latencies.
func RanksTails(p *record.Plan) bool { return profileOf(p).ranksTail() }

// tail makes a plan whose primary metric is p99 an open loop, and keeps a closed loop that shows
// the contestants' capacity. It returns an error if p99 cannot be ranked.
func tail(p *record.Plan, pr *profile, t *preset) error {
	switch {
	case !isTail(p.Primary):
		return nil
	case !pr.ranksTail() || !t.named:
		return refuse("--primary p99: only a paired comparison with --profile lab ranks by p99; on a shared " +
			"machine with few CPUs, 10 to 74 of 100 runs of 48 epochs detect a difference of 5 %% in p99 " +
			"(dyno help method). Use --primary p50 to rank by the median, or dyno load --find for the highest rate at " +
			"which p99 keeps an objective")
	}
	closed, open := p.First(), p.First()
	open.RateShare = tailShare
	p.Primary, p.Levels, p.Study.LevelNames, p.ExtraEpochs = Tail, []record.Level{open, closed}, nil, nil
	p.Cells, p.Family = nil, nil
	p.Complete()
	return nil
}
