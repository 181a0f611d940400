package machine

import (
	"fmt"
	"math"
	"path"
	"time"

	"golang.org/x/sys/unix"
)

// Meter reads the machine's counters. After its first snapshot it does not allocate. It is not safe
// for concurrent use.
type Meter struct {
	stat     int // descriptor for /proc/stat
	throttle int // descriptor for our cgroup's cpu.stat; -1 if there is none
	buf      [64 << 10]byte
}

// NewMeter opens the files that Snapshot reads.
func NewMeter() (*Meter, error) {
	m := &Meter{throttle: -1}
	var err error
	if m.stat, err = unix.Open("/proc/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, fmt.Errorf("open /proc/stat: %w", err)
	}
	if dir := ownGroup(); dir != "" {
		if m.throttle, err = unix.Open(path.Join(dir, "cpu.stat"), unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			m.throttle = -1
		}
	}
	return m, nil
}

// Close closes the files.
func (m *Meter) Close() {
	unix.Close(m.stat)
	if m.throttle >= 0 {
		unix.Close(m.throttle)
	}
}

// Snapshot reads all counters into s and reuses its memory. A counter that it cannot read is 0 or
// empty.
func (m *Meter) Snapshot(s *Snapshot) {
	s.At = time.Now()
	n, _ := unix.Pread(m.stat, m.buf[:], 0)
	s.CPUs = parseCPUs(m.buf[:max(n, 0)], s.CPUs)
	s.Throttled, s.Suspended = 0, Suspended()
	if m.throttle >= 0 {
		if n, err := unix.Pread(m.throttle, m.buf[:], 0); err == nil {
			s.Throttled, _ = field(m.buf[:n], "throttled_usec") // absent in the root group
		}
	}
}

// Suspended returns how long this machine has been suspended since it booted: CLOCK_BOOTTIME
// advances during that time, CLOCK_MONOTONIC does not (clock_gettime(2)). From three readings it
// uses the one whose clocks were read closest together.
func Suspended() time.Duration {
	least, sum := int64(math.MaxInt64), int64(0)
	for range 3 {
		var before, boot, after unix.Timespec
		if unix.ClockGettime(unix.CLOCK_MONOTONIC, &before) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME,
			&boot) != nil ||
			unix.ClockGettime(unix.CLOCK_MONOTONIC, &after) != nil {
			return 0
		}
		if apart := after.Nano() - before.Nano(); apart < least {
			least, sum = apart, boot.Nano()-before.Nano()-apart/2
		}
	}
	return time.Duration(sum)
}

// Usable returns the CPUs that this process may run on.
func Usable() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	return cpuNumbers(&set)
}

func fileLimit() int64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int64(min(limit.Cur, 1<<62))
}

// RaiseFileLimit raises the soft open file limit (RLIMIT_NOFILE) to the hard limit, for this
// process and its future children, and returns the limit in force.
//
// Note: Go raises its own limit at the start, but restores the old one for children unless the
// process sets it explicitly.
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
