package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"dyno/internal/record"
)

// field is a set of servers with known true speeds on a machine with known noise.
type field struct {
	noise     Noise
	truth     []float64 // log of each server's speed
	foe       *Foe      // nil for none
	rounds    int       // per epoch
	unchained bool      // rounds begin with a random server, not with the last one of the round before

	rng     *rand.Rand
	machine *wander
	starts  *step     // the time for starting all servers
	start   []float64 // T2 in this epoch, by server
	started bool      // an epoch has begun
	now     float64   // s since the field was made
	before  int       // the server loaded last in this epoch; -1 for none
	hogging bool      // other programs take CPU
	turn    float64   // when hogging changes next, s
}

// newField returns a field with len(truth) servers. All random numbers come from rng.
func newField(noise Noise, truth []float64, rounds int, rng *rand.Rand) *field {
	return &field{
		noise: noise, truth: truth, rounds: rounds, rng: rng, machine: newWander(rng),
		starts: newStep(startTime * float64(len(truth))), start: make([]float64, len(truth)), before: -1,
	}
}

// source returns a random number generator seeded by a seed, a purpose and the repetition.
func source(seed uint64, purpose string, rep int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()+uint64(rep)*0x9e3779b97f4a7c15))
}

// moment describes when and on which server a trial runs.
type moment struct {
	round, position, server int
	before                  int     // the server loaded before, -1 for none in this epoch
	now                     float64 // s since the field was made
	log                     float64 // log speed with all noise
}

// scale returns a server's noise relative to the other servers'.
func (f *field) scale(server int) float64 {
	if f.noise.Loud != 0 && server == 0 {
		return f.noise.Loud
	}
	return 1
}

// begin starts fresh processes for an epoch.
func (f *field) begin() {
	f.machine.rest(f.starts)
	f.now += startTime * float64(len(f.truth))
	f.before = -1
	for i := range f.start {
		fresh := f.noise.Start * f.scale(i) * f.rng.NormFloat64()
		if f.noise.Rho != 0 && f.started {
			fresh = f.noise.Rho*f.start[i] + math.Sqrt(1-f.noise.Rho*f.noise.Rho)*fresh
		}
		f.start[i] = fresh
	}
	f.started = true
}

// trial loads a server. It returns the server's log speed, and the share of the server's CPU that background
// programs visibly took.
func (f *field) trial(round, position, server int) (log, background float64) {
	m := moment{round: round, position: position, server: server, before: f.before, now: f.now}
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
		log, background = log+by, seen
	}
	return log, background
}

// epoch plays the rounds in one epoch: one row per round, one value per server.
func (f *field) epoch(int) [][]float64 {
	f.begin()
	rows := make([][]float64, f.rounds)
	for r := range rows {
		rows[r] = make([]float64, len(f.truth))
		for position, server := range f.order() {
			rows[r][server], _ = f.trial(r, position, server)
		}
	}
	return rows
}

// order returns the order of the next round by plan's rule: the server that was loaded last in the epoch
// comes first.
func (f *field) order() []int {
	order := f.rng.Perm(len(f.truth))
	if i := slices.Index(order, f.before); i > 0 && !f.unchained {
		order[0], order[i] = order[i], order[0]
	}
	return order
}

// causesOf returns the causes for a trial in which background programs took a share of the server's CPU.
func causesOf(background float64) record.Causes {
	const wall = trialTime * 1e9
	return record.Causes{WallNS: wall, ServerCPUs: 1, GeneratorCPUs: 1, BackgroundServerNS: int64(background * wall)}
}
