package doctor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"dyno/internal/load"
	"dyno/internal/machine"
	"dyno/internal/record"
)

// trial is one short load on one server in a round.
type trial struct {
	perSec float64
	cpu    float64 // CPU time per request, ns
}

// rounds loads equal servers in turn. None is frozen, because idle servers use little CPU, and equally much for
// all.
func (b *setup) rounds(ctx context.Context) error {
	if b.times.Rounds <= 0 {
		return nil
	}
	names := []string{"ref", "ref'", "ref", "ref'"}[:b.times.Servers]
	servers := make([]*server, len(names))
	for i, name := range names {
		b.Note("warm up " + name)
		var err error
		if servers[i], err = b.start(ctx, name); err != nil {
			return err
		}
		if b.times.Warm > 0 {
			if _, err := b.load(ctx, servers[i], usual, load.Window{For: b.times.Warm}); err != nil {
				return err
			}
		}
	}
	b.Note(fmt.Sprintf("noise: %d rounds of %d loads of %v", b.times.Rounds, len(names), b.times.Trial))
	rng := rand.New(rand.NewPCG(seed, 0))
	noise := &record.Noise{Servers: names, TrialNS: int64(b.times.Trial), Connections: usual.Connections}
	for range b.times.Rounds {
		round, causes, err := b.round(ctx, servers, rng.Perm(len(servers)))
		if err != nil {
			return err
		}
		n := record.NoiseRound{Causes: causes}
		for _, t := range round {
			n.RatePerSec, n.CPUPerRequestNS = append(n.RatePerSec, t.perSec), append(n.CPUPerRequestNS, t.cpu)
		}
		noise.Rounds = append(noise.Rounds, n)
	}
	b.cal.Noise = noise
	for _, s := range servers {
		if err := b.stop(s); err != nil {
			return err
		}
	}
	return nil
}

// round makes one trial with each server in the given order; the trials are returned by server.
func (b *setup) round(ctx context.Context, servers []*server, order []int) ([]trial, record.Causes, error) {
	var before, after machine.Snapshot
	b.meter.Snapshot(&before)
	used, own, err := clocks(servers...)
	if err != nil {
		return nil, record.Causes{}, err
	}
	round := make([]trial, len(servers))
	for _, i := range order {
		v, err := b.load(ctx, servers[i], usual, load.Window{For: b.times.Trial})
		if err == nil {
			err = v.clean()
		}
		if err != nil {
			return nil, record.Causes{}, err
		}
		round[i] = trial{perSec: v.perSec(), cpu: float64(v.server) / float64(v.Succeeded)}
	}
	b.meter.Snapshot(&after)
	used2, own2, err := clocks(servers...)
	if err != nil {
		return nil, record.Causes{}, err
	}
	server := machine.Account{CPUs: b.cal.Host.ServerCPUs, Used: used2 - used}
	generator := machine.Account{CPUs: b.cal.Host.GeneratorCPUs, Used: own2 - own}
	return round, machine.Causes(&before, &after, server, generator), nil
}

// clocks returns the CPU time of all servers together, and dyno's own.
func clocks(servers ...*server) (used, own time.Duration, err error) {
	for _, s := range servers {
		d, err := s.Process.CPU()
		if err != nil {
			return 0, 0, err
		}
		used += d
	}
	own, err = machine.SelfCPU()
	return used, own, err
}
