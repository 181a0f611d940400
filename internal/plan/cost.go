package plan

import (
	"slices"
	"time"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Estimated times of a contestant's start in an epoch without its warm-up (launch, verify, verify
// again, stop), and of a trial without its load (thaw, dial, drain, freeze, read memory). They were
// checked against recorded epochs.
const (
	startNative   = 200 * time.Millisecond
	startManaged  = 500 * time.Millisecond
	trialOverhead = 22 * time.Millisecond

	usual      = 125                   // connections, whose dialling trialOverhead includes
	dialTime   = 40 * time.Microsecond // of one connection beyond them, and its closing
	answerTime = 15 * time.Microsecond // of one request in a queue

	anotherScenario = 400 * time.Millisecond // of the warm-up, for each beyond the first: the fewest steady windows
)

// Cost is the estimated cost of a plan, shown before the run starts.
type Cost struct {
	Pairs        int           // that are compared
	Epochs       int           // after the pilots, until the last interim analysis
	Trials       int           // until the last interim analysis, pilots among them
	FirstVerdict time.Duration // 0: there are no verdicts
	Whole        time.Duration // until the last interim analysis, no round discarded; 0: unknown
	Analyses     []stats.Interim
}

// reserve is the share of the budget that is reserved for epochs that do not count and for a machine that
// slows down.
const reserve = 0.07

// Estimate returns the cost of p. It returns an error if the plan cannot be carried out, or if the
// budget is too short to reach its end or, in a comparison, a verdict; the error then states the
// smallest sufficient budget. The time of loads with a number of requests depends on the contestants: that of a
// plan which has no others is unknown.
func Estimate(p *result.Plan) (Cost, error) {
	if p.InRounds() {
		return estimateRounds(p)
	}
	c := Cost{Epochs: epochsUntil(p, slices.Max(p.Epochs)), Whole: verifyEstimate(p)}
	c.add(p, 0)
	if p.Load.Requests > 0 {
		c.Whole = 0
		return c, nil
	}
	if least := ceil(time.Duration(float64(c.Whole)/(1-reserve)), 10*time.Second); least > time.Duration(p.BudgetNS) {
		return c, refuse("a budget of %v is too small: %d trials take about %v; pass --budget %v or more, or fewer contestants",
			time.Duration(p.BudgetNS), c.Trials, c.Whole.Round(time.Second), least)
	}
	return c, nil
}

// add adds the time and the trials of the pilots and of all epochs to c, and returns the time of
// the first of them.
func (c *Cost) add(p *result.Plan, first int) (until time.Duration) {
	of := estimates(p)
	for e := range p.Pilots + c.Epochs {
		took, trials := of(e)
		c.Whole, c.Trials = c.Whole+took, c.Trials+trials
		if e == first-1 {
			until = c.Whole
		}
	}
	return until
}

// pairs returns the number of pairs among the named contestants. It is 1 for a single
// contestant, which is not compared but still judged in one analysis.
func pairs(p *result.Plan, names []string) int { return max(1, len(familyOf(p, names))) }

// verifyEstimate returns the time of the verification before the first epoch: of one start of each.
func verifyEstimate(p *result.Plan) time.Duration {
	return startsEstimate(p, 0, participants(p, true))
}

// estimates returns estimateEpoch, which computes each kind of epochs only once, because a study may have hundreds.
func estimates(p *result.Plan) func(epoch int) (took time.Duration, trials int) {
	type kind struct {
		part  int
		pilot bool
		extra int // levels whose cells outside the family are loaded
	}
	known := map[kind]Cost{}
	return func(epoch int) (time.Duration, int) {
		k := kind{part: partAt(p, epoch), pilot: epoch < p.Pilots}
		turn := Turn(p, epoch)
		for level := range p.Levels {
			if k.pilot || turn < extraEpochsAt(p, level) {
				k.extra++
			}
		}
		c, ok := known[k]
		if !ok {
			c.Whole, c.Trials = estimateEpoch(p, epoch)
			known[k] = c
		}
		return c.Whole, c.Trials
	}
}

// estimateEpoch returns the time and the number of trials of an epoch.
func estimateEpoch(p *result.Plan, epoch int) (took time.Duration, trials int) {
	rounds, extra := slots(p, epoch), extras(&result.Run{Plan: *p}, epoch)
	entering := slices.Concat(rounds, extra)
	names := launched(p, epoch, entering)
	sum := startsEstimate(p, epoch, names)
	for _, name := range names {
		sum += time.Duration(len(warmups(entering, name))-1) * anotherScenario
	}
	if p.Processes == result.PerEpoch {
		sum += warmEstimate(p, epoch, names)
	}
	return sum + estimateLoads(p, epoch, extra), p.Rounds*len(rounds) + len(extra)
}

// startsEstimate returns the time in which an epoch's processes are started, verified and stopped.
func startsEstimate(p *result.Plan, epoch int, names []string) (sum time.Duration) {
	for _, name := range names {
		sum += 2 * time.Duration(First(p, epoch).DelayNS) // the first answer, and the one that is verified
		if slices.Contains(p.Servers.Managed, name) {
			sum += startManaged
		} else {
			sum += startNative
		}
	}
	if p.Backend != "" {
		sum += startNative
	}
	return sum
}

// estimateLoads returns the time of an epoch's loads.
func estimateLoads(p *result.Plan, epoch int, extra []slot) (sum time.Duration) {
	if p.SLO != nil {
		each := SearchTime + SearchRounds*(trialOverhead+time.Duration(p.Load.RewarmNS))
		return time.Duration(len(participants(p, false))) * each
	}
	one := func(e slot) time.Duration {
		l, pipeline := e.level, max(1, e.level.Pipeline)
		drained := time.Duration(l.Connections*l.Records) * recordTime // one request of each connection
		drained += Answered(l) + time.Duration(pipeline)*time.Duration(l.DelayNS)
		drained += beyond(l)*(dialTime+2*answerTime) + time.Duration(l.Connections*(pipeline-1))*answerTime
		return time.Duration(trialOf(p, e)+Rewarm(p, l)) + trialOverhead + drained
	}
	for _, e := range slots(p, epoch) {
		sum += time.Duration(p.Rounds) * one(e)
	}
	for _, e := range extra {
		sum += one(e)
	}
	sum += time.Duration(int64(len(p.Contestants)) * p.Load.UnloadedNS)
	return sum
}

// beyond returns how many connections a level has above the usual number, which the estimates
// already include.
func beyond(l result.Level) time.Duration { return time.Duration(max(0, l.Connections-usual)) }

func ceil(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
