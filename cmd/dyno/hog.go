package main

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/proc"
	"dyno/internal/refserver"
)

// hogCommand returns the command that `dyno validate --live` starts as background load. It uses a
// CPU in bursts until it is stopped.
func hogCommand() *cobra.Command {
	var seed uint64
	cmd := &cobra.Command{
		Use:    "hog CPU…",
		Short:  "Use one of the CPUs in random bursts",
		Hidden: true,
		Args:   arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cpus := make([]int, len(args))
			for i, a := range args {
				var err error
				if cpus[i], err = strconv.Atoi(a); err != nil {
					return usagef("hog: %q is not a CPU number", a)
				}
			}
			rng := rand.New(rand.NewPCG(seed, 0))
			for cmd.Context().Err() == nil {
				if err := drawBurst(rng, cpus).spend(cmd.Context()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of the random bursts")
	return cmd
}

// burst is a pause followed by a time in which a whole CPU is used.
type burst struct {
	rest, busy time.Duration
	cpu        int
}

// drawBurst returns a random burst of 0.5 to 3.5 s. Bursts take a quarter of the time on average.
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
	if _, err := proc.PinSelf([]int{b.cpu}); err != nil {
		return err
	}
	for end := time.Now().Add(b.busy); time.Now().Before(end) && ctx.Err() == nil; {
		_ = refserver.Spin(100_000)
	}
	return nil
}
