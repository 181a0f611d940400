package validate

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"dyno/internal/analysis"
	"dyno/internal/checks"
	"dyno/internal/result"
	"dyno/internal/stats"
)

// field is a set of servers whose true speeds are known, on a machine of known noise.
type field struct {
	noise     Noise
	truth     []float64 // log of each server's speed
	foe       *Foe      // nil for none
	rounds    int       // per epoch
	gated     bool      // void rounds are repeated
	unchained bool      // each round begins with whom it draws
	blocks    bool      // all trials of a server in a row, instead of rounds

	rng     *rand.Rand
	machine *wander
	starts  *step     // all servers started
	start   []float64 // T2 of the epoch
	now     float64   // s since the field was made
	before  int       // the server loaded last in this epoch; -1 for none
	hogging bool      // others take CPU
	turn    float64   // when that ends, or begins again, s

	causes []result.Trial // of the round, used again
}

// newField makes a field of len(truth) servers. All that it draws follows from rng.
func newField(noise Noise, truth []float64, rounds int, rng *rand.Rand) *field {
	return &field{noise: noise, truth: truth, rounds: rounds, gated: true, rng: rng, machine: newWander(rng),
		starts: newStep(startTime * float64(len(truth))), start: make([]float64, len(truth)), before: -1}
}

// source is a stream of random numbers that follows from a seed, what it is for, and which repetition it is.
func source(seed uint64, purpose string, rep int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()+uint64(rep)*0x9e3779b97f4a7c15))
}

// moment is when and on which server a trial is taken.
type moment struct {
	epoch, round, position, server int
	before                         int     // the server loaded before, -1 for none in this epoch
	now                            float64 // s since the field was made
	log                            float64 // of the server's speed, all noise in it
}

// scale is by how much the noise of a server is that of the others.
func (f *field) scale(server int) float64 {
	if f.noise.Loud != 0 && server == 0 {
		return f.noise.Loud
	}
	return 1
}

// begin starts the processes of an epoch.
func (f *field) begin() {
	f.machine.rest(f.starts)
	f.now += startTime * float64(len(f.truth))
	f.before = -1
	for i := range f.start {
		f.start[i] = f.noise.Start * f.scale(i) * f.rng.NormFloat64()
		if f.noise.Off > 0 && f.rng.Float64() < f.noise.Off {
			f.start[i] -= f.noise.OffBy * f.rng.ExpFloat64()
		}
	}
}

// trial loads a server and returns the log of its speed, and which share of its CPU others were seen to take.
func (f *field) trial(epoch, round, position, server int) (log, foreign float64) {
	m := moment{epoch: epoch, round: round, position: position, server: server, before: f.before, now: f.now}
	f.machine.rest(overGap)
	mean := f.machine.mean(overTrial)
	f.now += gapTime + trialTime
	f.before = server
	perTrial := f.noise.Trial * math.Sqrt(pilotTime/trialTime) * f.scale(server)
	log = f.truth[server] + f.start[server] + f.noise.Drift*mean + perTrial*f.rng.NormFloat64()
	if f.noise.Hits > 0 && f.rng.Float64() < f.noise.Hits {
		log -= f.noise.Hit * f.rng.ExpFloat64()
	}
	if f.foe != nil {
		m.log = log
		by, seen := f.foe.act(f, m)
		log, foreign = log+by, seen
	}
	return log, foreign
}

// epoch takes the rounds of one epoch: one row a round, in it one value a server. Rounds are voided and repeated, and an epoch with too few
// of them is taken again, by the rules of plan.
func (f *field) epoch(number int) [][]float64 {
	f.begin()
	if f.blocks {
		return f.epochOfBlocks(number)
	}
	var rows [][]float64
	repeats := 0
	for r := 0; r < f.rounds; {
		row, void := f.round(number, r, f.order())
		if void && f.gated && repeats < f.rounds {
			repeats++
			continue
		}
		if !void || !f.gated {
			rows = append(rows, row)
		}
		r++
	}
	if 2*len(rows) < f.rounds {
		return f.epoch(number)
	}
	return rows
}

// order is that of the next round, as plan has it: it begins with the server that was loaded last in the epoch.
func (f *field) order() []int {
	order := f.rng.Perm(len(f.truth))
	if i := slices.Index(order, f.before); i > 0 && !f.unchained {
		order[0], order[i] = order[i], order[0]
	}
	return order
}

// epochOfBlocks loads one server after the other, each as often as there are rounds.
func (f *field) epochOfBlocks(number int) [][]float64 {
	rows := make([][]float64, f.rounds)
	for r := range rows {
		rows[r] = make([]float64, len(f.truth))
	}
	for _, server := range f.rng.Perm(len(f.truth)) {
		for r, v := range f.block(number, server) {
			rows[r][server] = v
		}
	}
	return rows
}

// block loads one server as often as there are rounds; a void trial is taken again, as long as there are no more of them than rounds.
func (f *field) block(epoch, server int) (logs []float64) {
	for repeats := 0; len(logs) < f.rounds; {
		row, void := f.round(epoch, len(logs), []int{server})
		if void && f.gated && repeats < f.rounds {
			repeats++
			continue
		}
		logs = append(logs, row[server])
	}
	return logs
}

// round loads the servers in that order. It is void if plan would say so, by what others were seen to take.
func (f *field) round(epoch, round int, order []int) (row []float64, void bool) {
	row = make([]float64, len(f.truth))
	for i := range row {
		row[i] = math.NaN()
	}
	f.causes = f.causes[:0]
	for position, server := range order {
		log, foreign := f.trial(epoch, round, position, server)
		row[server] = log
		if f.foe != nil {
			f.causes = append(f.causes, result.Trial{Causes: causesOf(foreign)})
		}
	}
	return row, checks.Void(f.causes)
}

// causesOf records which share of the server's CPU others were seen to take in a trial.
func causesOf(foreign float64) result.Causes {
	const wall = (gapTime + trialTime) * 1e9
	return result.Causes{WallNS: wall, ServerCPUs: 1, GeneratorCPUs: 1, ForeignServerNS: int64(foreign * wall)}
}

// couples are the pairs of k servers.
func couples(k int) (pairs [][2]int) {
	for i := range k {
		for j := i + 1; j < k; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// difference is the one value of a pair in an epoch: the median over its rounds of the log ratio, as analysis has it.
func difference(rows [][]float64, i, j int) float64 {
	d := make([]float64, 0, len(rows))
	for _, row := range rows {
		if v := row[i] - row[j]; !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	return stats.Median(d)
}

// duel compares the first k servers of a field whose epochs come from next, look by look, until all pairs are decided or the looks are
// over: the decisions are those of analysis.Judge.
type duel struct {
	k     int
	looks []stats.Look
	next  func(epoch int) [][]float64

	d  [][]float64            // of each pair, by epoch
	at [][]analysis.Judgement // after each look that was taken
}

// Margin and Alpha are those of every duel.
const (
	Margin = 0.03
	Alpha  = 0.05
)

func (d *duel) play() {
	d.d = make([][]float64, len(couples(d.k)))
	var js []analysis.Judgement
	for _, look := range d.looks {
		d.extend(look.N)
		js = analysis.Judge(js, d.d, look, Margin)
		d.at = append(d.at, js)
		open := false
		for _, j := range js {
			open = open || j.Verdict == analysis.Undecided
		}
		if !open {
			return
		}
	}
}

// extend takes epochs until there are n.
func (d *duel) extend(n int) {
	for e := len(d.d[0]); e < n; e++ {
		rows := d.next(e)
		for p, c := range couples(d.k) {
			d.d[p] = append(d.d[p], difference(rows, c[0], c[1]))
		}
	}
}

// end are the judgements at which the duel stopped.
func (d *duel) end() []analysis.Judgement { return d.at[len(d.at)-1] }

// found reports whether pair p was found different, with the first the faster, at the latest after n epochs.
func (d *duel) found(p, n int) bool {
	for i, js := range d.at {
		if d.looks[i].N <= n && js[p].Verdict == analysis.Different && js[p].Up {
			return true
		}
	}
	return false
}

// repeat makes reps repetitions, as many at once as there are CPUs to use, and returns their results in order. When ctx ends it leaves out
// the rest.
func repeat[T any](ctx context.Context, reps int, one func(rep int) T) []T {
	out := make([]T, reps)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				rep := int(next.Add(1)) - 1
				if rep >= reps || ctx.Err() != nil {
					return
				}
				out[rep] = one(rep)
			}
		})
	}
	workers.Wait()
	return out
}
