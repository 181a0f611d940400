package judge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"dyno/internal/document"
	"dyno/internal/record"
	"dyno/internal/stats"
)

// Pairing cancels background load that affects all sides of a round alike. Differences between a
// round's trials are measured and removed from rates: a server that uses all its available CPU is
// judged by its rate per available CPU time, any other by its rate less the part that background
// CPU explains.

// Saturated is the share of available CPU time from which a server counts as limited by CPU alone.
const Saturated = 0.9

// usedOf returns the share of its CPUs' time that a trial's server used, with a generator on the same
// CPUs, whose CPU time limits the rate, too; false if that or the background cannot be read.
func usedOf(t *record.Trial) (used float64, ok bool) {
	time := float64(t.ClocksNS) * float64(t.Causes.ServerCPUs)
	if t.Server.CPUNS == nil || *t.Server.CPUNS <= 0 || time <= 0 || t.Causes.BackgroundUnknown {
		return 0, false
	}
	return (float64(*t.Server.CPUNS) + besideServer(t)) / time, true
}

// besideServer returns the CPU time, in ns, that generator and services used on the server's CPUs.
func besideServer(t *record.Trial) (ns float64) {
	if t.Causes.SharedCPUs == 0 {
		return 0
	}
	if own := t.Generator.CPUNS; own != nil {
		ns = float64(max(*own-t.Load.SpunNS, 0))
	}
	if cpu := t.ServiceCPU(); cpu != nil && t.Causes.ServiceCPUs == 0 {
		ns += float64(*cpu)
	}
	return ns
}

// BackgroundOf returns a trial's background CPU as shares of the available time: on the server's
// CPUs (including sides that are not frozen), on CPUs that only the generator has, and as steal by
// the hypervisor over all CPUs.
func BackgroundOf(t *record.Trial) (s [3]float64) {
	c := &t.Causes
	per := func(ns int64, cpus int) float64 {
		if time := float64(c.WallNS) * float64(cpus); time > 0 {
			return min(0.95, float64(ns)/time)
		}
		return 0
	}
	return [3]float64{per(c.BackgroundServerNS+c.OtherSidesNS, c.ServerCPUs),
		per(c.BackgroundGeneratorNS, c.GeneratorCPUs-c.SharedCPUs), per(c.StealNS, c.CPUs())}
}

// quietLimits are the background shares, as BackgroundOf returns them, above which a round's
// latencies are not used.
var quietLimits = [3]float64{backgroundLimit, backgroundLimit, stealLimit}

// Quiet reports whether a round had so little background load that its latencies count. A single
// trial says little: CPU time is counted in ticks of 10 ms.
func Quiet(round []*record.Trial) bool {
	var sum [3]float64
	for i := range round {
		for k, s := range BackgroundOf(round[i]) {
			sum[k] += s / float64(len(round))
		}
	}
	return sum[0] <= quietLimits[0] && sum[1] <= quietLimits[1] && sum[2] <= quietLimits[2]
}

// busyRounds returns the rounds, by epoch and round, that are not Quiet.
func busyRounds(trials []*record.Trial) map[[2]int]bool {
	rounds, busy := map[[2]int][]*record.Trial{}, map[[2]int]bool{}
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

// busyShare returns the share of rounds that are not Quiet.
func (t *Table) busyShare() float64 {
	return float64(len(t.busy)) / float64(max(1, t.roundsOf()*len(t.rounds)))
}

// taken returns the largest share of CPU time that other programs took from a saturated cell.
func (t *Table) taken() (most float64) {
	for c := range t.noise.full {
		most = max(most, t.noise.taken[c])
	}
	return most
}

// lost returns the largest share of its rate that other programs may have cost a cell which is not
// saturated, if the other one is: the ratio of the two compares CPU time with wall time. It is 0 for
// other pairs. turned reports whether b is that cell.
func (t *Table) lost(m Metric, a, b record.Cell) (share float64, turned bool) {
	_, x := t.noise.full[a]
	_, y := t.noise.full[b]
	switch {
	case !m.PerCPU || x == y:
		return 0, false
	case x:
		return t.noise.mayLose[b], true
	}
	return t.noise.mayLose[a], false
}

// Mixed says why a pair has no ratio under a metric: other programs may work for one of the two; or one of the two is
// saturated, and other programs may have cost the other one more than backgroundLimit. It returns "" for other pairs.
func (t *Table) Mixed(m Metric, a, b record.Cell) string {
	if m.PerCPU || m.Kind&CPUTime > 0 {
		if text := t.helped(a, b); text != "" {
			return text
		}
	}
	share, _ := t.lost(m, a, b)
	if share <= backgroundLimit {
		return ""
	}
	return fmt.Sprintf("other programs or the hypervisor took %s of the CPU time, and only one of the two is known to "+
		"use nearly all of the rest: their rates are not comparable", document.Percent(share))
}

// helpedFrom is the difference between the shares of the server's CPUs that other programs used beside two servers from
// which they may work for one of the two, if chance makes it in at most helpedAlpha of the tables.
const (
	helpedFrom  = 0.05
	helpedAlpha = 0.02
)

// helped says that other programs used more CPU beside one of two cells than beside the other, paired by epoch.
func (t *Table) helped(a, b record.Cell) string {
	var apart, x, y []float64
	for at, share := range t.noise.beside {
		if other, both := t.noise.beside[place{b, at.epoch}]; both && at.Cell == a {
			apart, x, y = append(apart, share-other), append(x, share), append(y, other)
		}
	}
	if len(apart) < 3 || math.Abs(stats.Mean(apart)) < helpedFrom {
		return ""
	}
	cells := 0
	for c := range t.noise.taken {
		if c.Level == a.Level {
			cells++
		}
	}
	if _, lo, hi := stats.MeanCI(apart, 1-helpedAlpha/float64(cells*(cells-1)/2)); lo <= 0 && hi >= 0 {
		return ""
	}
	return fmt.Sprintf("other programs used %s of the server's CPUs beside %s and %s beside %s: they may work for "+
		"one of the two; make them a [[service]] of the scenario, or stop them", document.Percent(stats.Mean(x)),
		a.Contestant, document.Percent(stats.Mean(y)), b.Contestant)
}

// allowing widens a pair's interval by what is not known of the background: the error of the shares
// that saturated cells use, and what other programs may have cost a cell that alone is not
// saturated. It takes back a verdict that the wider interval does not show.
func (t *Table) allowing(j Decision, m Metric, a, b record.Cell, margin float64) Decision {
	if !m.PerCPU || j.Ratio.N == 0 {
		return j
	}
	share, turned := t.lost(m, a, b)
	wider := math.Hypot(t.noise.fullSE[a], t.noise.fullSE[b])
	wider = j.Crit * (math.Hypot(j.SE, wider) - j.SE)
	if !(wider+share > 0) || math.IsInf(wider, 0) {
		return j
	}
	j.Ratio.Lo, j.Ratio.Hi = j.Ratio.Lo*math.Exp(-wider), j.Ratio.Hi*math.Exp(wider)
	if turned {
		j.Ratio.Lo *= 1 - share
	} else {
		j.Ratio.Hi /= 1 - share
	}
	j.Different = j.Different && (j.Ratio.Lo > 1 || j.Ratio.Hi < 1)
	if j.Verdict == Inconclusive {
		return j
	}
	j.Verdict = Inconclusive
	if j.decide(margin); j.Verdict == Equivalent && !j.Equivalent(margin-share-wider) {
		j.Verdict = Inconclusive
	}
	return j
}

// noise describes how background load affected the trials in a table.
type noise struct {
	// share of their available CPU time that saturated cells use, and the standard error of its log
	full, fullSE map[record.Cell]float64
	// mean shares of CPU time that other programs and the hypervisor took: of the server's CPUs, and of
	// the server's or the generator's
	taken, mayLose map[record.Cell]float64
	beside         map[place]float64 // what other programs used of the server's CPUs, the mean in an epoch
	// slopes for the other cells: log rate over the log of each share that BackgroundOf leaves
	slopes [3]float64
}

// leastSlope is the number of standard errors by which a slope must differ from 0 to be used.
const leastSlope = 3

// noiseOf estimates noise from all trials.
func (t *Table) noiseOf() (n noise) {
	n.full, n.fullSE = map[record.Cell]float64{}, map[record.Cell]float64{}
	n.taken, n.mayLose, n.beside = map[record.Cell]float64{}, map[record.Cell]float64{}, map[place]float64{}
	used, left := map[record.Cell][]float64{}, map[record.Cell][]float64{}
	server, generator := map[record.Cell][]float64{}, map[record.Cell][]float64{}
	byEpoch := func(a, b place) int { return cmp.Compare(a.epoch, b.epoch) }
	for _, at := range slices.SortedFunc(maps.Keys(t.trials), byEpoch) { // sums depend on the order
		var beside []float64
		for _, tr := range t.trials[at] {
			if tr == nil {
				continue
			}
			s := BackgroundOf(tr)
			if wall := float64(tr.Causes.WallNS) * float64(tr.Causes.ServerCPUs); wall > 0 && !tr.Causes.BackgroundUnknown {
				beside = append(beside, float64(tr.Causes.BackgroundServerNS)/wall) // without sides that are not frozen
			}
			server[at.Cell] = append(server[at.Cell], s[0]+s[2])
			generator[at.Cell] = append(generator[at.Cell], s[1]+s[2])
			if u, ok := usedOf(tr); ok {
				used[at.Cell], left[at.Cell] = append(used[at.Cell], u), append(left[at.Cell], 1-s[0]-s[2])
			}
		}
		if len(beside) > 0 {
			n.beside[at] = stats.Mean(beside)
		}
	}
	for c := range used { // sums, because a trial's background is a few ticks
		if share := stats.Mean(used[c]) / max(stats.Mean(used[c]), stats.Mean(left[c])); share >= Saturated {
			n.full[c] = share
			squares, k := 0., float64(len(used[c]))
			for i, u := range used[c] {
				squares += (u - share*left[c][i]) * (u - share*left[c][i])
			}
			n.fullSE[c] = math.Sqrt(squares/(k*max(1, k-1))) / stats.Mean(used[c])
		}
	}
	for c := range server {
		n.taken[c] = stats.Mean(server[c])
		n.mayLose[c] = max(n.taken[c], stats.Mean(generator[c]))
	}
	x, y := t.apart(n)
	copy(n.slopes[:], stats.Slopes(x, y, leastSlope))
	return n
}

// row holds a trial's log rate and the logs of the shares left to it, both minus the round's mean.
type row struct {
	x [3]float64
	y float64
}

// apart returns log rates for cells that are not saturated, and the logs of the shares left to
// them, minus their round's mean and then minus the cell's mean in the epoch.
func (t *Table) apart(n noise) (x [][]float64, y []float64) {
	m, cells := named("throughput"), map[int][]record.Cell{}
	for at := range t.trials {
		cells[at.epoch] = append(cells[at.epoch], at.Cell)
	}
	for _, e := range t.epochs {
		slices.SortFunc(cells[e], func(a, b record.Cell) int {
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

// centredRows returns rows minus their mean.
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

// lefts returns the logs of the shares that other programs left.
func lefts(t *record.Trial) (x [3]float64) {
	for k, s := range BackgroundOf(t) {
		x[k] = math.Log(1 - s)
	}
	return x
}

// factor returns the factor that corrects a trial's rate for background load.
func (n *noise) factor(t *record.Trial, c record.Cell) float64 {
	if full, ok := n.full[c]; ok {
		if used, ok := usedOf(t); ok {
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

// counts returns a trial's metric as measured; latencies count in quiet rounds only.
func (t *Table) counts(m Metric, tr *record.Trial) (float64, bool) {
	v, ok := m.Of(tr)
	return v, ok && (m.Kind&Latency == 0 || !t.busy[[2]int{tr.Epoch, tr.Round}])
}

// value returns a trial's metric as compared: rates are corrected for background load.
func (t *Table) value(m Metric, tr *record.Trial, c record.Cell) (float64, bool) {
	v, ok := t.counts(m, tr)
	if ok && m.PerCPU {
		v *= t.noise.factor(tr, c)
	}
	return v, ok
}
