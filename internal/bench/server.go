package bench

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/load"
	"dyno/internal/load/loop"
	"dyno/internal/machine"
	"dyno/internal/record"
)

// localServer is a contestant that runs on this machine.
type localServer struct {
	*contestant.Instance
	local      *Local
	processors *record.Processors // CPUs that it is pinned to, and how it knows their number
	counted    func() *int64      // the instructions since ReadCount
}

func (s *localServer) Thaw() error { return s.Process.Thaw() }

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

// Read implements Server.
func (s *localServer) Read(what What) (r Reading, err error) {
	p, u := s.Process, &r.Usage
	switch what {
	case ReadStart:
		r.Ready, r.Processors = time.Duration(s.ReadyNS), s.processors
		r.Meters, r.Absent = s.meters()
		r.Limits = s.Limits
	case ReadExit:
		err = s.exited()
	case ReadCPU:
		r.CPU, err = p.CPU()
	case ReadRelay:
		r.CPU, err = p.RelayCPU()
		if ended := p.RelayEnded(); ended != nil {
			r.Ended = ended.Error()
		}
	case ReadUsage: // whatever cannot be read was recorded at launch
		err = p.Usage(u)
		u.LoggedBytes, u.LogCutBytes = p.LoggedBytes(), p.CutBytes()
	case ReadTotals:
		err = p.Totals(u)
	case ReadHeap:
		h, failed := s.Heap()
		r.Heap, err = Heap{Inuse: h.Inuse, Allocated: h.TotalAlloc, Goroutines: h.GoroutinesStarted}, failed
	case ReadLog:
		r.Logged, r.Tail = p.LoggedBytes(), p.LogTail(20)
	case ReadCount:
		s.counted = p.Count()
	case ReadCounted:
		if s.counted != nil {
			u.Instructions = s.counted()
		}
	default:
		err = fmt.Errorf("cannot read %q: it is unknown", what)
	}
	return r, err
}

// exited also says how to start a server that went into the background.
func (s *localServer) exited() error {
	select {
	case <-s.Process.Done():
	default:
		return nil
	}
	err := cmp.Or(s.Process.Err(), errors.New("exit status 0"))
	if n := len(s.Process.Tree()); n > 0 {
		return fmt.Errorf("%w, and left %d of its processes behind; start a server in the foreground", err, n)
	}
	return err
}

// meters reads everything once, to find out which figures cannot be read.
func (s *localServer) meters() (by, absent map[string]string) {
	by, absent = s.Process.Meters()
	for what := range s.local.machine.Absent {
		delete(absent, what)
	}
	var u record.Usage
	if err := s.Process.Usage(&u); err != nil {
		absent["memory"] = err.Error()
	}
	if err := s.Process.Totals(&u); err != nil {
		absent["totals"] = err.Error()
	}
	return by, absent
}

// Generator returns this machine's load engine, on the generator's CPUs or, as published, on all.
func (l *Local) Generator() Generator { return &localGenerator{Engine: loop.Engine{}, local: l} }

type localGenerator struct {
	load.Engine
	Direct
	local *Local
}

func (d *localGenerator) CPUs() []int {
	if d.local.free {
		return d.local.usable
	}
	return d.local.pinned(d.local.machine.GeneratorCPUs)
}

func (d *localGenerator) CPU() (time.Duration, error) { return machine.SelfCPU() }

func (d *localGenerator) Now() time.Time       { return time.Now() }
func (d *localGenerator) Rest(t time.Duration) { time.Sleep(t) }

func (d *localGenerator) Quiet() func() { return machine.Quiet() }
