package judge

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"dyno/internal/record"
	"dyno/internal/stats"
)

// Residual is the log of a trial's value minus the contestant's own level and the machine's effect
// in that round. Pairing does not cancel effects on residuals.
type Residual struct {
	Contestant             string
	Epoch, Round, Position int
	// the contestant loaded just before in this epoch, at whatever level (Follow); "" for the first
	After      string
	FromOthers float64 // distance from the median of the others in the round
	FromRound  float64 // distance from the round's median
	Machine    float64 // the round's median: how fast the machine was
}

// Residuals returns residuals for trials in rounds with at least two contestants, in order of
// epoch, round and position. Trials without the metric have none.
func Residuals(trials []*record.Trial, m Metric) []Residual {
	type value struct {
		trial *record.Trial
		log   float64
	}
	rounds := map[[2]int][]value{}
	levels := map[string][]float64{}
	for _, t := range trials {
		if v, ok := m.Of(t); ok && v > 0 {
			at := [2]int{t.Epoch, t.Round}
			rounds[at] = append(rounds[at], value{trial: t, log: math.Log(v)})
			levels[t.Contestant] = append(levels[t.Contestant], math.Log(v))
		}
	}
	level := map[string]float64{}
	for name, v := range levels {
		level[name] = stats.Median(v)
	}
	var out []Residual
	for _, round := range rounds {
		if len(round) < 2 {
			continue
		}
		slices.SortFunc(round, func(a, b value) int { return cmp.Compare(a.trial.Position, b.trial.Position) })
		apart := make([]float64, len(round))
		for i := range round {
			apart[i] = round[i].log - level[round[i].trial.Contestant]
		}
		all := stats.Median(apart)
		for i, v := range round {
			others := slices.Delete(slices.Clone(apart), i, i+1)
			out = append(out, Residual{Contestant: v.trial.Contestant, Epoch: v.trial.Epoch, Round: v.trial.Round,
				Position:   v.trial.Position,
				FromOthers: apart[i] - stats.Median(others), FromRound: apart[i] - all, Machine: all})
		}
	}
	slices.SortFunc(out, func(a, b Residual) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.Round, b.Round), cmp.Compare(a.Position, b.Position))
	})
	return out
}

// speedSpread returns the standard deviation of the machine's speed over the epochs of trials, in logs of m: the root
// of the mean product of two servers' distances from their own means in one epoch. No product holds one noise twice.
func speedSpread(trials []*record.Trial, m Metric) float64 {
	rs := Residuals(trials, m)
	speed := func(r Residual) float64 { return r.Machine + r.FromRound }
	whole, squared, epochs := levelsOf(rs, speed, stats.Mean), 0., 0.
	for _, epoch := range byEpoch(rs) {
		own := levelsOf(epoch, speed, stats.Mean)
		sum, squares, n := 0., 0., float64(len(own))
		for _, name := range slices.Sorted(maps.Keys(own)) { // a sum's last digit depends on the order
			v := own[name] - whole[name]
			sum, squares = sum+v, squares+v*v
		}
		squared, epochs = squared+(sum*sum-squares)/(n*(n-1)), epochs+1
	}
	return math.Sqrt(max(0, squared/max(1, epochs)))
}

// Follow sets After in rs. trials are all trials of the run in their order, including other levels
// and discarded trials.
func Follow(rs []Residual, trials []*record.Trial) {
	type place struct{ epoch, round, position int }
	before := map[place]string{}
	for i := range trials {
		t := trials[i]
		at := place{t.Epoch, t.Round, t.Position} // a repeated round takes the place of the discarded one
		if i > 0 && trials[i-1].Epoch == t.Epoch {
			before[at] = trials[i-1].Contestant
		} else {
			before[at] = ""
		}
	}
	for i := range rs {
		rs[i].After = before[place{rs[i].Epoch, rs[i].Round, rs[i].Position}]
	}
}

// Effect is the estimate of an effect that should not exist, in logs: each epoch contributes one
// value, and a family's effects are judged together (jointly), or below stats.Least epochs as pairs are
// at an early analysis.
type Effect struct {
	stats.Judged
	Epochs int
}

// Most returns the largest size that the 95 % interval allows, as a share.
func (e Effect) Most() float64 { return math.Expm1(math.Abs(e.Log) + e.Crit*e.SE) }

// Share returns the effect's size as a share, without its direction: 0.03 for 3 %.
func (e Effect) Share() float64 { return math.Expm1(math.Abs(e.Log)) }

// effects judges a family by name; NaN marks an epoch without a value.
func effects(family map[string][]float64) map[string]Effect {
	out, names := map[string]Effect{}, slices.Sorted(maps.Keys(family))
	var d [][]float64
	for _, name := range names {
		d = append(d, family[name])
	}
	for i, j := range jointly(d, 0.05) {
		x := present(d[i], all)
		if len(x) < stats.Least {
			js, _ := test([][]float64{x}, nil, 0.05/float64(len(d)), earlyRounds, true)
			j = js[0]
			j.P = min(1, j.P*float64(len(d)))
		}
		out[names[i]] = Effect{j, len(x)}
	}
	return out
}

// SpeedRatios returns how much each contestant changes relative to the others when the machine is
// fast rather than slow within an epoch (V16), scaled to the halves of a normal distribution. If a
// contestant suffers more from a slow machine, its comparison depends on the machine's state. At
// least two others are needed.
//
// Each epoch's value is the covariance, over its rounds, between two terms: the contestant's
// distance from a second server and a third server's speed, averaged over all choices for the two.
// No product contains the same noise twice, so the value is symmetric about 0 for a contestant that
// changes like the others. For the test, residuals are cut off at two standard deviations (MAD),
// because disturbances in single trials are not the machine's speed. Log reports the larger size
// with or without the cut: the first is too small, the second noisier.
//
// Note: comparing the median ratio to the reference in the slower and the faster half of the rounds
// would need no cut, but detected a contestant that suffers twice as much in only 7 of 10 runs
// (validation/README.md, traps).
func SpeedRatios(rs []Residual, contestants []string) map[string]Effect {
	const betweenHalves = 1.596 // of a normal distribution, in standard deviations: 2√(2/π)
	distances := make([]float64, len(rs))
	for i, r := range rs {
		distances[i] = r.FromRound
	}
	limit, family, sizes := 2*stats.MAD(distances), map[string][]float64{}, map[string]float64{}
	for _, name := range contestants {
		var test, known, whole, machine []float64
		for _, epoch := range byEpoch(rs) {
			cut, _, rounds := moves(epoch, name, limit)
			if rounds < 2 {
				test = append(test, math.NaN())
				continue
			}
			excess, common, _ := moves(epoch, name, math.Inf(1))
			test, known, whole, machine = append(test, cut), append(known, cut), append(whole, excess), append(machine, common)
		}
		if len(known) == 0 {
			continue
		}
		family[name] = test
		if v := stats.Mean(machine); v > 0 {
			most := stats.Mean(known)
			if x := stats.Mean(whole); math.Abs(x) > math.Abs(most) {
				most = x
			}
			sizes[name] = -most / v * betweenHalves * math.Sqrt(v)
		}
	}
	out := effects(family)
	for name, x := range out {
		x.Log = sizes[name]
		out[name] = x
	}
	return out
}

// moves returns two covariances over an epoch's rounds, with residuals cut off at limit: between a
// contestant's distance from a second server and a third server, and between two others, which is
// the variance of the machine's speed.
func moves(epoch []Residual, contestant string, limit float64) (excess, common float64, rounds int) {
	cut := func(r Residual) float64 { return r.Machine + max(-limit, min(limit, r.FromRound)) }
	level := levelsOf(epoch, cut, stats.Mean)
	for _, round := range byRound(epoch) {
		var x, sum, squares, others float64
		here := false
		for _, r := range round {
			v := cut(r) - level[r.Contestant]
			if r.Contestant == contestant {
				x, here = v, true
			} else {
				sum, squares, others = sum+v, squares+v*v, others+1
			}
		}
		if here && others >= 2 {
			two := (sum*sum - squares) / (others * (others - 1)) // the mean product of two different ones
			excess += x*sum/others - two
			common += two
			rounds++
		}
	}
	return excess / float64(rounds), common / float64(rounds), rounds
}

// OrderEffect returns the difference between a round's last and first position (V19), by the
// Theil–Sen slope over the positions in each epoch.
func OrderEffect(rs []Residual) Effect {
	last := 0
	for _, r := range rs {
		last = max(last, r.Position)
	}
	var values []float64
	for _, epoch := range byEpoch(rs) {
		x := make([]float64, len(epoch))
		for i, r := range epoch {
			x[i] = float64(r.Position)
		}
		slope, ok := slopeOf(x, centred(epoch))
		if !ok {
			slope = math.NaN()
		}
		values = append(values, slope*float64(last))
	}
	return effects(map[string][]float64{"": values})[""]
}

// CarryOver returns, by contestant, the difference between trials loaded just after it and trials
// loaded after others (V20); nil if each contestant always followed the same one.
func CarryOver(rs []Residual) map[string]Effect {
	follows, before := map[[2]string]bool{}, map[string][]float64{}
	own := map[string]bool{}
	for _, r := range rs {
		if r.After != "" {
			follows[[2]string{r.Contestant, r.After}], own[r.Contestant], before[r.After] = true, true, nil
		}
	}
	if len(follows) == len(own) {
		return nil
	}
	for _, epoch := range byEpoch(rs) {
		values := centred(epoch)
		for name := range before {
			var after, others []float64
			for i, r := range epoch {
				switch r.After {
				case "":
				case name:
					after = append(after, values[i])
				default:
					others = append(others, values[i])
				}
			}
			before[name] = append(before[name], stats.Mean(after)-stats.Mean(others))
		}
	}
	return effects(before)
}

// EpochComponents splits a contestant's spread relative to the others in its rounds into the part
// from single trials within epochs and the part that a fresh start adds, both as shares. It also
// returns an upper bound for the latter, and the p-value for the hypothesis that it is 0 (V21;
// stats.Components).
func EpochComponents(rs []Residual, contestant string) (within, between, most, p float64) {
	var epochs [][]float64
	for _, epoch := range byEpoch(rs) {
		var own []float64
		for _, r := range epoch {
			if r.Contestant == contestant {
				own = append(own, r.FromOthers)
			}
		}
		epochs = append(epochs, own)
	}
	return stats.Components(epochs)
}

// byEpoch splits ordered residuals by epoch.
func byEpoch(rs []Residual) [][]Residual {
	return split(rs, func(r *Residual) int { return r.Epoch })
}

// byRound splits an epoch's residuals by round.
func byRound(epoch []Residual) [][]Residual {
	return split(epoch, func(r *Residual) int { return r.Round })
}

// split splits ordered residuals where number changes.
func split(rs []Residual, number func(*Residual) int) (out [][]Residual) {
	from := 0
	for i := range rs {
		if i+1 == len(rs) || number(&rs[i+1]) != number(&rs[i]) {
			out, from = append(out, rs[from:i+1]), i+1
		}
	}
	return out
}

// levelsOf returns the middle of each contestant's values.
func levelsOf(rs []Residual, value func(Residual) float64, middle func([]float64) float64) map[string]float64 {
	own, levels := map[string][]float64{}, map[string]float64{}
	for _, r := range rs {
		own[r.Contestant] = append(own[r.Contestant], value(r))
	}
	for name, values := range own {
		levels[name] = middle(values)
	}
	return levels
}

// centred returns each residual from its round, minus the contestant's median in this epoch.
func centred(epoch []Residual) []float64 {
	level := levelsOf(epoch, func(r Residual) float64 { return r.FromRound }, stats.Median)
	out := make([]float64, len(epoch))
	for i, r := range epoch {
		out[i] = r.FromRound - level[r.Contestant]
	}
	return out
}
