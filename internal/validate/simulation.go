package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"dyno/internal/analysis"
	"dyno/internal/plan"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// Profile is how a duel is planned.
type Profile struct {
	Name   string
	Rounds int
	Riders int // controls in each round: they take time, and are not compared with the contestants
	Looks  func(k int) []stats.Look
}

// Full and Quick are the profiles that are simulated, as plan has them. The looks of quick are those that the planner's own estimate fits into
// 6 minutes, or 10 for more than four contestants; full takes all of its looks, as if there were no budget.
var (
	Full  = Profile{Name: "full", Rounds: duelPlan("full", 2).Rounds, Riders: 3, Looks: fullLooks}
	Quick = Profile{Name: "quick", Rounds: duelPlan("quick", 2).Rounds, Riders: 2, Looks: quickLooks}
)

func fullLooks(k int) []stats.Look {
	candidates := duelPlan("full", k).Looks
	return stats.Looks(candidates, slices.Max(candidates), k*(k-1)/2, Alpha)
}

func quickLooks(k int) []stats.Look {
	p := duelPlan("quick", k)
	c, err := plan.Estimate(&p)
	if err != nil {
		panic(err) // the budgets of duelPlan are enough
	}
	return c.Looks
}

// duelPlan is the plan of dyno run for k native contestants.
func duelPlan(profile string, k int) result.Plan {
	r := plan.Request{
		Profile: profile, Controls: []string{"ref", "ref'"}, Primary: "throughput", Alpha: Alpha, Margin: Margin, Budget: 6 * time.Minute,
	}
	if k > 4 {
		r.Budget = 10 * time.Minute
	}
	for i := range k {
		r.Contestants = append(r.Contestants, serverName(i))
	}
	p, err := plan.New(r, plan.World{})
	if err != nil {
		panic(err)
	}
	return p
}

func serverName(i int) string { return fmt.Sprintf("server%d", i) }

// Truths of the simulation: all alike, the first of them faster by 5 %, by the margin of a tie, and by twice that.
var truths = map[string]float64{"A/A": 0, "5 %": math.Log1p(.05), "3 %": math.Log1p(.03), "6 %": math.Log1p(.06)}

// Cell is one cell of the simulation: many duels of k servers in one noise. All rates are of duels.
type Cell struct {
	Noise   string
	Profile string
	K       int
	Truth   string

	Looks    []int
	False    Rate   // an equal pair was called different, or different within the margin
	Found    []Rate // by each look: the first was found faster than the second
	Wrong    Rate   // a pair that differs was called different the wrong way round
	Tie      Rate   // the first and second were called a tie
	Held     Rate   // the interval that stood at the end holds the true ratio of the first two
	Ranks    Rate   // all rank intervals hold the true ranks
	Fixed    map[int]Rate
	PairSD   float64 // of one pair's d, median over the duels
	Duration float64 // epochs that a duel took, mean
}

// fixedAt are the numbers of epochs at which the coverage of the 95 % interval is measured, without looking before.
var fixedAt = []int{8, 12, 16, 24, 48}

// played is what one duel showed.
type played struct {
	false, wrong, tie, held, ranks bool
	found, fixed                   []bool
	sd, epochs                     float64
}

// simulate plays reps duels of one cell.
func simulate(ctx context.Context, seed uint64, reps int, noise Noise, pr Profile, k int, truth string) Cell {
	c := Cell{Noise: noise.Name, Profile: pr.Name, K: k, Truth: truth}
	looks := pr.Looks(k)
	for _, l := range looks {
		c.Looks = append(c.Looks, l.N)
	}
	purpose := fmt.Sprintf("%s/%s/%d/%s", noise.Name, pr.Name, k, truth)
	all := repeat(ctx, reps, func(rep int) played {
		log := make([]float64, k+pr.Riders)
		log[0] = truths[truth]
		f := newField(noise, log, pr.Rounds, source(seed, purpose, rep))
		d := &duel{k: k, looks: looks, next: f.epoch}
		d.play()
		return see(d, log[0])
	})
	c.add(all)
	return c
}

// see is what a duel showed, of which the first server is the faster by log and all others are alike.
func see(d *duel, log float64) (p played) {
	end := d.end()
	for i, c := range couples(d.k) {
		v := end[i].Verdict
		differs := v == analysis.Different || v == analysis.Negligible
		if c[0] > 0 || log == 0 {
			p.false = p.false || differs
		} else {
			p.wrong = p.wrong || differs && !end[i].Up
		}
	}
	p.tie = end[0].Verdict == analysis.Tie
	p.held = math.Log(end[0].Ratio.Lo) <= log && log <= math.Log(end[0].Ratio.Hi)
	p.ranks = ranksHold(d.k, end, log)
	for _, l := range d.looks {
		p.found = append(p.found, d.found(0, l.N))
	}
	p.epochs = float64(d.looks[len(d.at)-1].N)
	p.sd = stats.MAD(d.d[0])
	if d.k == 2 {
		d.extend(fixedAt[len(fixedAt)-1])
		for _, n := range fixedAt {
			_, lo, hi := stats.HodgesLehmann(d.d[0][:n], 0.95)
			p.fixed = append(p.fixed, lo <= log && log <= hi)
		}
	}
	return p
}

// ranksHold reports whether every rank interval holds the ranks that its server may rightly claim: the first its own, those alike any of
// theirs.
func ranksHold(k int, js []analysis.Judgement, log float64) bool {
	number := map[[2]int]int{}
	for i, c := range couples(k) {
		number[c] = i
	}
	lo, hi := analysis.Ranks(k, func(i, j int) bool {
		at, up := [2]int{min(i, j), max(i, j)}, i < j
		v := js[number[at]]
		return v.Verdict == analysis.Different && v.Up == up
	})
	for i := range k {
		from, to := 1, k
		if log > 0 && i == 0 {
			to = 1
		} else if log > 0 {
			from = 2
		}
		if lo[i] > from || hi[i] < to {
			return false
		}
	}
	return true
}

func (c *Cell) add(all []played) {
	c.False = count(all, func(p played) bool { return p.false })
	c.Wrong = count(all, func(p played) bool { return p.wrong })
	c.Tie = count(all, func(p played) bool { return p.tie })
	c.Held = count(all, func(p played) bool { return p.held })
	c.Ranks = count(all, func(p played) bool { return p.ranks })
	for i := range c.Looks {
		c.Found = append(c.Found, count(all, func(p played) bool { return i < len(p.found) && p.found[i] }))
	}
	c.Fixed = map[int]Rate{}
	var sds []float64
	for _, p := range all {
		c.Duration += p.epochs / float64(len(all))
		sds = append(sds, p.sd)
	}
	c.PairSD = stats.Median(sds)
	for i, n := range fixedAt {
		if c.K == 2 {
			c.Fixed[n] = count(all, func(p played) bool { return i < len(p.fixed) && p.fixed[i] })
		}
	}
}

// simulation plays all cells: every noise × k, all alike and with one faster; and for two servers those at the edge of a tie.
func simulation(ctx context.Context, o *Options) []Cell {
	var cells []Cell
	for _, pr := range []Profile{Full, Quick} {
		for _, noise := range Noises {
			for _, k := range sizes {
				for _, truth := range []string{"A/A", "5 %", "3 %", "6 %"} {
					edge := truth == "3 %" || truth == "6 %"
					if edge && k > 2 {
						continue
					}
					o.tell("simulation: %s, %d servers, %s, %s", pr.Name, k, truth, noise.Name)
					cells = append(cells, simulate(ctx, o.Seed, o.Reps, noise, pr, k, truth))
				}
			}
		}
	}
	return cells
}

// sizes are the numbers of contestants that are simulated.
var sizes = []int{2, 4, 10}
