package plan

import (
	"iter"
	"slices"
	"time"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Estimated times, where the record has no record.Costs. A contestant's start in an epoch, without its
// warm-up: launch, verify, verify again, stop. A trial, without its load: thaw, dial, drain, freeze, read
// memory. They were checked against recorded epochs.
const (
	startNative   = 200 * time.Millisecond
	startManaged  = 500 * time.Millisecond
	trialOverhead = 22 * time.Millisecond

	usual      = 125                   // connections, whose dialling trialOverhead includes
	dialTime   = 40 * time.Microsecond // time for dialling and closing each further connection
	answerTime = 15 * time.Microsecond // time that one request in a queue takes

	// additional warm-up for each scenario beyond the first: the fewest steady windows
	anotherScenario = 400 * time.Millisecond
)

// Cost is the estimated cost that is shown before the run starts.
type Cost struct {
	Pairs        int           // compared pairs
	Epochs       int           // number of epochs after the pilots, until the last interim analysis
	Trials       int           // number of trials until the last interim analysis, pilots among them
	FirstVerdict time.Duration // 0: there are no verdicts
	Whole        time.Duration // time until the last interim analysis, no round discarded; 0: unknown
	Analyses     []stats.Interim
}

// reserve is the budget share that is kept for epochs that do not count and for a machine that
// slows down.
const reserve = 0.07

// Estimate returns the plan's cost. It returns an error if the plan cannot be carried out, or if
// the budget is too short to reach its end or, in a comparison, a verdict; the error then states
// the smallest sufficient budget. How long a fixed number of requests takes depends on the
// contestants; if all loads in a plan have one, Whole is unknown.
func Estimate(p *record.Plan) (Cost, error) { return EstimateOf(&record.Run{Plan: *p}) }

// EstimateOf is Estimate for a run whose contestants have been verified, from its beginning.
func EstimateOf(run *record.Run) (Cost, error) {
	run, p := begun(run), &run.Plan
	if p.InRounds() {
		return estimateRounds(run)
	}
	c := Cost{Epochs: epochsUntil(p, slices.Max(p.Epochs)), Whole: verifyEstimate(run)}
	c.add(run, 0)
	if p.Load.Requests > 0 {
		c.Whole = 0
		return c, nil
	}
	if least := ceil(time.Duration(float64(c.Whole)/(1-reserve)), 10*time.Second); least > time.Duration(p.BudgetNS) {
		return c, refuse("a budget of %v is too small: %d trials take about %v; pass --budget %v or more, or "+
			"fewer contestants",
			time.Duration(p.BudgetNS), c.Trials, c.Whole.Round(time.Second), least)
	}
	return c, nil
}

// begun returns a run as it was before its first epoch.
func begun(run *record.Run) *record.Run {
	return &record.Run{Plan: run.Plan, Contestants: run.Contestants}
}

// costsOf returns a contestant's costs; zero: not known.
func costsOf(run *record.Run, name string) record.Costs {
	if c := run.Contestant(name); c != nil && c.Costs != nil {
		return *c.Costs
	}
	return record.Costs{}
}

// add adds the remaining time and trials until the last epoch that counts to c, and returns the
// time when the epochs before first are over.
func (c *Cost) add(run *record.Run, first int) (until time.Duration) {
	for e, x := range play(run) {
		c.Whole, c.Trials = c.Whole+x.Whole, c.Trials+x.Trials
		if e == first-1 {
			until = c.Whole
		}
		if e+1 >= run.Plan.Pilots+c.Epochs {
			break
		}
	}
	return until
}

// play yields the time and the number of trials that remain in the last recorded epoch, then those in
// each further epoch, without end.
func play(run *record.Run) iter.Seq2[int, Cost] {
	return func(yield func(int, Cost) bool) {
		p, e := &run.Plan, lastEpoch(run)
		if e >= 0 && !yield(e, restOf(run, run.Trials[len(run.Trials)-1].Key)) {
			return
		}
		type kind struct {
			part, extra int
			first       bool
		}
		known := map[kind]Cost{} // a study may have hundreds of epochs, but few kinds
		for e++; ; e++ {
			k := kind{partAt(p, e), len(extras(run, e)), e < found(p)}
			if _, ok := known[k]; !ok {
				known[k] = restOf(run, opening(p, e, 0))
			}
			if !yield(e, known[k]) {
				return
			}
		}
	}
}

// restOf returns the number and the time of the trials after k in the same epoch. If k precedes the first
// trial, the time includes the starts.
func restOf(run *record.Run, k record.Key) (c Cost) {
	if k.Position < 0 {
		c.Whole = besideTrials(run, k.Epoch, Starts(run, k.Epoch))
	}
	for o := range orders(run, k) {
		c.Whole, c.Trials = c.Whole+trialTime(run, o.Contestant, o.Epoch, o.Level), c.Trials+1
	}
	return c
}

// pairs returns the number of pairs that are decided. It is 1 for a single contestant, which is not
// compared but still judged in one analysis.
func pairs(p *record.Plan) int { return max(1, len(p.Family)) }

// verifyEstimate returns the time for the verification before the first epoch, which starts each
// server once.
func verifyEstimate(run *record.Run) (sum time.Duration) {
	var unknown []string
	for _, name := range participants(&run.Plan, true) {
		if took := costsOf(run, name).VerifyNS; took > 0 {
			sum += time.Duration(took)
		} else {
			unknown = append(unknown, name)
		}
	}
	return sum + startsEstimate(run, 0, unknown)
}

// besideTrials returns the estimated time that an epoch, in which these servers are started,
// takes before its first trial and after the last.
func besideTrials(run *record.Run, epoch int, names []string) time.Duration {
	p, entering := &run.Plan, append(slots(&run.Plan, epoch), extras(run, epoch)...)
	if inTurn(p) {
		return 0 // each trial starts its own
	}
	sum := startsEstimate(run, epoch, names) + time.Duration(int64(len(p.Contestants))*p.Load.UnloadedNS)
	for _, name := range names {
		sum += time.Duration(max(1, len(warmups(entering, name)))-1) * anotherScenario
	}
	if p.Processes == record.PerEpoch {
		sum += warmEstimate(run, epoch, names)
	}
	return sum
}

// startsEstimate returns the time in which an epoch's processes are started, verified and
// stopped.
func startsEstimate(run *record.Run, epoch int, names []string) (sum time.Duration) {
	p := &run.Plan
	for _, name := range names {
		waits := 2 * time.Duration(First(p, epoch).DelayNS) // the first answer, and the one that is verified
		switch took := costsOf(run, name).StartNS; {
		case took > 0:
			sum += time.Duration(took) + waits - 2*time.Duration(First(p, 0).DelayNS)
		case slices.Contains(p.Servers.Managed, name):
			sum += waits + startManaged
		default:
			sum += waits + startNative
		}
	}
	sum += time.Duration(len(p.Services)) * startNative
	return sum
}

// trialTime returns the estimated time for a contestant's trial at a level, with its planned length.
func trialTime(run *record.Run, name string, epoch int, l record.Level) time.Duration {
	sum := time.Duration(lengthOf(run, name, l, epoch)) + around(run, name, l)
	if inTurn(&run.Plan) {
		sum += startsEstimate(run, epoch, []string{name})
	}
	return sum
}

// around returns the estimated time that a contestant's trial at a level takes before and after the load.
func around(run *record.Run, name string, l record.Level) time.Duration {
	pipeline := max(1, l.Pipeline)
	if connect, answer := connecting(run, name, l); answer > 0 { // the re-warm has one request on each connection
		return time.Duration(Rewarm(&run.Plan, l)) + trialOverhead + connect + answer*time.Duration(1+pipeline)
	}
	drained := time.Duration(l.Connections*l.Records) * recordTime // one request on each connection
	drained += Answered(l) + time.Duration(pipeline)*time.Duration(l.DelayNS)
	drained += beyond(l)*(dialTime+2*answerTime) + time.Duration(l.Connections*(pipeline-1))*answerTime
	return time.Duration(Rewarm(&run.Plan, l)) + trialOverhead + drained
}

// connecting returns the time for opening a level's connections to a contestant, and for one answer on
// each of them; 0: not known.
func connecting(run *record.Run, name string, l record.Level) (connect, answer time.Duration) {
	c, n := costsOf(run, name), time.Duration(l.Connections)
	return n * time.Duration(c.ConnectNS), n * time.Duration(c.AnswerNS)
}

// beyond returns the number of connections that a level has above the usual number, which the
// estimates already include.
func beyond(l record.Level) time.Duration { return time.Duration(max(0, l.Connections-usual)) }

func ceil(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
