//go:build !linux

package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"dyno/internal/record"
)

// errSystem is the error of functions that need Linux. Loading a URL and reading results work on
// any system.
var errSystem = fmt.Errorf("starting contestants needs Linux, and this is %s: %w",
	runtime.GOOS, errors.ErrUnsupported)

// Process is a started command and its tree; it cannot exist on this system.
type Process struct {
	log string
	cut atomic.Int64
}

// Start fails with an error that wraps errors.ErrUnsupported.
func Start(cmd Command) (*Process, error) {
	if _, err := cmd.lookup(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return nil, errSystem
}

// Pid and the other methods of Process are never called, because Start fails.
func (p *Process) Pid() int                                      { return 0 }
func (p *Process) Done() <-chan struct{}                         { return nil }
func (p *Process) Err() error                                    { return errSystem }
func (p *Process) Stop(time.Duration) error                      { return errSystem }
func (p *Process) Forced() bool                                  { return false }
func (p *Process) Adopt(pid int) error                           { return errSystem }
func (p *Process) Network() string                               { return "tcp" }
func (p *Process) Tree() []int                                   { return nil }
func (p *Process) Freeze() error                                 { return errSystem }
func (p *Process) Thaw() error                                   { return errSystem }
func (p *Process) Strayed() error                                { return nil }
func (p *Process) CPU() (time.Duration, error)                   { return 0, errSystem }
func (p *Process) RelayCPU() (time.Duration, error)              { return 0, errSystem }
func (p *Process) Usage(*record.Usage) error                     { return errSystem }
func (p *Process) Totals(*record.Usage) error                    { return errSystem }
func (p *Process) Count() func() *int64                          { return func() *int64 { return nil } }
func (p *Process) Meters() (by, absent map[string]string)        { return nil, Absent() }
func (p *Process) Listening(netip.AddrPort) (bool, []int, error) { return false, nil, errSystem }
func (p *Process) Listeners() ([]netip.AddrPort, error)          { return nil, errSystem }

// Running is the process tree behind a server that dyno did not start; it cannot exist on this
// system.
type Running struct{}

// FindRunning fails with an error that wraps errors.ErrUnsupported.
func FindRunning(addr string) (*Running, error) {
	return nil, fmt.Errorf("finding the process behind a socket needs Linux, and this is %s: %w",
		runtime.GOOS, errors.ErrUnsupported)
}

// Look and the other methods of Running are never called, because FindRunning fails.
func (r *Running) Look()                                  {}
func (r *Running) Pids() []int                            { return nil }
func (r *Running) Name() string                           { return "" }
func (r *Running) Shares(*Running) bool                   { return false }
func (r *Running) Ended() bool                            { return false }
func (r *Running) CPU() (time.Duration, error)            { return 0, errSystem }
func (r *Running) Usage(*record.Usage) error              { return errSystem }
func (r *Running) Totals(*record.Usage) error             { return errSystem }
func (r *Running) Meters() (by, absent map[string]string) { return nil, Absent() }

// Absent returns, by name, the figures that this machine cannot measure for a tree, with the
// reason.
func Absent() map[string]string { return map[string]string{"instructions": errSystem.Error()} }

// ownerOf returns nothing on this system.
func ownerOf(port int) []int { return nil }

// ServerCPUs fails with an error that wraps errors.ErrUnsupported.
func ServerCPUs(network, addr string) ([]int, error) { return nil, errSystem }

// Name returns "" on this system.
func Name(pid int) string { return "" }

// PinSelf fails with an error that wraps errors.ErrUnsupported.
func PinSelf(cpus []int) (restore func(), err error) { return nil, errSystem }

// SelfCPU fails with an error that wraps errors.ErrUnsupported.
func SelfCPU() (time.Duration, error) { return 0, errSystem }

// KeepOptions configure Keep.
type KeepOptions struct {
	Command, Program string
	Argv, Env        []string
}

// Keeper does nothing on this system, because no process is started.
type Keeper struct{ Swept []string }

// Kept reports whether this process has a Keeper.
func Kept() bool { return false }

// Keep does nothing on this system.
func Keep(KeepOptions) (*Keeper, error) { return &Keeper{}, nil }

// FreeBytes returns 0 on this system.
func FreeBytes(string) int64 { return 0 }

// MarkTemp does nothing on this system.
func MarkTemp(string) {}

// UnmarkTemp does nothing on this system.
func UnmarkTemp(string) {}

// Close does nothing on this system.
func (k *Keeper) Close() error { return nil }

// Supervise fails with an error that wraps errors.ErrUnsupported.
func Supervise(io.Reader, string) error { return errSystem }

// MachineLock does nothing on this system, because no run can measure.
type MachineLock struct{}

// Tell does nothing on this system.
func (*MachineLock) Tell(Holder) {}

// Release does nothing on this system.
func (*MachineLock) Release() {}

// LockMachine does nothing on this system.
func LockMachine(context.Context, Holder, func(Holder)) (*MachineLock, error) {
	return &MachineLock{}, nil
}

// LockFolder does nothing on this system.
func LockFolder(string) (release func(), err error) { return func() {}, nil }

// KeepFilesPrivate does nothing on this system.
func KeepFilesPrivate() {}

// Meter reads only the time: dyno has no reader for this system's counters yet.
type Meter struct{}

// NewMeter never fails here.
func NewMeter() (*Meter, error) { return &Meter{}, nil }

// Close does nothing here.
func (m *Meter) Close() {}

// Snapshot sets only At; the causes between two snapshots are 0.
func (m *Meter) Snapshot(s *Snapshot) { *s = Snapshot{At: time.Now()} }

// Programs reads nothing on this system.
type Programs struct{}

// Since returns nil.
func (p *Programs) Since(cpus int, own ...int) *record.Others { return nil }

// Suspended returns 0, because it is unknown on this system.
func Suspended() time.Duration { return 0 }

// Usable returns the CPUs that this process may run on.
func Usable() []int {
	list := make([]int, runtime.NumCPU())
	for i := range list {
		list[i] = i
	}
	return list
}

func fileLimit() int64 { return 0 }

// RaiseFileLimit changes nothing here.
func RaiseFileLimit() (int64, error) { return 0, nil }
