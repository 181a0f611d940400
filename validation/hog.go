package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"dyno/internal/conf"
	"dyno/internal/machine"
	"dyno/internal/refserver"
)

// hog loads one CPU at a time in bursts until ctx ends. args are the random seed and the CPUs.
func hog(ctx context.Context, args []string) error {
	var numbers []int
	for _, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil {
			return conf.Usagef("hog: %w", err)
		}
		numbers = append(numbers, n)
	}
	if len(numbers) < 2 {
		return conf.Usagef("hog: want a seed and CPUs, not %s", fmt.Sprint(args))
	}
	rng := rand.New(rand.NewPCG(uint64(numbers[0]), 0))
	for ctx.Err() == nil {
		if err := drawBurst(rng, numbers[1:]).spend(ctx); err != nil {
			return err
		}
	}
	return nil
}

// burst is a pause followed by full load on one CPU.
type burst struct {
	rest, busy time.Duration
	cpu        int
}

// drawBurst returns a random burst: 0.5 to 3.5 s of load after a pause. On average load takes a quarter of
// the time.
func drawBurst(rng *rand.Rand, cpus []int) burst {
	between := func(lo, hi time.Duration) time.Duration { return lo + time.Duration(rng.Int64N(int64(hi-lo))) }
	return burst{rest: between(2*time.Second, 10*time.Second), busy: between(time.Second/2, 7*time.Second/2),
		cpu: cpus[rng.IntN(len(cpus))]}
}

func (b burst) spend(ctx context.Context) error {
	select {
	case <-time.After(b.rest):
	case <-ctx.Done():
		return nil
	}
	if _, err := machine.PinSelf([]int{b.cpu}); err != nil {
		return err
	}
	for end := time.Now().Add(b.busy); time.Now().Before(end) && ctx.Err() == nil; {
		_ = refserver.Spin(100_000)
	}
	return nil
}
