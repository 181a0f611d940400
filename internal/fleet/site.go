package fleet

import (
	"context"
	"fmt"
	"os"
	"time"

	lab "dyno/internal/bench"
	"dyno/internal/host"
	"dyno/internal/load"
	"dyno/internal/load/epoll"
	"dyno/internal/proc"
	"dyno/internal/result"
)

// site is the machine of an agent in a run: its own, or one that a test makes up.
type site interface {
	describe() result.Host        // as that of a generator
	engine() load.Engine          // of its loads
	asker() lab.Asker             // of single requests
	used() (time.Duration, error) // CPU time of the agent until now
	quiet() func()                // lab.Quiet
	// observe begins to observe other programs beside a generator. end is called once, with the CPU time that the
	// agent, and others of the run on the same machine, have used since.
	observe() (end func(used time.Duration) result.Causes, err error)
	// claim takes the machine for servers of a run, until release is called.
	claim(ctx context.Context, command string) (release func() error, err error)
	serve(o lab.LocalOptions) (servers, error)
}

// servers builds and starts the contestants of a run.
type servers interface {
	lab.Host
	Certificate() ([]byte, error) // of what they serve over TLS, PEM
	Close()
}

// ownSite is the machine that the agent is on.
type ownSite struct{}

func (ownSite) describe() result.Host {
	host.RaiseFileLimit()
	return lab.Whole(false)
}

func (ownSite) engine() load.Engine          { return epoll.Engine{} }
func (ownSite) asker() lab.Asker             { return lab.Direct{} }
func (ownSite) used() (time.Duration, error) { return proc.SelfCPU() }
func (ownSite) quiet() func()                { return lab.Quiet() }

func (ownSite) observe() (end func(used time.Duration) result.Causes, err error) {
	meter, err := host.NewMeter()
	if err != nil {
		return nil, err
	}
	var before host.Snapshot
	meter.Snapshot(&before)
	cpus := lab.Whole(false).GeneratorCPUs
	return func(used time.Duration) result.Causes {
		defer meter.Close()
		var after host.Snapshot
		meter.Snapshot(&after)
		return host.Causes(&before, &after, host.Account{}, host.Account{CPUs: cpus, Used: used})
	}, nil
}

func (ownSite) claim(ctx context.Context, command string) (release func() error, err error) {
	me := proc.Holder{Pid: os.Getpid(), Command: "for a controller: " + command, SinceUnixNS: time.Now().UnixNano()}
	unlock, err := proc.LockMachine(ctx, me, nil)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		unlock()
		return nil, fmt.Errorf("find dyno's own program: %w", err)
	}
	keeper, err := proc.Keep(proc.KeepOptions{Command: me.Command, Program: self, Argv: []string{"dyno", "supervise"},
		Env: []string{}})
	if err != nil {
		unlock()
		return nil, err
	}
	return func() error {
		err := keeper.Close()
		unlock()
		return err
	}, nil
}

func (ownSite) serve(o lab.LocalOptions) (servers, error) {
	local, err := lab.NewLocal(o)
	if err != nil {
		return nil, err
	}
	return local, nil
}
