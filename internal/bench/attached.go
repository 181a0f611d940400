package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"dyno/internal/contestant"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// attached is a contestant that is already running, at a URL. dyno only loads and reads it: no
// method stops, freezes, pins or signals it.
type attached struct {
	target *scenario.Target
	tree   *machine.Running // nil: its processes cannot be read
	unread error            // why they cannot
}

func (s *attached) At(wire.HTTP) wire.Endpoint { return s.target.Endpoint }
func (s *attached) Freeze() error              { return s.exited() }
func (s *attached) Stop() (int64, error)       { return 0, nil }
func (s *attached) End() error                 { return nil }

// Thaw reads the process tree's current members.
func (s *attached) Thaw() error {
	if s.tree != nil {
		s.tree.Look()
	}
	return s.exited()
}

// Read implements Server.
func (s *attached) Read(what What) (r Reading, err error) {
	switch {
	case what == ReadExit:
		return r, s.exited()
	case what == ReadStart && s.tree == nil:
		r.Absent = map[string]string{"cpu": s.unread.Error(), "memory": s.unread.Error()}
		return r, nil
	case what == ReadHeap || what == ReadRelay || what == ReadCount || what == ReadCounted || what == ReadLog:
		return r, errors.New("dyno did not start it")
	case s.tree == nil:
		return r, s.unread
	}
	switch what {
	case ReadStart:
		r.Meters, r.Absent = s.tree.Meters()
	case ReadCPU:
		r.CPU, err = s.tree.CPU()
	case ReadUsage:
		err = s.tree.Usage(&r.Usage)
	case ReadTotals:
		err = s.tree.Totals(&r.Usage)
	}
	return r, err
}

func (s *attached) exited() error {
	if s.tree != nil && s.tree.Ended() {
		return errors.New("it was stopped or restarted during the run; the run measures only the processes that " +
			"were running at its start")
	}
	return nil
}

// name describes the processes.
func (s *attached) name() string {
	if s.tree == nil {
		return "unknown: " + s.unread.Error()
	}
	return s.tree.Name()
}

// attach finds the servers that are already running. If they may use other CPUs than the server's,
// the servers that dyno starts may use these too, for equal conditions, and only the generator is
// pinned.
func (l *Local) attach() {
	l.attached = map[string]*attached{}
	var cpus []int
	for _, m := range l.opts.Manifests {
		if m.URL == nil {
			continue
		}
		s := elsewhere(m)
		own, err := []int(nil), error(nil)
		if m.URL.Here {
			if s.tree, s.unread = machine.FindRunning(m.URL.Addr); s.unread != nil {
				s.tree = nil
			}
			if own, err = machine.ServerCPUs(m.URL.Addr); err != nil {
				own, _ = machine.Limits()
			}
		}
		l.attached[m.Name] = s
		if l.service(m.Name) == nil {
			cpus = append(cpus, own...)
		}
	}
	if len(cpus) == 0 {
		return
	}
	slices.Sort(cpus)
	l.machine.ServerCPUs = slices.Compact(cpus)
	l.machine.Pinned = l.pin && !slices.ContainsFunc(cpus, func(cpu int) bool {
		return slices.Contains(l.machine.GeneratorCPUs, cpu)
	})
}

// elsewhere returns a server that is already running at a URL and cannot be read.
func elsewhere(m *contestant.Manifest) *attached {
	return &attached{target: m.URL, unread: errors.New("it is on another machine")}
}

// Elsewhere returns a contestant that is already running at a URL, on a machine that dyno cannot
// read.
func Elsewhere(m *contestant.Manifest) (record.Contestant, Server) {
	s := elsewhere(m)
	return s.contestant(m), s
}

// contestant describes a server that is already running.
func (s *attached) contestant(m *contestant.Manifest) record.Contestant {
	return record.Contestant{Name: m.Name, Title: m.Title, Language: m.Language, Framework: m.Framework, URL: m.URL.URL,
		Processes: s.name(), Toolchain: "none: it was already running", Paths: m.Paths}
}

// launch connects to a server that is already running. Its responses are verified next.
func (s *attached) launch(ctx context.Context) (Server, error) {
	err := s.Thaw()
	if err == nil {
		var d net.Dialer
		var conn net.Conn
		if conn, err = s.target.Dial(ctx, &d); err == nil {
			err = conn.Close()
		}
	}
	if err != nil {
		return nil, &contestant.Failed{Stage: "launch", Err: fmt.Errorf("%s: %w", s.target.URL, err)}
	}
	return s, nil
}

// others returns the servers that were already running, except the loaded one and its parts; each
// process once.
func (l *Local) others(loaded Server) (others []*attached) {
	mine, _ := loaded.(*attached)
	for _, s := range l.attached {
		known := func(o *attached) bool { return o.tree.Shares(s.tree) }
		if s == mine || s.tree == nil || mine != nil && mine.tree != nil && known(mine) ||
			slices.ContainsFunc(others, known) {
			continue
		}
		others = append(others, s)
	}
	return others
}

// used returns the CPU time that the servers have used so far, without processes that have ended.
func used(all []*attached) (sum time.Duration) {
	for _, s := range all {
		if r, err := s.Read(ReadCPU); err == nil {
			sum += r.CPU
		}
	}
	return sum
}
