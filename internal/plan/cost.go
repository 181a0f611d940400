package plan

import (
	"fmt"
	"slices"
	"time"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Estimated times of one epoch's start of a contestant (launch, verify, warm-up, stop) and of what a trial takes beside its load (thaw,
// dial, drain, freeze, read memory): method.md A, checked against the recorded epochs of examples/.
const (
	startNative   = 800 * time.Millisecond
	startManaged  = 500 * time.Millisecond // without its warm-up, which goes on beside that of the others
	trialOverhead = 22 * time.Millisecond
)

// Warm-up of a fresh process (doc/method.md): a native one is loaded for at least WarmNative. A managed one is loaded now and then, for at least
// WarmManaged since its first window, WarmRequests, and until it has used no CPU at rest for WarmQuiet: its compiler is done.
const (
	WarmNative    = 500 * time.Millisecond
	WarmNativeCap = 10 * time.Second

	WarmManaged    = 6 * time.Second
	WarmManagedCap = 30 * time.Second
	WarmRest       = 400 * time.Millisecond // between two turns
	WarmQuiet      = 2 * time.Second
	WarmRequests   = 20_000
)

// WarmLab and WarmLabManaged are the least of the profile lab.
const (
	WarmLab        = 3 * time.Second
	WarmLabManaged = 15 * time.Second
)

// WarmLeast is for how long the plan warms a fresh process up at the least.
func WarmLeast(p *result.Plan, managed bool) time.Duration {
	switch {
	case p.Profile == Lab && managed:
		return WarmLabManaged
	case p.Profile == Lab:
		return WarmLab
	case managed:
		return WarmManaged
	}
	return WarmNative
}

// The profiles (doc/method.md): short trials, because the machine's own speed changes within tenths of a second, and as many rounds as make up
// the load of one contestant in one epoch. A trial is at least 20 handler delays, and the re-warm two.
const (
	quickTrial  = 100 * time.Millisecond
	quickRewarm = 30 * time.Millisecond
	quickLoad   = 1200 * time.Millisecond
	fullLoad    = 2000 * time.Millisecond
	leastRounds = 3

	labTrial  = 2 * time.Second
	labRewarm = 200 * time.Millisecond
	labLoad   = 12 * time.Second
	tailTrial = 10 * time.Second // of an open loop
)

// Lab is the profile for machines that have LabCPUs or more: one keeps house, and the generator beside the server has one to spare.
const (
	Lab     = "lab"
	LabCPUs = 4
	Tail    = "response_p99" // the primary metric that only the lab ranks
)

// LabMargin is the margin of a tie in the lab.
func LabMargin(p *result.Plan) float64 {
	if p.Primary == Tail {
		return 0.05
	}
	return 0.02
}

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
	trial := max(shortest, 20*time.Duration(p.Level.DelayNS))
	switch p.Protocol {
	case Duel:
		p.Rounds = max(leastRounds, int(load/trial))
		if p.Level.Open() { // six trials of ten seconds would leave an hour's budget without a verdict
			p.Rounds = leastRounds
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
		p.Rounds, p.Looks, p.Pilots, p.RewarmNS, p.Ceiling, p.Controls = 1, nil, 0, 0, "", nil
		if p.Epochs == 0 {
			p.Epochs = 1
		}
		return nil
	}
	p.TrialNS, p.RewarmNS = int64(trial), Rewarm(&result.Plan{RewarmNS: int64(rewarm)}, p.Level)
	return nil
}

// Cost is what a plan takes, told before it starts.
type Cost struct {
	Starters     int // contestants and controls of a round
	Pairs        int // that are compared
	Epoch        time.Duration
	Epochs       int           // after the pilots, until the last look
	Trials       int           // until the last look, pilots among them
	FirstVerdict time.Duration // 0: there are no verdicts
	Whole        time.Duration // until the last look, no round void; 0: unknown
	Looks        []stats.Look
}

// reserve is the share of the budget that is kept for void rounds and for a machine that slows down.
const reserve = 0.07

// Estimate tells the cost of p, or an error that names the least budget that can reach its end, for a duel a verdict.
func Estimate(p *result.Plan) (Cost, error) {
	switch p.Protocol {
	case Sweep, Classic, Search:
		return estimateAll(p)
	}
	c := Cost{Starters: len(p.Contestants) + len(p.Controls), Pairs: pairs(len(p.Contestants))}
	pilot := pilotsEstimate(p)
	c.Epoch = estimateEpoch(p, p.Pilots)
	left := time.Duration(p.BudgetNS) - pilot
	c.Looks = looks(p.Looks, int(float64(left)*(1-reserve)/float64(c.Epoch)), c.Pairs, p.Alpha)
	if len(c.Looks) == 0 {
		least := pilot + time.Duration(float64(stats.MinEpochs(c.Pairs, p.Alpha))*float64(c.Epoch)/(1-reserve))
		return c, fmt.Errorf("a budget of %v cannot reach a verdict on %d pairs: one epoch takes about %v, and at least %d are needed; give --budget %v or more, or fewer --contestants",
			time.Duration(p.BudgetNS), c.Pairs, c.Epoch.Round(100*time.Millisecond), stats.MinEpochs(c.Pairs, p.Alpha), ceil(least, 10*time.Second))
	}
	c.Epochs = c.Looks[len(c.Looks)-1].N
	c.FirstVerdict = pilot + time.Duration(c.Looks[0].N)*c.Epoch
	c.Whole = pilot + time.Duration(c.Epochs)*c.Epoch
	c.Trials = p.Rounds * (c.Epochs*c.Starters + p.Pilots*len(starters(p, true)))
	return c, nil
}

// estimateAll is Estimate for a plan that is carried out whole.
func estimateAll(p *result.Plan) (Cost, error) {
	c := Cost{Starters: len(p.Contestants) + len(p.Controls), Epochs: p.Epochs * len(parts(p))}
	for e := range p.Pilots + c.Epochs {
		c.Whole += estimateEpoch(p, e)
		c.Trials += p.Rounds * len(entrants(p, e))
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

// pairs is the size of Holm's family among k contestants; one contestant alone is compared with nobody, but still judged at one look.
func pairs(k int) int { return max(1, k*(k-1)/2) }

// looks picks from the candidates those that fit; where none does, one look at all that fit, if Holm can use it.
func looks(candidates []int, fits, m int, alpha float64) []stats.Look {
	if l := stats.Looks(candidates, fits, m, alpha); len(l) > 0 {
		return l
	}
	return stats.Looks([]int{fits}, fits, m, alpha)
}

func pilotsEstimate(p *result.Plan) (sum time.Duration) {
	for e := range p.Pilots {
		sum += estimateEpoch(p, e)
	}
	return sum
}

func estimateEpoch(p *result.Plan, epoch int) time.Duration {
	var sum time.Duration
	managed := 0
	names := starters(p, epoch < p.Pilots)
	for _, name := range names {
		if slices.Contains(p.Managed, name) {
			sum += startManaged
			managed++
		} else {
			sum += startNative - WarmNative + WarmLeast(p, false)
		}
	}
	if p.Protocol == Search {
		return sum + estimateSearch(p)
	}
	for _, e := range entrants(p, epoch) {
		sum += time.Duration(p.Rounds) * (time.Duration(trialOf(p, e.level)+Rewarm(p, e.level)+e.level.DelayNS) + trialOverhead)
	}
	if managed > 0 && p.Protocol != Classic {
		native := time.Duration(len(names)-managed) * WarmLeast(p, false)
		sum += max(0, WarmLeast(p, true)+WarmQuiet-native)
	}
	return sum
}

// Looks are the looks of the run, fixed when its pilots end: those candidates that fit the rest of the budget at the pace of the pilots.
// Before that they are those of the estimate.
func Looks(run *result.Run) []stats.Look {
	p := &run.Plan
	m := pairs(len(active(run, false)))
	if lastEpoch(run) < p.Pilots {
		if c, err := Estimate(p); err == nil {
			return c.Looks
		}
		return nil
	}
	left := float64(p.BudgetNS-pilotsEnd(run)) * (1 - reserve)
	if whole(p) {
		return nil
	}
	if l := looks(p.Looks, int(left/float64(pilotCost(run))), m, p.Alpha); len(l) > 0 {
		return l
	}
	least := stats.MinEpochs(m, p.Alpha) // no verdict fits at this pace; it may still get better
	return looks([]int{least}, least, m, p.Alpha)
}

// elapsed is the time from the first trial's epoch start to the last trial's end, without the pauses of a run that was resumed, ns.
func elapsed(run *result.Run) int64 {
	if len(run.Trials) == 0 {
		return 0
	}
	last := run.Trials[len(run.Trials)-1]
	paused := int64(0)
	for _, r := range run.Resumes {
		if r.Epoch <= last.Epoch {
			paused += r.PausedNS
		}
	}
	return last.EndedUnixNS - begin(run) - paused
}

// begin is when the first process of the run was started for measuring.
func begin(run *result.Run) int64 {
	if len(run.Launches) > 0 {
		return run.Launches[0].StartedUnixNS
	}
	return run.Trials[0].StartedUnixNS
}

// pilotsEnd is the time that the pilots took, ns.
func pilotsEnd(run *result.Run) int64 {
	var end int64
	for i := range run.Trials {
		if t := &run.Trials[i]; t.Epoch < run.Plan.Pilots {
			end = t.EndedUnixNS
		}
	}
	if end == 0 {
		return 0
	}
	return end - begin(run)
}

// pilotCost is the time of one epoch at the pace of the pilots, without the ceiling's server, ns; the estimate where there are none.
func pilotCost(run *result.Run) int64 {
	p := &run.Plan
	est := int64(estimateEpoch(p, p.Pilots))
	if p.Pilots == 0 || pilotsEnd(run) == 0 {
		return est
	}
	scale := float64(pilotsEnd(run)) / float64(pilotsEstimate(p))
	return int64(scale * float64(est))
}

// epochCost is the mean time of the epochs so far, the pilots left out, ns.
func epochCost(run *result.Run) int64 {
	n := int64(lastEpoch(run) - run.Plan.Pilots + 1)
	if n <= 0 {
		return pilotCost(run)
	}
	return (elapsed(run) - pilotsEnd(run)) / n
}

// Progress says how many trials stand, how many there will be at most, and how long that takes at the pace so far.
func Progress(run *result.Run) (done, total int, left time.Duration) {
	p := &run.Plan
	epochs := p.Epochs * len(parts(p))
	if !whole(p) {
		looks := Looks(run)
		if len(looks) == 0 {
			return len(run.Trials), len(run.Trials), 0
		}
		epochs = looks[len(looks)-1].N
	}
	gone := 0 // contestants that failed
	for _, name := range starters(p, false) {
		if run.FailureOf(name) != nil {
			gone++
		}
	}
	share := 1 - float64(gone)/float64(len(starters(p, false)))
	var whole time.Duration
	for e := range p.Pilots + epochs {
		n := float64(p.Rounds * len(entrants(p, e)))
		total += int(n*share + 0.5)
		whole += estimateEpoch(p, e)
	}
	done = len(run.Trials)
	if p.Protocol != Classic { // which repeats nothing
		void, _ := Voided(run)
		done -= void
	}
	done = min(done, total)
	pace := 1.0
	if est := pilotsEstimate(p); est > 0 && pilotsEnd(run) > 0 {
		pace = float64(pilotsEnd(run)) / float64(est)
	}
	left = time.Duration(pace * share * float64(whole) * float64(total-done) / float64(max(total, 1)))
	return done, total, min(left, max(0, time.Duration(p.BudgetNS-elapsed(run))))
}

func ceil(d, unit time.Duration) time.Duration { return (d + unit - 1) / unit * unit }
