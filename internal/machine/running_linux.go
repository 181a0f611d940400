package machine

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"dyno/internal/record"
)

// Running is the process tree behind a server that dyno did not start. dyno only reads it, and
// never stops, pins or signals it.
type Running struct {
	addr string // host:port that it listens on

	mu       sync.Mutex
	roots    []stat // processes that hold the listening socket
	members  []stat // roots and their descendants, when last read
	reported time.Duration
}

// forwarders are the programs that forward connections to a container's port. The server behind
// them uses other CPU time.
var forwarders = []string{"docker-proxy", "rootlessport", "slirp4netns", "pasta", "conmon", "kubectl"}

// FindRunning finds the processes that listen on addr, an IP address and a port on this machine. It
// returns an error if they cannot be found or read.
func FindRunning(addr string) (*Running, error) {
	all, pids, err := serving(addr)
	if err != nil {
		return nil, err
	}
	if slices.Contains(pids, os.Getpid()) {
		return nil, fmt.Errorf("dyno itself listens on %s", addr)
	}
	r := &Running{addr: addr}
	for _, s := range all {
		switch name := Name(s.pid); {
		case !slices.Contains(pids, s.pid):
		case slices.Contains(forwarders, name):
			return nil, fmt.Errorf("%s (pid %d) only forwards connections to %s to another process", name, s.pid, addr)
		default:
			r.roots = append(r.roots, s)
		}
	}
	if len(r.roots) == 0 {
		return nil, fmt.Errorf("the process that listened on %s has just ended", addr)
	}
	r.Look()
	if _, err := r.CPU(); err != nil {
		return nil, err
	}
	return r, nil
}

// Look reads the tree's present members: the processes that listen and their descendants, without
// this process and its children.
func (r *Running) Look() {
	all, err := processes()
	if err != nil {
		return
	}
	ours := map[int]bool{}
	oldest := uint64(1<<64 - 1)
	for i := range all {
		for _, root := range r.roots {
			if all[i].pid == root.pid && all[i].started == root.started {
				ours[root.pid], oldest = true, min(oldest, root.started)
			}
		}
	}
	others := slices.DeleteFunc(slices.Clone(all), func(s stat) bool { return s.pid == os.Getpid() })
	descend(others, ours, oldest)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.members = slices.DeleteFunc(all, func(s stat) bool { return !ours[s.pid] || s.dead() })
}

// Pids returns the members when last read, in ascending order.
func (r *Running) Pids() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := pids(r.members)
	slices.Sort(list)
	return list
}

// Name describes the processes that listen: "node (pid 4711)".
func (r *Running) Name() string {
	name := fmt.Sprintf("%s (pid %d)", Name(r.roots[0].pid), r.roots[0].pid)
	if more := len(r.roots) - 1; more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	return name
}

// Shares reports whether a process belongs to both trees.
func (r *Running) Shares(o *Running) bool {
	mine := r.Pids()
	return slices.ContainsFunc(o.Pids(), func(pid int) bool { return slices.Contains(mine, pid) })
}

// Ended reports whether all processes that listened when the tree was found have ended. A restarted
// process is a different one.
func (r *Running) Ended() bool {
	return !slices.ContainsFunc(r.roots, func(root stat) bool { return !gone(root) })
}

// CPU returns the CPU time used by the members when last read, and by the children that they waited
// for, the latter in ticks of 10 ms. It never decreases. If a child ends uncounted, its time is
// lost.
func (r *Running) CPU() (time.Duration, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var sum time.Duration
	read := 0
	for i := range r.members {
		m := &r.members[i]
		d, err := cpuClock(m.pid)
		if err != nil {
			continue
		}
		now, err := readStat(m.pid)
		if err != nil || now.started != m.started {
			continue
		}
		sum, read = sum+d+now.waited.sum(), read+1
	}
	if read == 0 {
		return 0, fmt.Errorf("read the CPU clock of the process that listens on %s: it has ended", r.addr)
	}
	r.reported = max(r.reported, sum)
	return r.reported, nil
}

// current returns the present members, as Process.current does.
func (r *Running) current() []stat {
	r.Look()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.members)
}

// Usage sets in u the tree's present processes, threads and memory; the tree keeps running. Figures
// that cannot be read stay nil, and the error gives the reason.
func (r *Running) Usage(u *record.Usage) error { return holding(u, r.current()) }

// Totals sets in u the totals since the processes started, and the number of open sockets. Figures
// that cannot be read stay nil, and the error gives the reason.
func (r *Running) Totals(u *record.Usage) error {
	members := r.current()
	user, system := inTicks(members)
	u.CPUUserTotalNS, u.CPUSystemTotalNS = &user, &system
	return totals(u, members)
}

// Meters returns how the tree's CPU time is measured, and which figures are absent and why.
func (r *Running) Meters() (by, absent map[string]string) {
	by = map[string]string{"cpu": "process clocks"}
	absent = map[string]string{"instructions": "it was already running, and the kernel counts them from the start " +
		"of a process"}
	var u record.Usage
	if err := r.Usage(&u); err != nil {
		absent["memory"] = err.Error()
	}
	if err := r.Totals(&u); err != nil {
		absent["totals"] = err.Error()
	}
	return by, absent
}
