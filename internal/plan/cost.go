package plan

import (
	"fmt"
	"slices"
	"time"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Estimated times of one epoch's start of a contestant without its warm-up (launch, verify, stop) and of what a trial takes beside its load (thaw,
// dial, drain, freeze, read memory): method.md A, checked against the recorded epochs of examples/.
const (
	startNative   = 300 * time.Millisecond
	startManaged  = 500 * time.Millisecond
	trialOverhead = 22 * time.Millisecond
	idleDial      = 150 * time.Microsecond // and its one request

	usual      = 125                   // connections, whose dialling is in trialOverhead
	dialTime   = 40 * time.Microsecond // of one connection beyond them, and its closing
	answerTime = 15 * time.Microsecond // of one request in a queue

	anotherScenario = 400 * time.Millisecond // of the warm-up, for each beyond the first: the fewest windows that can be steady
)

// The profiles (doc/method.md): short trials, because the machine's own speed changes within tenths of a second, and as many rounds as make up
// the load of one contestant in one epoch. A trial is at least 20 handler delays, and the re-warm two.
const (
	quickTrial  = 100 * time.Millisecond
	quickRewarm = 30 * time.Millisecond
	quickLoad   = 1200 * time.Millisecond
	fullLoad    = 2000 * time.Millisecond
	leastRounds = 3

	settledRounds = 4 // of so many rounds one may be dropped, where there are twice as many at least

	labTrial  = 2 * time.Second
	labRewarm = 200 * time.Millisecond
	labLoad   = 12 * time.Second
	tailTrial = 10 * time.Second // of an open loop

	// A share of what the slowest bears, at which full and lab load all contestants beside their closed loop: at 0.3 each has its answers ready long before
	// the next request is due, most of the time; at 0.5 it begins to queue.
	commonShare, labShare = 0.3, 0.5
)

// Profile sets the times and rounds of p by the profile it names, as far as the protocol leaves them open.
func Profile(p *result.Plan) error {
	p.Looks, p.Pilots = []int{8, 12, 16, 24}, 1
	shortest, rewarm, load := quickTrial, quickRewarm, quickLoad
	switch p.Profile {
	case "quick":
	case "full":
		p.Looks, p.Pilots, load = []int{12, 16, 24, 32, 48}, 2, fullLoad
	case Lab:
		p.Looks, p.Pilots = []int{12, 16, 24, 32, 48}, 2
		shortest, rewarm, load = labTrial, labRewarm, labLoad
	default:
		return fmt.Errorf("no profile %q; there are quick, full and lab", p.Profile)
	}
	if p.Fresh {
		rewarm = 0
	}
	trial := max(shortest, 20*time.Duration(p.Level.DelayNS))
	switch p.Protocol {
	case Duel:
		if p.Profile == Lab && len(p.IdleConnections) == 0 {
			p.IdleConnections = []int{1, 500, 1000}
		}
		if share := map[string]float64{"full": commonShare, Lab: labShare}[p.Profile]; share > 0 && len(p.Levels) == 0 && !p.Level.Open() && !p.Fresh {
			common := p.Level // beside what is decided
			common.RateShare = share
			p.Levels = []result.Level{p.Level, common}
		}
		for _, l := range p.Levels {
			trial = max(trial, 20*time.Duration(l.DelayNS))
		}
		p.Rounds, p.Pilots = max(leastRounds, int(load/trial)), p.Pilots*len(partsWith(p, true))
		if p.Profile == Lab && p.Level.Open() { // six trials of ten seconds would leave an hour's budget without a verdict
			p.Rounds = leastRounds
		}
		if len(p.Levels) > 0 {
			trial = shortest // of each level: see trialOf
		}
		p.Chained = !p.Fresh
		if p.Rounds >= 2*settledRounds && !p.Fresh {
			p.DropRounds = p.Rounds / settledRounds
		}
	case Sweep:
		trial = shortest // of each level: see trialOf
		p.Rounds, p.Looks, p.Pilots = leastRounds, nil, len(parts(p))
		if p.Epochs == 0 {
			p.Epochs = 6 // fewer give a median no interval at 95 %
		}
	case Search:
		p.Rounds, p.Looks, p.Pilots, p.Ceiling, trial = searchRounds, nil, 0, "", firstProbe
		if p.Epochs == 0 {
			p.Epochs = 1
		}
	case Classic:
		p.Rounds, p.Looks, p.Pilots, p.RewarmNS, p.Controls = 1, nil, 0, 0, nil
		if p.Driver == "" {
			p.Ceiling = ""
		}
		if p.Epochs == 0 {
			p.Epochs = 1
		}
		return nil
	}
	if p.Fresh { // nothing is to be found out before, and a second load would not be the first
		p.Rounds, p.Pilots = 1, 0
	}
	p.TrialNS, p.RewarmNS = int64(trial), Rewarm(&result.Plan{RewarmNS: int64(rewarm)}, p.Level)
	return nil
}

// Cost is what a plan takes, told before it starts.
type Cost struct {
	Pairs        int           // that are compared
	Epoch        time.Duration // without the cells beside the family; the mean over delays
	Epochs       int           // after the pilots, until the last look
	Trials       int           // until the last look, pilots among them
	FirstVerdict time.Duration // 0: there are no verdicts
	Whole        time.Duration // until the last look, no round void; 0: unknown
	Looks        []stats.Look
}

// reserve is the share of the budget that is kept for void rounds and for a machine that slows down.
const reserve = 0.07

// Estimate tells the cost of p, or an error: why it cannot be carried out, or the least budget that can reach its end, for a duel a verdict.
func Estimate(p *result.Plan) (Cost, error) {
	if err := Check(p); err != nil {
		return Cost{}, err
	}
	if whole(p) {
		return estimateAll(p)
	}
	c := Cost{Pairs: pairs(p, p.Contestants)}
	turn := turnCost(p)
	c.Epoch = turn / time.Duration(len(partsWith(p, false)))
	before := pilotsEstimate(p) + sideCost(p)
	left := time.Duration(p.BudgetNS) - before
	c.Looks = looks(p.Looks, int(float64(left)*(1-reserve)/float64(turn)), c.Pairs, p.Alpha)
	if len(c.Looks) == 0 {
		n := stats.MinEpochs(c.Pairs, p.Alpha)
		least := before + time.Duration(float64(n)*float64(turn)/(1-reserve))
		pairs, fewer := fmt.Sprintf("%d pairs", c.Pairs), ", or fewer --contestants"
		switch {
		case c.Pairs == 1:
			pairs, fewer = "one pair", ""
		case len(p.Family) > 0:
			fewer = ", or fewer named pairs"
		}
		return c, fmt.Errorf("a budget of %v cannot reach a verdict on %s: one epoch takes about %v, and at least %d are needed; give --budget %v or more%s",
			time.Duration(p.BudgetNS), pairs, c.Epoch.Round(100*time.Millisecond), epochsUntil(p, n), ceil(least, 10*time.Second), fewer)
	}
	c.Epochs = epochsUntil(p, c.Looks[len(c.Looks)-1].N)
	first := epochsUntil(p, c.Looks[0].N)
	of := estimates(p)
	for e := range p.Pilots + c.Epochs {
		took, trials := of(e)
		c.Whole, c.Trials = c.Whole+took, c.Trials+trials
		if e == p.Pilots+first-1 {
			c.FirstVerdict = c.Whole
		}
	}
	return c, nil
}

// estimateAll is Estimate for a plan that is carried out whole.
func estimateAll(p *result.Plan) (Cost, error) {
	c := Cost{Epochs: epochsUntil(p, p.Epochs)}
	of := estimates(p)
	for e := range p.Pilots + c.Epochs {
		took, trials := of(e)
		c.Whole, c.Trials = c.Whole+took, c.Trials+trials
	}
	if p.Protocol == Classic && p.Requests > 0 {
		c.Whole = 0 // it depends on the contestants
		return c, nil
	}
	if least := ceil(time.Duration(float64(c.Whole)/(1-reserve)), 10*time.Second); least > time.Duration(p.BudgetNS) {
		return c, fmt.Errorf("a budget of %v is too little: %d trials at %d levels take about %v; give --budget %v or more, or fewer levels or contestants",
			time.Duration(p.BudgetNS), c.Trials, max(len(p.Levels), 1), c.Whole.Round(time.Second), least)
	}
	return c, nil
}

// pairs is the size of Holm's family among the named contestants; one contestant alone is compared with nobody, but still judged at one look.
func pairs(p *result.Plan, names []string) int { return max(1, len(Family(p, names))) }

// looks picks from the candidates those that fit; where none does, one look at all that fit, if Holm can use it.
func looks(candidates []int, fits, m int, alpha float64) []stats.Look {
	if l := stats.Looks(candidates, fits, m, alpha); len(l) > 0 {
		return l
	}
	return stats.Looks([]int{fits}, fits, m, alpha)
}

func pilotsEstimate(p *result.Plan) (sum time.Duration) {
	of := estimates(p)
	for e := range p.Pilots {
		took, _ := of(e)
		sum += took
	}
	return sum
}

// turnCost is the time of one epoch of each part, after the pilots and without the cells beside the family.
func turnCost(p *result.Plan) (sum time.Duration) {
	for i := range parts(p) {
		sum += epochEstimate(p, p.Pilots+i, nil)
	}
	return sum
}

// sideCost is what the cells beside the family take in all, after the pilots.
func sideCost(p *result.Plan) (sum time.Duration) {
	for i := range parts(p) {
		e := p.Pilots + i
		sum += time.Duration(sideEpochs(p)) * (epochEstimate(p, e, sides(p, e)) - epochEstimate(p, e, nil))
	}
	return sum
}

// sidesAt are the cells beside the family that an epoch loads where none before is void.
func sidesAt(p *result.Plan, epoch int) []entrant {
	if epoch >= p.Pilots && turnOf(p, epoch) >= sideEpochs(p) {
		return nil
	}
	return sides(p, epoch)
}

// trialsOf is the number of trials of an epoch.
func trialsOf(p *result.Plan, epoch int) int {
	return p.Rounds*len(entrants(p, epoch)) + len(sidesAt(p, epoch))
}

// estimates gives the time and the trials of an epoch. Those of one part, before and after the cells beside the family have had their turns, are alike, and
// reckoned once: a study may have hundreds.
func estimates(p *result.Plan) func(epoch int) (took time.Duration, trials int) {
	type kind struct {
		part         int
		pilot, sides bool
	}
	type cost struct {
		took   time.Duration
		trials int
	}
	known := map[kind]cost{}
	return func(epoch int) (time.Duration, int) {
		k := kind{partAt(p, epoch), epoch < p.Pilots, epoch < p.Pilots || turnOf(p, epoch) < sideEpochs(p)}
		c, ok := known[k]
		if !ok {
			c = cost{estimateEpoch(p, epoch), trialsOf(p, epoch)}
			known[k] = c
		}
		return c.took, c.trials
	}
}

func estimateEpoch(p *result.Plan, epoch int) time.Duration {
	return epochEstimate(p, epoch, sidesAt(p, epoch))
}

// epochEstimate is the time of an epoch with those cells beside the family.
func epochEstimate(p *result.Plan, epoch int, besides []entrant) time.Duration {
	var sum time.Duration
	every := entrants(p, epoch)
	entering := slices.Concat(every, besides)
	names := launched(p, epoch, entering)
	for _, name := range names {
		sum += 2 * time.Duration(First(p, epoch).DelayNS) // the first answer, and the one that is verified
		sum += time.Duration(len(warmups(entering, name))-1) * anotherScenario
		if slices.Contains(p.Managed, name) {
			sum += startManaged
		} else {
			sum += startNative
		}
	}
	if p.Companion != "" {
		sum += startNative
	}
	if p.Protocol != Classic && !p.Fresh {
		sum += warmEstimate(&result.Run{Plan: *p}, epoch, names)
	}
	if p.Protocol == Search {
		return sum + estimateSearch(p)
	}
	one := func(e entrant) time.Duration {
		l, pipeline := e.level, max(1, e.level.Pipeline)
		drained := time.Duration(l.Connections*l.Records) * recordTime // one request of each connection, in the re-warm and after the trial
		drained += Answered(l) + time.Duration(pipeline)*time.Duration(l.DelayNS)
		drained += beyond(l)*(dialTime+2*answerTime) + time.Duration(l.Connections*(pipeline-1))*answerTime
		return time.Duration(trialOf(p, e)+Rewarm(p, l)) + trialOverhead + drained
	}
	for _, e := range every {
		sum += time.Duration(p.Rounds) * one(e)
	}
	for _, e := range besides {
		sum += one(e)
	}
	if epoch >= p.Pilots {
		if steps := len(p.IdleConnections); steps > 0 {
			sum += time.Duration(len(p.Contestants)) * (time.Duration(steps)*trialOverhead + time.Duration(p.IdleConnections[steps-1])*idleDial)
		}
	}
	return sum
}

// beyond is how many connections a level has beside those that are counted already.
func beyond(l result.Level) time.Duration { return time.Duration(max(0, l.Connections-usual)) }

func ceil(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }

// DefaultBudget is the time for measuring of a plan that names none.
func DefaultBudget(p *result.Plan) time.Duration {
	switch {
	case whole(p):
		return 24 * time.Hour
	case p.Profile == Lab:
		return time.Hour
	case p.Profile == "full" && len(p.Contestants) > 4:
		return 30 * time.Minute
	case p.Profile == "full":
		return 10 * time.Minute
	}
	return 6 * time.Minute
}
