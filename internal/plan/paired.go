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
	defer func() { // no more than there will be epochs
		p.Links.Layouts = min(p.Links.Layouts, p.Pilots+max(stats.Least, fits(p)))
	}()
	defer func() {
		if _, err := estimateRounds(p); err != nil && p.Long.NS > 0 { // the verdict comes first
			p.Long.NS, p.Long.Absent = 0, shortBudget
		}
		if _, err := estimateRounds(p); err != nil && q.Study == "" && !p.Fresh() && !isTail(p.Primary) {
			p.Epochs = []int{3, 5, stats.Least - 1}
		}
	}()
	if pr.name != Standard || q.Rounds > 0 || len(q.Cells) > 0 && len(q.Levels) > 1 || p.Fresh() {
		return
	}
	if q.Study == "" {
		fit(p, r, q, pr)
		return
	}
	for p.Rounds > studyRounds && !reaches(p) { // else a disturbed epoch, or a slow day, exceeds the budget
		p.Rounds--
	}
}

// studyRounds is the smallest number to which a study's budget may reduce the rounds in an
// epoch.
const studyRounds = 8

// reaches reports whether the budget has time for some epochs more than the minimum that can show a
// difference.
func reaches(p *record.Plan) bool {
	c, err := estimateRounds(p)
	return err == nil && c.Analyses[len(c.Analyses)-1].N >= stats.Least+spareEpochs
}

// fit makes a short budget reach a result. It first reduces the rounds in an epoch and, if that
// is not enough, uses the brief profile. It takes the first plan that has time for some epochs
// more than the minimum that can show a difference. With managed contestants, an epoch is mostly
// warm-up, so fewer rounds save little.
func fit(p *record.Plan, r *Request, q *Question, pr *profile) {
	for {
		switch {
		case reaches(p):
			return
		case p.Rounds > leastRounds:
			p.Rounds--
		case pr.name == brief:
			return
		default:
			pr = profiles[brief]
			p.Profile = pr.name
			lay(p, r, q, pr)
		}
	}
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
	trial := pr.trial
	for _, l := range p.Levels {
		trial = max(trial, 20*time.Duration(l.DelayNS))
	}
	p.Rounds, p.Pilots = max(leastRounds, int(pr.load/trial)), pr.pilots*len(partsWith(p, true))
	if pr.ranksTail() && p.First().Open() {
		p.Rounds = tailRounds
	}
	if len(p.Levels) > 1 {
		trial = pr.trial // for each level: see trialOf
	}
	if pr.pilots == 1 && len(p.Controls) == 0 && len(p.Levels) == 1 && p.First().RateShare == 0 && p.Backend == "" {
		p.Pilots = 0 // there is no ceiling or rate to be found, and the first epoch finds the warm-up times
	}
	pr.times(p, trial)
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
	single := pairs(p) == 1 && p.Alpha == defaultAlpha && !isTail(p.Primary) && !p.Fresh()
	p.Epochs = stats.Candidates(single, most)
	budget := pr.budget
	if len(p.Contestants) > 4 {
		budget = cmp.Or(pr.manyBudget, budget)
	}
	p.BudgetNS = int64(cmp.Or(r.Budget, q.Budget, budget))
	openLoads(p, r, q)
	if p.Long.NS, p.Long.Absent = longLoads(p); !p.Fresh() {
		p.Load.UnloadedNS = unloadedNS
	}
}

// alongside adds a level at which all contestants are loaded at a common rate and nothing is
// compared. It does so for a plan with one closed loop, if the profile sets a share for that rate.
func alongside(p *record.Plan, pr *profile) {
	if pr.share == 0 || len(p.Levels) > 1 || p.First().Open() || p.Fresh() {
		return
	}
	common := p.First()
	common.RateShare = pr.share
	p.Levels, p.ExtraEpochs = []record.Level{p.First(), common}, append(p.ExtraEpochs, p.ExtraEpochs[0])
	p.Cells = nil
	p.Complete()
}

// interims returns the analyses in a run that fits so many epochs. Tails and fresh processes vary
// too much for analyses before stats.Least epochs.
func interims(p *record.Plan, fits int) []stats.Interim {
	candidates := slices.DeleteFunc(slices.Clone(p.Epochs), func(n int) bool {
		return n < stats.Least && (isTail(p.Primary) || p.Fresh())
	})
	return stats.Interims(candidates, fits, p.Alpha)
}

// seconds formats an estimated time.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// fits returns the number of epochs that fit the budget.
func fits(p *record.Plan) (n int) {
	most, left := slices.Max(append([]int{0}, p.Epochs...)), time.Duration(p.BudgetNS)-verifyEstimate(p)-LongCost(p)
	if most == 0 {
		return 0
	}
	for e, x := range play(&record.Run{Plan: *p}) {
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
func estimateRounds(p *record.Plan) (Cost, error) {
	if err := cmp.Or(checkPairs(p), checkLevels(p)); err != nil {
		return Cost{}, &RequestError{err}
	}
	c := Cost{Pairs: pairs(p)}
	c.Whole = verifyEstimate(p) + longCost(p, LongRest)
	c.Analyses = interims(p, fits(p))
	if len(c.Analyses) == 0 {
		n := stats.Fewest(p.Epochs)
		all := Cost{Epochs: epochsUntil(p, n)}
		pilots := all.add(&record.Run{Plan: *p}, p.Pilots)
		epochs := all.Whole - pilots
		least := verifyEstimate(p) + LongCost(p) + pilots + time.Duration(float64(epochs)/(1-reserve))
		pairs, fewer := fmt.Sprintf("%d pairs", c.Pairs), ", or fewer --contestants"
		switch {
		case c.Pairs == 1:
			pairs, fewer = "one pair", ""
		case !p.Ranks():
			fewer = ", or fewer compared pairs"
		}
		before := "the verification takes about " + seconds(verifyEstimate(p))
		if p.Pilots > 0 {
			before += fmt.Sprintf(", %s %s", document.Count(p.Pilots, "pilot epoch"), seconds(pilots))
		}
		if long := LongCost(p); long > 0 {
			before += ", long loads at the end " + seconds(long)
		}
		return c, refuse("a budget of %v cannot reach a verdict on %s: %s, and at least %d epochs of %s each are needed, "+
			"with %.0f %% in reserve; pass --budget %v or more%s", time.Duration(p.BudgetNS), pairs, before, all.Epochs,
			seconds(epochs/time.Duration(all.Epochs)), 100*reserve, ceil(least, 10*time.Second), fewer)
	}
	c.Epochs = epochsUntil(p, c.Analyses[len(c.Analyses)-1].N)
	c.FirstVerdict = c.add(&record.Run{Plan: *p}, p.Pilots+epochsUntil(p, c.Analyses[0].N))
	return c, nil
}
