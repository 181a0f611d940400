package machine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/record"
)

// CPU returns the CPU time that the tree has used, in ns. A process without children costs two
// system calls and no allocation. Members are those that the last Tree, Freeze or Thaw saw. The
// tree's cgroup counts children that have ended. Without a cgroup they count once their parent has
// waited for them, in ticks of 10 ms; if the parent never waits or ignores SIGCHLD, a child's time
// is lost. CPU never decreases. After the end it is the value from wait4, or from the cgroup if
// that is larger.
//
// Each method can only miss time, so the largest value is the most accurate. Note: the cgroup alone
// would do for the whole tree, but it lags by up to a tick behind running threads, which is too
// coarse for a window of 0.1 s; the clocks of living processes do not lag.
func (p *Process) CPU() (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readGroup()
	used, err := p.clocks()
	if err != nil {
		return 0, err
	}
	p.reported = max(p.reported, used, p.grouped)
	return p.reported, nil
}

// clocks returns the CPU time by the members' clocks. p.mu is held.
func (p *Process) clocks() (time.Duration, error) {
	var ended time.Duration
	if p.exited() {
		ended = p.used
	} else if !p.family {
		d, err := cpuClock(p.pid)
		if err != nil && p.exited() {
			return p.used, nil
		}
		if err != nil {
			return 0, fmt.Errorf("read CPU clock of %d: %w", p.pid, err)
		}
		return d, nil
	}
	var living time.Duration
	for i := range p.members {
		m := &p.members[i]
		if m.pid == p.pid && p.exited() {
			continue
		}
		now, err := readStat(m.pid)
		if err != nil || now.started != m.started {
			continue
		}
		ended += now.waited.sum()
		if d, err := cpuClock(m.pid); err == nil {
			living += d
		}
	}
	return living + max(ended, p.gone), nil
}

// readGroup reads the cgroup's count. p.mu is held.
func (p *Process) readGroup() {
	if p.group == nil {
		return
	}
	if d, err := p.group.usage(); err == nil {
		p.grouped = max(p.grouped, d)
	}
}

// settle computes the CPU time used by ended processes: the cgroup's count minus the living
// members' clocks. It is exact only while all members are frozen and known. For a process that was
// moved into the cgroup, the time before is missing.
func (p *Process) settle(members []stat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group == nil || !p.family || !p.group.holds(members) {
		return
	}
	p.readGroup()
	gone := p.grouped
	for _, m := range members {
		d, err := cpuClock(m.pid)
		if err != nil {
			return
		}
		gone -= d
	}
	p.gone = max(p.gone, gone)
}

// cpuClock reads a process's CPU-time clock in ns, which counts all threads, including ended ones.
// The clock's number is made as the kernel does, MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) in
// include/linux/posix-timers_types.h.
func cpuClock(pid int) (time.Duration, error) {
	const cpuclockSched = 2
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|cpuclockSched), &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}

// Usage sets in u the tree's present processes, threads and memory. Figures that cannot be read
// stay nil, and the error gives the reason.
//
// Memory is the proportional set size of pages that belong to no file (Pss_Anon, Pss_Shmem and
// SwapPss in smaps_rollup, kernel Documentation/filesystems/proc.rst): a page that n processes share
// counts 1/n in each. These processes are of one tree, so the sum is what the tree has for itself.
// Private_Clean would not do: a library's pages move from there to Shared_Clean when another program
// maps it, and it lacks what a tree's own processes share. A reading takes 0.1 ms per process and
// 17 ms per GiB in use, so read it while the tree is frozen.
func (p *Process) Usage(u *record.Usage) error {
	if err := holding(u, p.current()); err != nil {
		return fmt.Errorf("read usage of %d: %w", p.pid, err)
	}
	return nil
}

// holding sets in u the processes, threads and memory of members.
func holding(u *record.Usage, members []stat) error {
	u.Processes = len(members)
	if len(members) == 0 {
		return errors.New("it has ended")
	}
	var threads, private, swap int64
	swaps := true
	for _, m := range members {
		threads += int64(m.threads)
	}
	u.Threads = &threads
	for _, m := range members {
		data, err := readFile(m, "smaps_rollup")
		if err != nil {
			return fmt.Errorf("read memory: %w", err)
		}
		if data == nil {
			continue
		}
		heap, ok := kilobytes(data, "Pss_Anon")
		shared, ok2 := kilobytes(data, "Pss_Shmem") // such as .NET's compiled code
		switch {
		case ok && ok2:
		case gone(m):
			continue
		default:
			return fmt.Errorf("read memory of %d: smaps_rollup has no lines Pss_Anon and Pss_Shmem; they need Linux 5.3",
				m.pid)
		}
		private += heap + shared
		n, ok := kilobytes(data, "SwapPss") // since Linux 4.3; not in a kernel without swap
		swap, swaps = swap+n, swaps && ok
	}
	u.PrivateBytes = &private
	if !swaps {
		return errors.New("read swapped memory: smaps_rollup has no line SwapPss")
	}
	u.SwapPSSBytes = &swap
	return nil
}

// current returns the members. While all known members are stopped it does not look for others,
// because no process in a frozen tree can fork; otherwise it calls refresh.
func (p *Process) current() []stat {
	members, all := p.known()
	if !all || len(members) == 0 || slices.ContainsFunc(members, func(m stat) bool { return !m.stopped() }) {
		return p.refresh()
	}
	return members
}

// known returns the members from the last reading that still live, as they are now, and whether all
// do.
func (p *Process) known() (members []stat, all bool) {
	p.mu.Lock()
	before := slices.Clone(p.members)
	p.mu.Unlock()
	for _, m := range before {
		if now, err := readStat(m.pid); err == nil && now.started == m.started {
			members = append(members, now)
		}
	}
	return members, len(members) == len(before)
}

// Totals sets in u the tree's CPU time since its start, its pages of files and the number of open sockets. It reads
// each open file (5 µs), so call it once per epoch. Figures that cannot be read
// stay nil, and the error gives the reason.
//
// Pages of files (RssFile) count shared pages fully in each process: for several processes they are an upper bound.
func (p *Process) Totals(u *record.Usage) error {
	members := p.refresh()
	if len(members) == 0 {
		return fmt.Errorf("read totals of %d: it has ended", p.pid)
	}
	user, system := p.split(members)
	u.CPUUserTotalNS, u.CPUSystemTotalNS = &user, &system
	return totals(u, members)
}

// totals sets in u the pages of files and the open sockets of members.
func totals(u *record.Usage, members []stat) error {
	var files int64
	sockets := map[string]bool{}
	var failed error
	for _, m := range members {
		failed = errors.Join(failed, addFiles(m, &files), addSockets(m, sockets))
	}
	if failed != nil {
		return fmt.Errorf("read totals: %w", failed)
	}
	open := int64(len(sockets))
	u.FileBytes, u.OpenSockets = &files, &open
	return nil
}

// split returns the tree's CPU time in user and system mode, in ns: from the cgroup, or else, in
// ticks of 10 ms, from the members and the children they waited for.
func (p *Process) split(members []stat) (user, system int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group != nil {
		if u, s, err := p.group.split(); err == nil {
			return int64(u), int64(s)
		}
	}
	return inTicks(members)
}

// inTicks returns the CPU time of members and the children that they waited for, in ns.
func inTicks(members []stat) (user, system int64) {
	for _, m := range members {
		user += int64(m.own.user + m.waited.user)
		system += int64(m.own.system + m.waited.system)
	}
	return user, system
}

// readFile reads a file in /proc/pid. It returns nil without an error if the process has ended
// meanwhile.
func readFile(m stat, name string) ([]byte, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(m.pid) + "/" + name)
	if err != nil && gone(m) {
		return nil, nil
	}
	return data, err
}

// addFiles adds m's resident pages of files.
func addFiles(m stat, files *int64) error {
	data, err := readFile(m, "status")
	if data == nil {
		return err
	}
	n, ok := kilobytes(data, "RssFile")
	if !ok && !gone(m) {
		return fmt.Errorf("status of %d has no line RssFile", m.pid)
	}
	*files += n
	return nil
}

// addSockets adds the sockets that m has open to set, by their links. A socket that several
// processes share counts once.
func addSockets(m stat, set map[string]bool) error {
	links, err := openFiles(m.pid)
	if err != nil && !gone(m) {
		return err
	}
	for _, link := range links {
		if strings.HasPrefix(link, "socket:") {
			set[link] = true
		}
	}
	return nil
}

func gone(m stat) bool {
	now, err := readStat(m.pid)
	return err != nil || now.started != m.started || now.dead()
}

// kilobytes returns the value on the line "key: n kB", in bytes.
func kilobytes(data []byte, key string) (int64, bool) {
	n := memory(string(data), key)
	if n == nil {
		return 0, false
	}
	return *n, true
}

// SelfCPU returns the CPU time that this process has used, in all threads. It does not allocate.
func SelfCPU() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		return 0, fmt.Errorf("read own CPU clock: %w", err)
	}
	return time.Duration(ts.Nano()), nil
}
