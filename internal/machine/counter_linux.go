package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// event identifies a countable event (perf_event_open(2)).
type event struct {
	kind   uint32
	config uint64
}

// instructions are retired instructions, in the program and in the kernel on the program's behalf.
var instructions = event{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS}

// counter counts an event in the processes that the opening thread starts afterwards, and in all
// their threads and children, including ended ones. Counting begins with exec: neither the opening
// thread nor the fork is counted.
type counter struct {
	fd     int
	kernel bool // events in the kernel are counted too
	buf    [24]byte
}

// openCounter opens a counter for e on this thread, which must start no other process until the
// counter is closed. If this user may not count events in the kernel, openCounter counts those in
// the program only.
//
// Note: a counter attached after the process has started would miss the threads created by then;
// this happened in a fifth of the starts of Go programs.
func openCounter(e event) (*counter, error) {
	attr := unix.PerfEventAttr{Type: e.kind, Config: e.config,
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		Bits:        unix.PerfBitDisabled | unix.PerfBitInherit | unix.PerfBitEnableOnExec | unix.PerfBitExcludeHv}
	attr.Size = uint32(unsafe.Sizeof(attr))
	c := &counter{kernel: true}
	var err error
	c.fd, err = unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		c.kernel = false
		attr.Bits |= unix.PerfBitExcludeKernel
		c.fd, err = unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	}
	if err != nil {
		return nil, fmt.Errorf("perf_event_open: %w", refusal(err))
	}
	return c, nil
}

// refusal explains an errno from perf_event_open.
func refusal(err error) error {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENODEV):
		return fmt.Errorf("this machine lacks the counter (%w)", err)
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		paranoid, _ := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
		return fmt.Errorf("not permitted; kernel.perf_event_paranoid is %q (%w)",
			strings.TrimSpace(string(paranoid)), err)
	case errors.Is(err, unix.ENOSYS):
		return fmt.Errorf("the kernel was built without it (%w)", err)
	}
	return err
}

func (c *counter) close() { unix.Close(c.fd) }

// read returns the count so far. It does not allocate.
func (c *counter) read() (count, error) {
	n, err := unix.Read(c.fd, c.buf[:])
	if err != nil {
		return count{}, err
	}
	if n != len(c.buf) {
		return count{}, errors.New("perf event: a short read")
	}
	at := func(i int) uint64 { return binary.NativeEndian.Uint64(c.buf[8*i:]) }
	return count{at(0), at(1), at(2)}, nil
}

// count is one reading. If there are more events than hardware counters, the kernel multiplexes
// them: enabled is the time in ns that the threads ran, running the time in ns that the event was
// counted.
type count struct{ value, enabled, running uint64 }

// leastCounted is the smallest counted share. Below it, the scaled value would be a guess.
const leastCounted = 0.5

// since returns the number of events between two readings, scaled to the full enabled time. ok is
// false if the counted share is below leastCounted. A tree that did not run counted 0.
func (c count) since(before count) (n int64, ok bool) {
	value, enabled, running := c.value-before.value, c.enabled-before.enabled, c.running-before.running
	if enabled == 0 {
		return 0, true
	}
	share := float64(running) / float64(enabled)
	if share < leastCounted {
		return 0, false
	}
	if running >= enabled {
		return int64(value), true
	}
	return int64(float64(value) / share), true
}

// countable returns an error if instructions cannot be counted on this machine.
var countable = sync.OnceValue(func() error {
	c, err := openCounter(instructions)
	if err != nil {
		return err
	}
	c.close()
	return nil
})

// Absent returns, by name, the figures that this machine cannot measure for a tree, with the
// reason.
func Absent() map[string]string {
	if err := countable(); err != nil {
		return map[string]string{"instructions": err.Error()}
	}
	return nil
}

// Count starts to count the tree's instructions. The function that it returns returns the number
// since then, or nil if instructions are not counted.
func (p *Process) Count() func() *int64 {
	before, err := p.counted()
	return func() *int64 {
		after, err2 := p.counted()
		if err != nil || err2 != nil {
			return nil
		}
		if n, ok := after.since(before); ok {
			return &n
		}
		return nil
	}
}

func (p *Process) counted() (count, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counter == nil {
		return count{}, p.uncounted
	}
	return p.counter.read()
}

// Meters returns how the tree's CPU time and instructions are measured, and why figures are absent.
func (p *Process) Meters() (by, absent map[string]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	by, absent = map[string]string{"cpu": "process clocks"}, map[string]string{}
	if p.group != nil {
		by["cpu"] += " and cgroup v2"
	}
	switch {
	case p.counter == nil:
		absent["instructions"] = p.uncounted.Error()
	case p.counter.kernel:
		by["instructions"] = "program and kernel"
	default:
		by["instructions"] = "program alone"
	}
	return by, absent
}
