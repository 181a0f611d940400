package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// arrangePaired sets up a paired comparison: all contestants are resident, pinned and frozen
// except the one under load, and short trials in random order are compared round by round. It
// ends at the interim analysis that decides all pairs, at the last one, or with its budget.
func arrangePaired(p *record.Plan, r *Request, q *Question, pr *profile) {
	lay(p, r, q, pr)
	run := &record.Run{Plan: *p}
	for fewerLast(run, false) {
	}
	switch {
	case pr.name != Standard || q.Rounds > 0 || len(q.Cells) > 0 && len(q.Levels) > 1 || p.Fresh():
	case q.Study == "":
		shorten(run, leastRounds)
	default: // else a disturbed epoch, or a slow day, exceeds the budget
		shorten(run, studyRounds)
	}
	fit(run)
	*p = run.Plan
	p.Links.Layouts = min(p.Links.Layouts, p.Pilots+max(stats.Least, fits(run))) // no more than there will be epochs
}

// studyRounds is the smallest number to which a study's budget may reduce the rounds in an
// epoch.
const studyRounds = 8

// reaches reports whether the budget has time for some epochs more than the minimum that can show a
// difference.
func reaches(run *record.Run) bool {
	c, err := estimateRounds(run)
	return err == nil && c.Analyses[len(c.Analyses)-1].N >= stats.Least+spareEpochs
}

// shorten makes a short budget reach a result. It first omits the long loads on all but two contestants,
// then reduces the rounds in an epoch and, if leastRounds are not enough, uses the brief profile. It takes
// the first plan that has time for some epochs more than the minimum that can show a difference. With
// managed contestants, an epoch is mostly warm-up, so fewer rounds save little.
func shorten(run *record.Run, least int) {
	p := &run.Plan
	for p.Long.Contestants > 2 && !reaches(run) {
		p.Long.Contestants--
	}
	for p.Rounds > least && !reaches(run) {
		p.Rounds--
	}
	if least == leastRounds && !reaches(run) {
		p.Profile = brief
	}
}

// fit omits loads after the epochs if the budget is too short for them and a verdict. If it is too short
// even so, a plan outside of a study gets analyses after fewer epochs.
func fit(run *record.Run) {
	p := &run.Plan
	_, err := estimateRounds(run)
	for fewerLast(run, err != nil) { // the verdict comes first
		_, err = estimateRounds(run)
	}
	if err != nil && p.Study.Slug == "" && !p.Fresh() {
		p.Epochs = []int{3, 5, stats.Least - 1}
	}
}

// Refit fits the plan of a run whose contestants are verified to their costs, where these leave time for
// fewer epochs than were planned. It returns nil if this changes nothing, or if the plan's rounds are fixed.
func Refit(run *record.Run) *record.Refit {
	p, fitted := &run.Plan, begun(run)
	fixed := !p.InRounds() || p.Fresh() || p.Study.Slug != "" || len(p.Levels) > 1 ||
		p.Profile != Standard && p.Profile != brief
	if fixed || fits(run) >= fits(&record.Run{Plan: *p}) {
		return nil
	}
	shorten(fitted, leastRounds)
	fit(fitted)
	q := &fitted.Plan
	if q.Profile == p.Profile && q.Rounds == p.Rounds && slices.Equal(q.Epochs, p.Epochs) && q.Last == p.Last {
		return nil
	}
	return &record.Refit{Profile: q.Profile, Rounds: q.Rounds, Epochs: q.Epochs, Last: q.Last}
}

// MostLayouts is the largest number of function orders in which a contestant is linked.
const MostLayouts = 16

// LayoutsOf returns the number of function orders in which each contestant is linked. With four,
// the interval over 12 epochs covers only these four: 6 in 40 live runs reported a difference
// between two links from one source (validation/README.md, Live). But each link takes time and
// space: all contestants together get at most 64, or four each if there are more than 16.
func LayoutsOf(contestants int) int {
	return min(MostLayouts, max(4, 4*MostLayouts/max(1, contestants)))
}

// spareEpochs is the number of epochs that may be discarded before too few are left.
const spareEpochs = 2

// lay sets times, rounds and analyses as the profile prescribes.
func lay(p *record.Plan, r *Request, q *Question, pr *profile) {
	trial := shortTrial
	for _, l := range p.Levels {
		trial = max(trial, 20*time.Duration(l.DelayNS))
	}
	p.Rounds, p.Pilots = max(leastRounds, int(pr.load/trial)), pr.pilots*len(partsWith(p, true))
	if len(p.Levels) > 1 {
		trial = shortTrial // for each level: see trialOf
	}
	if pr.pilots == 1 && len(p.Controls) == 0 && len(p.Levels) == 1 && p.Source() == "" {
		p.Pilots = 0 // there is no ceiling to be found, and the first epoch finds the warm-up times
	}
	times(p, trial)
	p.Rounds = cmp.Or(q.Rounds, p.Rounds)
	if p.Fresh() { // nothing is to be found out before, and a second load would not be the first
		p.Rounds, p.Pilots, p.Load.Requests = 1, 0, q.Requests
	}
	most := 24
	if pr.long || pairs(p) > 1 {
		most = 48
	}
	most = cmp.Or(r.Epochs, q.Epochs, most)
	p.Links.Layouts, p.Links.Relink = LayoutsOf(len(p.Contestants)), r.Relink
	single := pairs(p) == 1 && p.Alpha == defaultAlpha && !p.Fresh()
	p.Epochs = stats.Candidates(single, most)
	budget := pr.budget
	if len(p.Contestants) > 4 {
		budget = cmp.Or(pr.manyBudget, budget)
	}
	p.BudgetNS = int64(cmp.Or(r.Budget, q.Budget, budget))
	if p.Last = (record.Last{Long: longLoads(p), Rated: ratedLoads(p, r)}); !p.Fresh() {
		p.Load.UnloadedNS = unloadedNS
	}
}

// interims returns the analyses in a run that fits so many epochs. Fresh processes vary
// too much for analyses before stats.Least epochs. In a plan for less than stats.Least epochs all are
// made that the run reaches; else it is planned for no less.
func interims(p *record.Plan, fits int) []stats.Interim {
	fits = max(fits, min(stats.Least, mostEpochsOf(p)))
	candidates := slices.DeleteFunc(slices.Clone(p.Epochs), func(n int) bool {
		return n < stats.Least && p.Fresh()
	})
	return stats.Interims(candidates, fits, p.Alpha)
}

// mostEpochsOf returns the number of valid epochs that ends a run.
func mostEpochsOf(p *record.Plan) int { return slices.Max(append([]int{0}, p.Epochs...)) }

// seconds formats an estimated time.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// fits returns the number of epochs that fit the budget, by the plan and the contestants' costs.
func fits(run *record.Run) (n int) {
	run, p := begun(run), &run.Plan
	most, left := mostEpochsOf(p), time.Duration(p.BudgetNS)-verifyEstimate(run)-lastCost(run)
	if most == 0 {
		return 0
	}
	for e, x := range play(run) {
		if e == p.Pilots {
			left = time.Duration(float64(left) * (1 - reserve))
		}
		if left -= x.Whole; e >= p.Pilots && left < 0 {
			break
		}
		if e+1 == p.Pilots+epochsUntil(p, n+1) {
			if n++; n == most {
				break
			}
		}
	}
	return n
}

// estimateRounds returns the cost until the last interim analysis that fits the budget.
func estimateRounds(run *record.Run) (Cost, error) {
	run, p := begun(run), &run.Plan
	if err := cmp.Or(checkPairs(p), checkLevels(p)); err != nil {
		return Cost{}, &RequestError{err}
	}
	c := Cost{Pairs: pairs(p)}
	c.Whole = verifyEstimate(run) + longCost(run) + RatedCost(run)
	n, fewest := fits(run), stats.Fewest(p.Epochs)
	c.Analyses = interims(p, n)
	for _, a := range c.Analyses {
		c.Epochs = epochsUntil(p, min(n, a.N))
	}
	if len(c.Analyses) == 0 || n < fewest {
		all := Cost{Epochs: epochsUntil(p, fewest)}
		pilots := all.add(run, p.Pilots)
		epochs := all.Whole - pilots
		least := verifyEstimate(run) + lastCost(run) + pilots + time.Duration(float64(epochs)/(1-reserve))
		pairs, fewer := fmt.Sprintf("%d pairs", c.Pairs), ", or fewer --contestants"
		switch {
		case c.Pairs == 1:
			pairs, fewer = "one pair", ""
		case !p.Ranks():
			fewer = ", or fewer compared pairs"
		}
		before := "the verification takes about " + seconds(verifyEstimate(run))
		if p.Pilots > 0 {
			before += fmt.Sprintf(", %s %s", document.Count(p.Pilots, "pilot epoch"), seconds(pilots))
		}
		if last := lastCost(run); last > 0 {
			before += ", the loads at the end " + seconds(last)
		}
		return c, refuse("a budget of %v cannot reach a verdict on %s: %s, and at least %d epochs of %s each are needed, "+
			"with %.0f %% in reserve; pass --budget %v or more%s", time.Duration(p.BudgetNS), pairs, before, all.Epochs,
			seconds(epochs/time.Duration(all.Epochs)), 100*reserve, ceil(least, 10*time.Second), fewer)
	}
	c.FirstVerdict = c.add(run, p.Pilots+epochsUntil(p, c.Analyses[0].N))
	return c, nil
}
