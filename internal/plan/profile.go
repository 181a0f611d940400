package plan

import (
	"time"

	"dyno/internal/judge"
	"dyno/internal/record"
)

// Standard is the default profile.
const Standard = "standard"

// profile sets numbers of trials and times (doc/method.md). The rounds in an epoch load each
// contestant for a fixed time.
type profile struct {
	name               string
	long               bool // up to 48 epochs, rather than 24, for one pair
	pilots             int
	load               time.Duration
	budget, manyBudget time.Duration // budget applies to up to four contestants, manyBudget, if set, to more
	compiling, quiet   time.Duration // for contestants that compile: Warming.Compiling, Warming.Quiet; 0: the usual
	requests           int64         // minimum for contestants that compile; 0: warmRequests
}

// brief is the profile for a comparison whose budget is too short for Standard (see fit): a
// shorter warm-up leaves time for epochs.
const brief = "brief"

// profiles are all profiles by name.
var profiles = map[string]*profile{
	Standard: {
		name: Standard, pilots: 1, load: 1200 * time.Millisecond, budget: 5 * time.Minute,
	},
	brief: {
		name: brief, pilots: 1, load: leastRounds * shortTrial,
		budget: 5 * time.Minute, compiling: 8 * time.Second, quiet: time.Second, requests: 5000,
	},
	"full": {
		name: "full", long: true, pilots: 2, load: 2 * time.Second,
		budget: 10 * time.Minute, manyBudget: 30 * time.Minute,
	},
}

// Trials are short, because the machine's own speed changes within tenths of a second. A trial lasts
// at least 20 handler delays, and the re-warm two.
const (
	shortTrial    = 100 * time.Millisecond
	shortRewarm   = 30 * time.Millisecond
	leastRounds   = judge.TrendRounds
	defaultMargin = 0.03 // for equivalence
)

// profileOf returns a plan's profile. The default is Standard.
func profileOf(p *record.Plan) *profile {
	if pr := profiles[p.Profile]; pr != nil {
		return pr
	}
	return profiles[Standard]
}

// times sets the lengths of trials and of the loads before them.
func times(p *record.Plan, trial time.Duration) {
	rewarm := shortRewarm
	if p.Fresh() {
		rewarm = 0
	}
	p.Load.NS, p.Load.RewarmNS = int64(trial), Rewarm(&record.Plan{Load: record.LoadLength{RewarmNS: int64(rewarm)}}, p.First())
}
