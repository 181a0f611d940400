package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dyno/internal/checks"
	"dyno/internal/document"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// paired is the default protocol: all contestants are resident, pinned and frozen except the one
// under load, and short trials in random order are compared round by round. It ends at the interim
// analysis that decides all pairs, at the last one, or with its budget.
type paired struct{ plain }

var pairedTraits = Traits{
	Name: Paired, Title: "paired comparison", Kind: checks.Paired, Decides: true,
	Flags: []string{"rate", "epochs"},
}

// Traits implements Protocol.
func (paired) Traits() *Traits { return &pairedTraits }

// Words implements Protocol.
func (paired) Words(p *result.Plan, c *Cost) string {
	each, most := time.Duration(p.TrialNS).String(), time.Duration(p.BudgetNS).String()
	if p.Fresh {
		each = document.Count(p.Requests, "request")
		most += " and one load more"
	}
	verdict := fmt.Sprintf("first verdict possible after %v", c.FirstVerdict.Round(time.Second))
	anew := "each with freshly started servers"
	switch len(p.Attached) {
	case 0:
	case len(p.Contestants):
		anew = "each a block of rounds on the running servers"
	default:
		anew += ", except those that were already running"
	}
	return fmt.Sprintf("about %v, at most %s; %s of %s in %s, %s; %s%s", c.Whole.Round(time.Second), most,
		document.Count(c.Trials, "trial"), each, document.Count(c.Epochs+p.Pilots, "epoch"),
		anew, verdict, openWords(p))
}

func (paired) levels(p *result.Plan, q *Question) {
	p.Fresh = q.Fresh
	if len(q.Levels) > 1 {
		p.Levels, p.LevelNames, p.Cells = slices.Clone(q.Levels), q.LevelNames, q.Cells
		p.Family, p.Uncontrolled, p.LevelExtraEpochs = q.Family, q.Uncontrolled, q.LevelExtraEpochs
	}
}

func (d paired) arrange(p *result.Plan, r *Request, q *Question, pr *profile) {
	d.lay(p, r, q, pr)
	defer func() {
		if _, err := d.estimate(p); err != nil && p.LongNS > 0 { // the verdict comes first
			p.LongNS, p.NoLong = 0, shortBudget
		}
		if _, err := d.estimate(p); err != nil && q.Study == "" && !p.Fresh && !isTail(p.Primary) {
			all := p.Analyses
			if p.Analyses = []int{3, 5, stats.Least - 1}; len(interims(p, d.fits(p))) == 0 {
				p.Analyses = all
			}
		}
	}()
	if pr.name != Standard || q.Rounds > 0 || len(p.Cells) > 0 || p.Fresh {
		return
	}
	if q.Study == "" {
		d.fit(p, r, q, pr)
		return
	}
	for p.Rounds > studyRounds && !d.reaches(p) { // else a disturbed epoch, or a slow day, exceeds the budget
		p.Rounds--
	}
}

// studyRounds is the smallest number of rounds of an epoch to which a study's budget may reduce
// them.
const studyRounds = 8

// reaches reports whether the budget has time for some epochs more than the minimum that can show a
// difference.
func (d paired) reaches(p *result.Plan) bool {
	c, err := d.estimate(p)
	return err == nil && c.Analyses[len(c.Analyses)-1].N >= stats.Least+spareEpochs
}

// fit makes a short budget reach a result. It first reduces the rounds of an epoch and, if that is
// not enough, uses the brief profile. It takes the first plan that has time for some epochs more
// than the minimum that can show a difference. With managed contestants, warm-up takes most of an
// epoch, so fewer rounds save little.
func (d paired) fit(p *result.Plan, r *Request, q *Question, pr *profile) {
	for {
		switch {
		case d.reaches(p):
			return
		case p.Rounds > leastRounds:
			p.Rounds--
		case pr.name == brief:
			return
		default:
			pr = profiles[brief]
			p.Profile = pr.name
			d.lay(p, r, q, pr)
		}
	}
}

// MostLayouts is in how many orders of its functions a contestant is linked at most: as many as a run has epochs.
const MostLayouts = 16

// LayoutsOf returns in how many orders of its functions each of so many contestants is linked. With four,
// the interval of 12 epochs is of these four: 6 of 40 live runs told two links of one source apart
// (validation/README.md, Live). But each takes time to link, and space: of all contestants together there
// are 64, and of each four all the same.
func LayoutsOf(contestants int) int {
	return min(MostLayouts, max(4, 4*MostLayouts/max(1, contestants)))
}

// spareEpochs is the number of epochs that may be discarded before too few are left.
const spareEpochs = 2

// lay sets times, rounds and analyses as the profile prescribes.
func (paired) lay(p *result.Plan, r *Request, q *Question, pr *profile) {
	if pr.share > 0 && len(p.Levels) == 0 && !p.Level.Open() && !p.Fresh {
		common := p.Level // beside what is decided
		common.RateShare = pr.share
		p.Levels = []result.Level{p.Level, common}
	}
	if len(p.Levels) > 0 {
		p.ExtraEpochs = q.ExtraEpochs
	}
	trial := max(pr.trial, 20*time.Duration(p.Level.DelayNS))
	for _, l := range p.Levels {
		trial = max(trial, 20*time.Duration(l.DelayNS))
	}
	p.Rounds, p.Pilots = max(leastRounds, int(pr.load/trial)), pr.pilots*len(partsWith(p, true))
	if pr.ranksTail() && p.Level.Open() { // six trials of ten seconds would leave an hour's budget without a verdict
		p.Rounds = leastRounds
	}
	if len(p.Levels) > 0 {
		trial = pr.trial // of each level: see trialOf
	}
	pr.times(p, trial)
	p.Chained = !p.Fresh
	p.Rounds = cmp.Or(q.Rounds, p.Rounds)
	if p.Fresh { // nothing is to be found out before, and a second load would not be the first
		p.Rounds, p.Pilots, p.Requests = 1, 0, q.Requests
	}
	most := 24
	if pr.long || pairs(p, p.Contestants) > 1 {
		most = 48
	}
	most = cmp.Or(p.Epochs, q.Epochs, most)
	p.Epochs, p.Layouts, p.Relink = 0, LayoutsOf(len(p.Contestants)), r.Relink
	p.Analyses = slices.DeleteFunc([]int{3, 5, stats.Least, 12, 24}, func(n int) bool { return n >= most })
	p.Analyses = append(p.Analyses, most)
	budget := pr.budget
	if len(p.Contestants) > 4 {
		budget = pr.manyBudget
	}
	p.BudgetNS = int64(cmp.Or(r.Budget, q.Budget, budget))
	openLoads(p, r, q)
	if p.LongNS, p.NoLong = longLoads(p); !p.Fresh {
		p.UnloadedNS = unloadedNS
	}
}

// interims returns the analyses of a run that fits so many epochs: no early ones of a tail and of fresh processes, which
// vary by more than these can know.
func interims(p *result.Plan, fits int) []stats.Interim {
	return stats.Interims(candidates(p), fits, p.Alpha)
}

// candidates returns the numbers of epochs after which a plan may be analysed.
func candidates(p *result.Plan) []int {
	if isTail(p.Primary) || p.Fresh {
		return slices.DeleteFunc(slices.Clone(p.Analyses), func(n int) bool { return n < stats.Least })
	}
	return p.Analyses
}

// stop calls decided at each interim analysis.
func (paired) stop(run *result.Run, epoch int, decided func() bool) Stop {
	analyses, n, valid := Analyses(run), counted(run), Epochs(run)
	for i, l := range analyses {
		if l.N != n || !slices.Contains(valid, epoch) || l.N != among(run, valid, partAt(&run.Plan, epoch)) {
			continue // not reached, or by an earlier epoch
		}
		if decided() {
			return Decided
		}
		if i == len(analyses)-1 {
			return LastAnalysis
		}
	}
	return overspent(run)
}

// fits returns how many epochs fit the budget.
func (paired) fits(p *result.Plan) (n int) {
	left := time.Duration(float64(time.Duration(p.BudgetNS)-fixedCost(p)) * (1 - reserve))
	of := estimates(p)
	for e := p.Pilots; n < slices.Max(append([]int{0}, p.Analyses...)); n++ {
		for ; e < p.Pilots+epochsUntil(p, n+1); e++ {
			took, _ := of(e)
			left -= took
		}
		if left < 0 {
			break
		}
	}
	return n
}

// fixedCost returns the time that a run takes however many epochs follow its pilots.
func fixedCost(p *result.Plan) time.Duration {
	var pilots Cost
	return verifyEstimate(p) + LongCost(p) + pilots.add(p, p.Pilots)
}

// estimate returns the cost until the last interim analysis that fits the budget.
func (d paired) estimate(p *result.Plan) (Cost, error) {
	if err := cmp.Or(checkPairs(p), checkLevels(p)); err != nil {
		return Cost{}, &RequestError{err}
	}
	c := Cost{Pairs: pairs(p, p.Contestants)}
	c.Whole = verifyEstimate(p) + longCost(p, LongRest)
	c.Analyses = interims(p, d.fits(p))
	if len(c.Analyses) == 0 {
		n := stats.Fewest(p.Analyses)
		all := Cost{Epochs: epochsUntil(p, n)}
		pilots := all.add(p, p.Pilots)
		epochs := all.Whole - pilots
		least := fixedCost(p) + time.Duration(float64(epochs)/(1-reserve))
		pairs, fewer := fmt.Sprintf("%d pairs", c.Pairs), ", or fewer --contestants"
		switch {
		case c.Pairs == 1:
			pairs, fewer = "one pair", ""
		case len(p.Family) > 0:
			fewer = ", or fewer named pairs"
		}
		return c, refuse("a budget of %v cannot reach a verdict on %s: an epoch takes about %v, and at least %d "+
			"are needed; pass --budget %v or "+
			"more%s", time.Duration(p.BudgetNS), pairs, (epochs / time.Duration(all.Epochs)).Round(100*time.Millisecond),
			all.Epochs, ceil(least, 10*time.Second), fewer)
	}
	c.Epochs = epochsUntil(p, c.Analyses[len(c.Analyses)-1].N)
	c.FirstVerdict = c.add(p, p.Pilots+epochsUntil(p, c.Analyses[0].N))
	return c, nil
}
