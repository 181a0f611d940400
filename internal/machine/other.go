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

// errSystem is the error of functions that need Linux. Loading a URL and reading results work on any system.
var errSystem = fmt.Errorf("this needs Linux, and this is %s: %w", runtime.GOOS, errors.ErrUnsupported)

// Process is a started command and its tree. It cannot exist on this system: Start fails, and no method is called.
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

func (p *Process) Pid() int                                      { return 0 }
func (p *Process) Done() <-chan struct{}                         { return nil }
func (p *Process) Err() error                                    { return errSystem }
func (p *Process) Stop(time.Duration) error                      { return errSystem }
func (p *Process) Forced() bool                                  { return false }
func (p *Process) Adopt(int, bool) error                         { return errSystem }
func (p *Process) Network() string                               { return "tcp" }
func (p *Process) Tree() []int                                   { return nil }
func (p *Process) Freeze() error                                 { return errSystem }
func (p *Process) Thaw() error                                   { return errSystem }
func (p *Process) Strayed() error                                { return nil }
func (p *Process) CPU() (time.Duration, error)                   { return 0, errSystem }
func (p *Process) RelayCPU() (time.Duration, error)              { return 0, errSystem }
func (p *Process) RelayEnded() error                             { return nil }
func (p *Process) Usage(*record.Usage) error                     { return errSystem }
func (p *Process) Totals(*record.Usage) error                    { return errSystem }
func (p *Process) Count() func() *int64                          { return func() *int64 { return nil } }
func (p *Process) Meters() (by, absent map[string]string)        { return nil, Absent() }
func (p *Process) Listening(netip.AddrPort) (bool, []int, error) { return false, nil, errSystem }
func (p *Process) Listeners() ([]netip.AddrPort, error)          { return nil, errSystem }

// Running is the process tree behind a server that dyno did not start. It cannot exist on this system either.
type Running struct{}

// FindRunning fails with an error that wraps errors.ErrUnsupported.
func FindRunning(string) (*Running, error) { return nil, errSystem }

func (r *Running) Look()                                  {}
func (r *Running) Pids() []int                            { return nil }
func (r *Running) Name() string                           { return "" }
func (r *Running) Shares(*Running) bool                   { return false }
func (r *Running) Ended() bool                            { return false }
func (r *Running) CPU() (time.Duration, error)            { return 0, errSystem }
func (r *Running) Usage(*record.Usage) error              { return errSystem }
func (r *Running) Totals(*record.Usage) error             { return errSystem }
func (r *Running) Meters() (by, absent map[string]string) { return nil, Absent() }

// Meter reads only the time, and Programs and MachineLock do nothing, because no run can measure here.
type (
	Meter       struct{}
	Programs    struct{}
	MachineLock struct{}
)

func NewMeter() (*Meter, error)                               { return &Meter{}, nil }
func (m *Meter) Close()                                       {}
func (m *Meter) Snapshot(s *Snapshot)                         { *s = Snapshot{At: time.Now()} }
func (p *Programs) Since(cpus int, own ...int) *record.Others { return nil }
func (*MachineLock) Tell(Holder)                              {}
func (*MachineLock) Release()                                 {}

// LockMachine fails with an error that wraps errors.ErrUnsupported.
func LockMachine(context.Context, Holder, func(Holder)) (*MachineLock, error) { return nil, errSystem }

// KeepOptions configure Keep, and Keeper keeps nothing, because no process is started.
type (
	KeepOptions struct {
		Program   string
		Argv, Env []string
	}
	Keeper struct{}
)

func Kept() bool                        { return false }
func Keep(KeepOptions) (*Keeper, error) { return nil, errSystem }
func (k *Keeper) Close() error          { return nil }
func Supervise(io.Reader, string) error { return errSystem }
func MarkTemp(string)                   {}
func UnmarkTemp(string)                 {}

// What is unknown on this system, or cannot be set.

func Absent() map[string]string                     { return map[string]string{"instructions": errSystem.Error()} }
func ServerCPUs(addr string) ([]int, error)         { return nil, errSystem }
func Name(pid int) string                           { return "" }
func PinSelf([]int) (restore func(), err error)     { return nil, errSystem }
func SelfCPU() (time.Duration, error)               { return 0, errSystem }
func FreeBytes(string) int64                        { return 0 }
func LockFolder(string) (release func(), err error) { return func() {}, nil }
func KeepFilesPrivate()                             {}
func Suspended() time.Duration                      { return 0 }
func RaiseFileLimit() (int64, error)                { return 0, nil }
func fileLimit() int64                              { return 0 }

// Usable returns the CPUs that this process may run on.
func Usable() []int {
	list := make([]int, runtime.NumCPU())
	for i := range list {
		list[i] = i
	}
	return list
}
