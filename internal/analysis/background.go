package analysis

import (
	"cmp"
	"math"
	"slices"

	"dyno/internal/result"
	"dyno/internal/stats"
)

// Background that meets all sides of a round alike is cancelled by pairing. What differs between the trials of a
// round is known, and is taken off rates: a server that uses all CPU that it can have is judged by its rate per CPU
// time that it had, any other by the rate as it is, less what the shares of others explain.

// saturated is the share of the CPU time left to it that a server uses which nothing else limits.
const saturated = 0.9

// cpuOf returns which share of its CPUs' time a trial's server used, and which others left to it; false where its
// CPU time cannot be read.
func cpuOf(t *result.Trial) (used, left float64, ok bool) {
	c, time := &t.Causes, float64(t.ClocksWall())*float64(t.Causes.ServerCPUs)
	if t.Server.CPUNS == nil || *t.Server.CPUNS <= 0 || time <= 0 || c.BackgroundUnknown {
		return 0, 0, false
	}
	used = float64(*t.Server.CPUNS) / time
	s := BackgroundOf(t)
	return used, min(1, max(used, 1-s[0]-s[2])), true
}

// BackgroundOf returns the CPU time of others in a trial as shares of what there was: on the server's CPUs (other sides
// that are not frozen among them), on the generator's, and what the hypervisor withheld of all.
func BackgroundOf(t *result.Trial) (s [3]float64) {
	c := &t.Causes
	per := func(ns int64, cpus int) float64 {
		if time := float64(c.WallNS) * float64(cpus); time > 0 {
			return min(0.95, float64(ns)/time)
		}
		return 0
	}
	return [3]float64{per(c.BackgroundServerNS+c.OtherSidesNS, c.ServerCPUs), per(c.BackgroundGeneratorNS, c.GeneratorCPUs),
		per(c.StealNS, c.ServerCPUs+c.GeneratorCPUs+c.BackendCPUs)}
}

// Limits of a round's background, as BackgroundOf has it, above which its latencies are not used.
var quietLimits = [3]float64{0.10, 0.10, 0.03}

// Quiet reports whether so little of others ran in a round that its latencies count. One trial alone says little: CPU
// time is counted in ticks of 10 ms.
func Quiet(round []*result.Trial) bool {
	var sum [3]float64
	for i := range round {
		for k, s := range BackgroundOf(round[i]) {
			sum[k] += s / float64(len(round))
		}
	}
	return sum[0] <= quietLimits[0] && sum[1] <= quietLimits[1] && sum[2] <= quietLimits[2]
}

// busyRounds returns the rounds, by epoch and number, that are not Quiet.
func busyRounds(trials []*result.Trial) map[[2]int]bool {
	rounds, busy := map[[2]int][]*result.Trial{}, map[[2]int]bool{}
	for _, tr := range trials {
		at := [2]int{tr.Epoch, tr.Round}
		rounds[at] = append(rounds[at], tr)
	}
	for at, round := range rounds {
		if !Quiet(round) {
			busy[at] = true
		}
	}
	return busy
}

// busyShare returns the share of the rounds that are not Quiet.
func (t *Table) busyShare() float64 {
	return float64(len(t.busy)) / float64(max(1, t.roundsOf()*len(t.rounds)))
}

// taken returns the largest share of its CPUs' time that others took from a saturated cell, in the median of its trials.
func (t *Table) taken() (most float64) {
	took := map[result.Cell][]float64{}
	for at, own := range t.trials {
		if _, full := t.noise.full[at.Cell]; !full {
			continue
		}
		for _, tr := range own {
			if tr != nil {
				s := BackgroundOf(tr)
				took[at.Cell] = append(took[at.Cell], s[0]+s[2])
			}
		}
	}
	for _, s := range took {
		most = max(most, stats.Median(s))
	}
	return most
}

// InQuiet returns those of the trials whose round is Quiet.
func InQuiet(trials []*result.Trial) (out []*result.Trial) {
	busy := busyRounds(trials)
	for _, tr := range trials {
		if !busy[[2]int{tr.Epoch, tr.Round}] {
			out = append(out, tr)
		}
	}
	return out
}

// noise is what others took of the trials of a table.
type noise struct {
	full   map[result.Cell]float64 // of saturated cells, which share of the time left to them they use, in the median
	slopes [3]float64              // of the log rate of the other cells, by the log of what BackgroundOf leaves
}

// leastSlope is the multiple of its standard error from which a slope is taken for one.
const leastSlope = 3

// noiseOf estimates both from all trials.
func (t *Table) noiseOf() (n noise) {
	n.full = map[result.Cell]float64{}
	shares := map[result.Cell][]float64{}
	for at, own := range t.trials {
		for _, tr := range own {
			if tr == nil {
				continue
			}
			if used, left, ok := cpuOf(tr); ok {
				shares[at.Cell] = append(shares[at.Cell], used/left)
			}
		}
	}
	for c, s := range shares {
		if m := stats.Median(s); m >= saturated {
			n.full[c] = m
		}
	}
	x, y := t.apart(n)
	copy(n.slopes[:], stats.Slopes(x, y, leastSlope))
	return n
}

// row is a trial's log rate, or what others left in it, less its round's mean.
type row struct {
	x [3]float64
	y float64
}

// apart returns the log rates of the cells that are not saturated and what others left to them, less the means of
// their rounds and then less their own means in an epoch.
func (t *Table) apart(n noise) (x [][]float64, y []float64) {
	m, cells := named("throughput"), map[int][]result.Cell{}
	for at := range t.trials {
		cells[at.epoch] = append(cells[at.epoch], at.Cell)
	}
	for _, e := range t.epochs {
		slices.SortFunc(cells[e], func(a, b result.Cell) int {
			return cmp.Or(cmp.Compare(a.Contestant, b.Contestant), cmp.Compare(a.Level, b.Level))
		}) // sums depend on the order
		own := make([][]row, len(cells[e]))
		for r := range t.rounds[e] {
			var of []int
			var all []row
			for i, c := range cells[e] {
				trials := t.trials[place{c, e}]
				if r >= len(trials) || trials[r] == nil {
					continue
				}
				if v, ok := m.Of(trials[r]); ok && v > 0 {
					a := row{y: math.Log(v * n.factor(trials[r], c))}
					if _, full := n.full[c]; !full {
						a.x = lefts(trials[r])
					}
					of, all = append(of, i), append(all, a)
				}
			}
			for k, a := range centredRows(all) {
				if _, full := n.full[cells[e][of[k]]]; !full && len(all) > 1 {
					own[of[k]] = append(own[of[k]], a)
				}
			}
		}
		for _, rows := range own {
			for _, a := range centredRows(rows) {
				x, y = append(x, a.x[:]), append(y, a.y)
			}
		}
	}
	return x, y
}

// centredRows returns rows less their mean.
func centredRows(rows []row) (out []row) {
	var mean row
	for _, a := range rows {
		mean = mean.plus(a, 1/float64(len(rows)))
	}
	for _, a := range rows {
		out = append(out, a.plus(mean, -1))
	}
	return out
}

func (a row) plus(b row, times float64) row {
	for k := range a.x {
		a.x[k] += times * b.x[k]
	}
	a.y += times * b.y
	return a
}

// lefts returns the logs of what others left.
func lefts(t *result.Trial) (x [3]float64) {
	for k, s := range BackgroundOf(t) {
		x[k] = math.Log(1 - s)
	}
	return x
}

// factor returns what a trial's rate is multiplied by.
func (n *noise) factor(t *result.Trial, c result.Cell) float64 {
	if full, ok := n.full[c]; ok {
		if used, _, ok := cpuOf(t); ok {
			return full / used
		}
		return 1
	}
	log := 0.
	for k, x := range lefts(t) {
		log -= n.slopes[k] * x
	}
	return math.Exp(log)
}

// counts is the metric of a trial as it was measured; latencies count in quiet rounds alone.
func (t *Table) counts(m Metric, tr *result.Trial) (float64, bool) {
	v, ok := m.Of(tr)
	return v, ok && (m.Kind&Latency == 0 || !t.busy[[2]int{tr.Epoch, tr.Round}])
}

// value is the metric of a cell's trial as it is compared: rates without what others took.
func (t *Table) value(m Metric, tr *result.Trial, c result.Cell) (float64, bool) {
	v, ok := t.counts(m, tr)
	if ok && m.PerCPU {
		v *= t.noise.factor(tr, c)
	}
	return v, ok
}
