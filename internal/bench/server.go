package bench

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/load"
	"dyno/internal/load/epoll"
	"dyno/internal/proc"
	"dyno/internal/result"
)

// localServer is a contestant that runs on this machine.
type localServer struct {
	*contestant.Instance
	local      *Local
	processors *result.Processors
}

// Processors returns the CPUs that it is pinned to, and how it knows their number.
func (s *localServer) Processors() *result.Processors { return s.processors }

func (s *localServer) Ready() time.Duration        { return time.Duration(s.ReadyNS) }
func (s *localServer) Thaw() error                 { return s.Process.Thaw() }
func (s *localServer) CPU() (time.Duration, error) { return s.Process.CPU() }
func (s *localServer) Logged() int64               { return s.Process.LoggedBytes() }
func (s *localServer) LogTail() []string           { return s.Process.LogTail(20) }

// Freeze also fails if the contestant has changed its own CPU affinity.
func (s *localServer) Freeze() error {
	if err := s.Process.Freeze(); err != nil {
		return err
	}
	return s.Process.Strayed()
}

func (s *localServer) Stop() (cut int64, err error) {
	err = s.Instance.Stop()
	return s.Process.CutBytes(), err
}

// Exited also says of a server that went into the background how to start it instead.
func (s *localServer) Exited() error {
	select {
	case <-s.Process.Done():
	default:
		return nil
	}
	err := s.Process.Err()
	if err == nil {
		err = errors.New("exit status 0")
	}
	if n := len(s.Process.Tree()); n > 0 {
		return fmt.Errorf("%w, and left %d of its processes behind; start a server in the foreground", err, n)
	}
	return err
}

// Usage leaves out what cannot be read. Meters has recorded that at launch.
func (s *localServer) Usage(u *result.Usage) {
	s.Process.Usage(u)
	u.LoggedBytes, u.LogCutBytes = s.Logged(), s.Process.CutBytes()
}

// Heap requests the figures from a contestant that reports its heap.
func (s *localServer) Heap() (Heap, error) {
	h, err := s.Instance.Heap()
	return Heap{Inuse: h.Inuse, Allocated: h.TotalAlloc, Goroutines: h.GoroutinesStarted}, err
}

// Grow calls growth.
func (s *localServer) Grow() func() []result.MemoryAt { return growth(s) }

func (s *localServer) Totals(u *result.Usage) { s.Process.Totals(u) }

func (s *localServer) Count() func(*result.Usage) {
	instructions, energy := s.Process.Count(), s.local.energy.Count()
	return func(u *result.Usage) { u.Instructions, u.EnergyUJ = instructions(), energy() }
}

// Meters reads everything once, to find out what cannot be read.
func (s *localServer) Meters() (by, absent map[string]string) {
	by, absent = s.Process.Meters()
	for what := range s.local.machine.Absent {
		delete(absent, what)
	}
	var u result.Usage
	if err := s.Process.Usage(&u); err != nil {
		absent["memory"] = err.Error()
	}
	if err := s.Process.Totals(&u); err != nil {
		absent["totals"] = err.Error()
	}
	return by, absent
}

// Generator returns this machine's load engine, on the generator's CPUs.
func (l *Local) Generator() Generator {
	return &localGenerator{Engine: epoll.Engine{}, cpus: l.pinned(l.machine.GeneratorCPUs)}
}

type localGenerator struct {
	load.Engine
	Direct
	cpus []int
}

func (d *localGenerator) CPUs() []int                 { return d.cpus }
func (d *localGenerator) CPU() (time.Duration, error) { return proc.SelfCPU() }

func (d *localGenerator) Now() time.Time       { return time.Now() }
func (d *localGenerator) Rest(t time.Duration) { time.Sleep(t) }

// Quiet stops the garbage collector of dyno. What accumulates in a trial is small; it is collected
// after the trial.
func (d *localGenerator) Quiet() func() {
	old := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(old)
		runtime.GC()
	}
}
