package fleet

import (
	"errors"
	"time"

	lab "dyno/internal/bench"
	"dyno/internal/endpoint"
	form "dyno/internal/protocol"
	"dyno/internal/result"
)

// remote is a server on another machine.
type remote struct {
	host    *Host
	machine string
	number  int
	ready   time.Duration
	// processors are the CPUs that it was given; nil: all
	processors *result.Processors
	at         map[form.HTTP]endpoint.Endpoint
}

// do asks something of the server. The error is that of the order, or of the server.
func (s *remote) do(what string, u *result.Usage) (r Reading, err error) {
	q := Doing{Number: s.number, What: what}
	if u != nil {
		q.Usage = *u
	}
	a, err := tell[Doing, Reading](s.host.work, s.host, s.machine, toServer, q, serverLimit)
	if err != nil {
		return r, err
	}
	if u != nil {
		*u = a.Usage
	}
	if a.Error != "" {
		return *a, errors.New(a.Error)
	}
	return *a, nil
}

func (s *remote) At(h form.HTTP) endpoint.Endpoint {
	return s.at[h] // as it was started for all forms that it is asked in
}

// Processors returns the CPUs that it was given; nil if no number was asked for.
func (s *remote) Processors() *result.Processors { return s.processors }

func (s *remote) Ready() time.Duration { return s.ready }

func (s *remote) Freeze() error { _, err := s.do(doFreeze, nil); return err }
func (s *remote) Thaw() error   { _, err := s.do(doThaw, nil); return err }
func (s *remote) Exited() error {
	_, err := s.do(doExited, nil)
	return err
}
func (s *remote) End() error { _, err := s.do(doEnd, nil); return err }

func (s *remote) Stop() (cut int64, err error) {
	r, err := s.do(doStop, nil)
	return r.Cut, err
}

func (s *remote) CPU() (time.Duration, error) {
	r, err := s.do(doCPU, nil)
	return r.CPU, err
}

func (s *remote) Count() func(*result.Usage) {
	s.do(doCount, nil)
	return func(u *result.Usage) { s.do(doCounts, u) }
}

func (s *remote) Usage(u *result.Usage)  { s.do(doUsage, u) }
func (s *remote) Totals(u *result.Usage) { s.do(doTotals, u) }

func (s *remote) Grow() func() []result.MemoryAt {
	s.do(doGrow, nil)
	return func() []result.MemoryAt {
		r, _ := s.do(doGrown, nil)
		return r.Memory
	}
}

func (s *remote) Heap() (lab.Heap, error) {
	r, err := s.do(doHeap, nil)
	return r.Heap, err
}

func (s *remote) Meters() (by, absent map[string]string) {
	r, _ := s.do(doMeters, nil)
	return r.By, r.Absent
}

func (s *remote) Logged() int64 {
	r, _ := s.do(doLogged, nil)
	return r.Logged
}

func (s *remote) LogTail() []string {
	r, _ := s.do(doTail, nil)
	return r.Tail
}
