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
	idleDial      = 150 * time.Microsecond // and its one request

	usual      = 125                   // connections, whose dialling trialOverhead includes
	dialTime   = 40 * time.Microsecond // of one connection beyond them, and its closing
	answerTime = 15 * time.Microsecond // of one request in a queue

	anotherScenario = 400 * time.Millisecond // of the warm-up, for each beyond the first: the fewest steady windows
)

// Cost is the estimated cost of a plan, shown before the run starts.
type Cost struct {
	Pairs        int           // that are compared
	Tests        int           // that alpha is divided by, at most
	Epoch        time.Duration // without the cells beside the family; the mean over delays
	Epochs       int           // after the pilots, until the last interim analysis
	Trials       int           // until the last interim analysis, pilots among them
	FirstVerdict time.Duration // 0: there are no verdicts
	Whole        time.Duration // until the last interim analysis, no round discarded; 0: unknown
	Analyses     []stats.Interim
}

// reserve is the share of the budget that is reserved for discarded rounds and for a machine that
// slows down.
const reserve = 0.07

// Estimate returns the cost of p. It returns an error if the plan cannot be carried out, or if the
// budget is too short to reach its end or, in a comparison, a verdict; the error then states the
// smallest sufficient budget.
func Estimate(p *result.Plan) (Cost, error) { return Of(p).estimate(p) }

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

// pairs returns the size of Holm's family among the named contestants. It is 1 for a single
// contestant, which is not compared but still judged in one analysis.
func pairs(p *result.Plan, names []string) int { return max(1, len(familyOf(p, names))) }

// tests returns how many tests share alpha at most: every pair by itself or, where the pilots rank
// the contestants, as many as there are contestants.
func tests(p *result.Plan, names []string) int {
	if p.Ranked {
		return stats.RankedTests(len(names))
	}
	return pairs(p, names)
}

// spent returns the share of alpha that the analyses of a plan use. A single analysis of all pairs
// leaves a tenth unused: with skewed starts or carry-over between loads, an exact test slightly exceeds
// its level (validation/README.md, Traps).
func spent(p *result.Plan) float64 {
	if p.Simultaneous && !p.Ranked {
		return 0.9 * p.Alpha
	}
	return p.Alpha
}

// rankedShare is the share of the epochs that fit which a ranked run takes. It then makes 95 % of the
// decisions on neighbours that all pairs by themselves make with all of the epochs (validation/README.md,
// Family).
const rankedShare = 7. / 8

// RankedEpochs returns after how many epochs a ranked run of so many tests is analysed if fits would
// fit: a share of them, but no fewer than can show something.
func RankedEpochs(fits, tests int, alpha float64) int {
	return max(int(rankedShare*float64(fits)), min(fits, stats.MinEpochs(tests, alpha)))
}

// analyses returns the candidates that fit. If none does, it returns one analysis of all epochs
// that fit, provided that Holm's procedure can use it.
func analyses(p *result.Plan, candidates []int, fits, m int) []stats.Interim {
	if p.Ranked {
		fits = RankedEpochs(min(fits, slices.Max(p.Analyses)), m, spent(p))
	}
	l := stats.Interims(candidates, fits, m, spent(p))
	if len(l) == 0 {
		l = stats.Interims([]int{fits}, fits, m, spent(p))
	}
	for i := range l {
		l[i].Simultaneous, l[i].Ranked, l[i].Strict = p.Simultaneous, p.Ranked, p.Strict
	}
	return l
}

func pilotsEstimate(p *result.Plan) time.Duration {
	var c Cost // without epochs after them
	return c.add(p, p.Pilots)
}

// verifyEstimate returns the time of the verification before the first epoch: of one start of each.
func verifyEstimate(p *result.Plan) time.Duration {
	return startsEstimate(p, 0, participants(p, true))
}

// turnCost returns the time of one epoch of each part after the pilots, without the cells outside
// the family.
func turnCost(p *result.Plan) (sum time.Duration) {
	for i := range parts(p) {
		sum += epochEstimate(p, p.Pilots+i, nil)
	}
	return sum
}

// extraCost returns the total time of the cells outside the family, after the pilots.
func extraCost(p *result.Plan) (sum time.Duration) {
	for i := range parts(p) {
		e := p.Pilots + i
		all, without := extraSlots(p, e), epochEstimate(p, e, nil)
		for turn := 0; turn < extraEpochs(p); {
			list, same := wanted(p, all, turn), 1
			for turn+same < extraEpochs(p) && len(wanted(p, all, turn+same)) == len(list) {
				same++
			}
			sum += time.Duration(same) * (epochEstimate(p, e, list) - without)
			turn += same
		}
	}
	return sum
}

// sidesAt returns the cells outside the family that an epoch loads if no earlier round was
// discarded.
func sidesAt(p *result.Plan, epoch int) []slot {
	if epoch < p.Pilots {
		return extraSlots(p, epoch)
	}
	return wanted(p, extraSlots(p, epoch), turnOf(p, epoch))
}

// trialsOf returns the number of trials of an epoch.
func trialsOf(p *result.Plan, epoch int) int {
	return p.Rounds*len(slots(p, epoch)) + len(sidesAt(p, epoch))
}

// estimates returns a function that gives the time and the trials of an epoch. Epochs of one part
// are equal, except for the cells outside the family. Each kind is computed only once, because a
// study may have hundreds of epochs.
func estimates(p *result.Plan) func(epoch int) (took time.Duration, trials int) {
	type kind struct {
		part  int
		pilot bool
		extra int // levels whose cells outside the family are loaded
	}
	type cost struct {
		took   time.Duration
		trials int
	}
	known := map[kind]cost{}
	return func(epoch int) (time.Duration, int) {
		k := kind{part: partAt(p, epoch), pilot: epoch < p.Pilots}
		for level := range p.Points() {
			if k.pilot || turnOf(p, epoch) < extraEpochsAt(p, level) {
				k.extra++
			}
		}
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

// epochEstimate returns the time of an epoch that also loads the cells extra.
func epochEstimate(p *result.Plan, epoch int, extra []slot) time.Duration {
	entering := slices.Concat(slots(p, epoch), extra)
	names := launched(p, epoch, entering)
	sum := startsEstimate(p, epoch, names)
	for _, name := range names {
		sum += time.Duration(len(warmups(entering, name))-1) * anotherScenario
	}
	if !alone(p) && !p.Fresh {
		sum += warmEstimate(&result.Run{Plan: *p}, epoch, names)
	}
	return sum + Of(p).loads(p, epoch, extra)
}

// startsEstimate returns the time in which an epoch's processes are started, verified and stopped.
func startsEstimate(p *result.Plan, epoch int, names []string) (sum time.Duration) {
	for _, name := range names {
		sum += 2 * time.Duration(First(p, epoch).DelayNS) // the first answer, and the one that is verified
		if slices.Contains(p.Managed, name) {
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
	sum += time.Duration(int64(len(p.Contestants)) * p.UnloadedNS)
	if epoch >= p.Pilots {
		if steps := len(p.IdleConnections); steps > 0 {
			each := time.Duration(steps)*trialOverhead + time.Duration(p.IdleConnections[steps-1])*idleDial
			sum += time.Duration(len(p.Contestants)) * each
		}
	}
	return sum
}

// beyond returns how many connections a level has above the usual number, which the estimates
// already include.
func beyond(l result.Level) time.Duration { return time.Duration(max(0, l.Connections-usual)) }

func ceil(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
