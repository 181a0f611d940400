package host

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Meter reads the machine's clocks. Once it has met all threads it does not allocate. It is not safe for concurrent use.
type Meter struct {
	stat     int // descriptor of /proc/stat
	tasks    int // of /proc/self/task
	throttle int // of our cgroup's cpu.stat, -1 if there is none
	v2       bool
	threads  map[int]*thread
	round    uint64
	ended    time.Duration // run-queue delay of threads that are no more
	buf      [64 << 10]byte
}

// thread is one of this process. Its file stays open: reading from offset 0 makes the kernel write it anew.
type thread struct {
	fd    int
	delay time.Duration
	round uint64 // last seen
}

// NewMeter opens the files that a snapshot is read from.
func NewMeter() (*Meter, error) {
	m := &Meter{throttle: -1, threads: map[int]*thread{}}
	var err error
	if m.stat, err = unix.Open("/proc/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("open /proc/stat: %w", err)
	}
	if m.tasks, err = unix.Open("/proc/self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		unix.Close(m.stat)
		return nil, fmt.Errorf("open /proc/self/task: %w", err)
	}
	for _, g := range groups(os.DirFS("/")) {
		fd, err := unix.Open(path.Join("/", g.mount, g.path, "cpu.stat"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		if n, _ := unix.Pread(fd, m.buf[:], 0); !bytes.Contains(m.buf[:max(n, 0)], []byte("throttled_")) {
			unix.Close(fd)
			continue
		}
		m.throttle, m.v2 = fd, g.version == 2
		break
	}
	return m, nil
}

// Close closes the files.
func (m *Meter) Close() {
	for _, t := range m.threads {
		unix.Close(t.fd)
	}
	m.threads = nil
	unix.Close(m.stat)
	unix.Close(m.tasks)
	if m.throttle >= 0 {
		unix.Close(m.throttle)
	}
}

// Snapshot reads all clocks into s, whose memory it uses again. What cannot be read stays 0 or empty.
func (m *Meter) Snapshot(s *Snapshot) {
	s.At = time.Now()
	n, err := unix.Pread(m.stat, m.buf[:], 0)
	if err != nil {
		n = 0
	}
	s.CPUs = parseCPUs(m.buf[:n], s.CPUs)
	s.RunQueue = m.runQueue()
	s.Throttled = 0
	if m.throttle >= 0 {
		if n, err := unix.Pread(m.throttle, m.buf[:], 0); err == nil {
			s.Throttled = throttled(m.buf[:n], m.v2)
		}
	}
}

// runQueue sums field 2 of /proc/self/task/*/schedstat: ns that a thread waited on a run queue, exact (kernel
// Documentation/scheduler/sched-stats.rst).
func (m *Meter) runQueue() time.Duration {
	m.round++
	unix.Seek(m.tasks, 0, unix.SEEK_SET)
	for {
		n, err := unix.ReadDirent(m.tasks, m.buf[:])
		if err != nil || n <= 0 {
			break
		}
		for list := m.buf[:n]; len(list) > direntName; {
			size := int(binary.NativeEndian.Uint16(list[direntSize:]))
			if size <= direntName || size > len(list) {
				break
			}
			if tid, rest := number(list[direntName:size]); tid > 0 && len(rest) > 0 && rest[0] == 0 {
				m.meet(int(tid))
			}
			list = list[size:]
		}
	}
	sum := m.ended
	for tid, t := range m.threads {
		if delay, ok := t.read(m.buf[:]); ok && t.round == m.round {
			t.delay = delay
			sum += delay
			continue
		}
		m.ended += t.delay
		sum += t.delay
		unix.Close(t.fd)
		delete(m.threads, tid)
	}
	return sum
}

// Offsets of struct linux_dirent64 (getdents64(2)): d_ino 8, d_off 8, d_reclen 2, d_type 1, d_name.
const (
	direntSize = 16
	direntName = 19
)

func (m *Meter) meet(tid int) {
	t := m.threads[tid]
	if t == nil {
		fd, err := unix.Open("/proc/self/task/"+strconv.Itoa(tid)+"/schedstat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return
		}
		t = &thread{fd: fd}
		m.threads[tid] = t
	}
	t.round = m.round
}

// read uses buf, as a local one would escape into the system call.
func (t *thread) read(buf []byte) (time.Duration, bool) {
	n, err := unix.Pread(t.fd, buf, 0)
	if err != nil || n <= 0 {
		return 0, false
	}
	_, rest := number(buf[:n]) // time on a CPU
	delay, _ := number(rest)
	return time.Duration(delay), true
}

// usable are the CPUs that this process may run on.
func usable() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var list []int
	for cpu := 0; len(list) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list
}

func fileLimit() int64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int64(min(limit.Cur, 1<<62))
}

// RaiseFileLimit raises the soft limit of open files (RLIMIT_NOFILE) to the hard one, for this process and those it starts from then on, and
// returns what holds. Note: Go raises its own at the start, but gives the old one to children unless it was set by hand.
func RaiseFileLimit() (int64, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	limit.Cur = limit.Max
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fileLimit(), fmt.Errorf("raise the limit of open files to %d: %w", limit.Max, err)
	}
	return fileLimit(), nil
}
