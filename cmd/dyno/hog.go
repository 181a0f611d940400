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

// hogCommand is the command that `dyno validate --live` starts as background load. It uses a CPU in
// bursts until it is stopped.
func hogCommand() *cobra.Command {
	var seed uint64
	cmd := &cobra.Command{
		Use:    "hog CPU…",
		Short:  "Take one of the CPUs now and then",
		Hidden: true,
		Args:   arguments(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cpus := make([]int, len(args))
			for i, a := range args {
				var err error
				if cpus[i], err = strconv.Atoi(a); err != nil {
					return usagef("hog: %q is not the number of a CPU", a)
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
	cmd.Flags().Uint64Var(&seed, "seed", 0, "of what is drawn")
	return cmd
}

// burst is a rest, and then a time that takes the whole of a CPU.
type burst struct {
	rest, busy time.Duration
	cpu        int
}

// drawBurst draws bursts of 0.5 to 3.5 s, a quarter of the time in the mean.
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
