package fleet

import (
	"context"
	"fmt"
	"os"
	"time"

	"dyno/internal/bench"
	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/machine"
	"dyno/internal/record"
)

// site is an agent's machine in a run: the real one, or a simulated one in a test.
type site interface {
	describe() record.Host        // describes the machine as that of a generator
	engine() load.Engine          // engine for loads
	asker() bench.Asker           // sender of single requests
	used() (time.Duration, error) // the agent's CPU time until now
	quiet() func()                // as machine.Quiet
	// observe begins to observe background programs on a generator. end is called once, with the CPU time
	// since then that the agent, and others in the run on the same machine, have used.
	observe() (end func(used time.Duration) record.Causes, err error)
	// claim locks the machine for servers in a run, until release is called.
	claim(ctx context.Context, command string) (release func() error, err error)
	serve(o bench.LocalOptions) (servers, error)
}

// servers builds and starts a run's contestants.
type servers interface {
	bench.Host
	Certificate() ([]byte, error) // the servers' TLS certificate, PEM
}

// ownSite is the agent's real machine.
type ownSite struct{}

func (ownSite) describe() record.Host {
	machine.RaiseFileLimit()
	return bench.Whole(false)
}

func (ownSite) engine() load.Engine          { return loop.Engine{} }
func (ownSite) asker() bench.Asker           { return bench.Direct{} }
func (ownSite) used() (time.Duration, error) { return machine.SelfCPU() }
func (ownSite) quiet() func()                { return machine.Quiet() }

func (ownSite) observe() (end func(used time.Duration) record.Causes, err error) {
	meter, err := machine.NewMeter()
	if err != nil {
		return nil, err
	}
	var before machine.Snapshot
	meter.Snapshot(&before)
	cpus := bench.Whole(false).GeneratorCPUs
	return func(used time.Duration) record.Causes {
		defer meter.Close()
		var after machine.Snapshot
		meter.Snapshot(&after)
		return machine.Causes(&before, &after, machine.Account{}, machine.Account{CPUs: cpus, Used: used})
	}, nil
}

func (ownSite) claim(ctx context.Context, command string) (release func() error, err error) {
	me := machine.Holder{Pid: os.Getpid(), Command: "for a controller: " + command, SinceUnixNS: time.Now().UnixNano()}
	lock, err := machine.LockMachine(ctx, me, nil)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		lock.Release()
		return nil, fmt.Errorf("find dyno's own program: %w", err)
	}
	keeper, err := machine.Keep(machine.KeepOptions{Program: self, Argv: []string{"dyno", "supervise"}, Env: []string{}})
	if err != nil {
		lock.Release()
		return nil, err
	}
	return func() error {
		err := keeper.Close()
		lock.Release()
		return err
	}, nil
}

func (ownSite) serve(o bench.LocalOptions) (servers, error) {
	local, err := bench.NewLocal(o)
	if err != nil {
		return nil, err
	}
	return local, nil
}
