//go:build !linux

package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"time"

	"dyno/internal/result"
)

// errSystem says that contestants cannot be started here. Loading a URL and reading results work on
// any system.
var errSystem = fmt.Errorf("starting contestants is built for Linux, and this is %s: %w",
	runtime.GOOS, errors.ErrUnsupported)

// Process is a started command and its tree; on this system there is none.
type Process struct{ log string }

// Start fails with an error that wraps errors.ErrUnsupported.
func Start(cmd Command) (*Process, error) {
	if _, err := cmd.lookup(); err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	return nil, errSystem
}

// The methods of a Process that cannot be.
func (p *Process) Pid() int                                { return 0 }
func (p *Process) Done() <-chan struct{}                   { return nil }
func (p *Process) Err() error                              { return errSystem }
func (p *Process) Stop(time.Duration) error                { return errSystem }
func (p *Process) Forced() bool                            { return false }
func (p *Process) Adopt(pid int) error                     { return errSystem }
func (p *Process) Network() string                         { return "tcp" }
func (p *Process) Tree() []int                             { return nil }
func (p *Process) Freeze() error                           { return errSystem }
func (p *Process) Thaw() error                             { return errSystem }
func (p *Process) Strayed() error                          { return nil }
func (p *Process) CPU() (time.Duration, error)             { return 0, errSystem }
func (p *Process) Usage(*result.Usage) error               { return errSystem }
func (p *Process) Totals(*result.Usage) error              { return errSystem }
func (p *Process) Count() func() *int64                    { return func() *int64 { return nil } }
func (p *Process) Meters() (by, absent map[string]string)  { return nil, Absent() }
func (p *Process) Listening(port int) (bool, []int, error) { return false, nil, errSystem }
func (p *Process) Listeners() ([]netip.AddrPort, error)    { return nil, errSystem }

// Running is the process tree of a server that somebody else started; on this system it is not found.
type Running struct{}

// FindRunning fails with an error that wraps errors.ErrUnsupported.
func FindRunning(addr string) (*Running, error) {
	return nil, fmt.Errorf("finding the process behind a socket is built for Linux, and this is %s: %w",
		runtime.GOOS, errors.ErrUnsupported)
}

// The methods of a Running that cannot be.
func (r *Running) Look()                                  {}
func (r *Running) Pids() []int                            { return nil }
func (r *Running) Name() string                           { return "" }
func (r *Running) Shares(*Running) bool                   { return false }
func (r *Running) Ended() bool                            { return false }
func (r *Running) CPU() (time.Duration, error)            { return 0, errSystem }
func (r *Running) Usage(*result.Usage) error              { return errSystem }
func (r *Running) Totals(*result.Usage) error             { return errSystem }
func (r *Running) Meters() (by, absent map[string]string) { return nil, Absent() }

// Absent names what this machine cannot tell of a tree, and why.
func Absent() map[string]string { return map[string]string{"instructions": errSystem.Error()} }

// Owner knows nobody here.
func Owner(port int) []int { return nil }

// ServerCPUs fails with an error that wraps errors.ErrUnsupported.
func ServerCPUs(network, addr string) ([]int, error) { return nil, errSystem }

// Name knows nobody here.
func Name(pid int) string { return "" }

// PinSelf fails with an error that wraps errors.ErrUnsupported.
func PinSelf(cpus []int) (restore func(), err error) { return nil, errSystem }

// SelfCPU fails with an error that wraps errors.ErrUnsupported.
func SelfCPU() (time.Duration, error) { return 0, errSystem }

// KeepOptions are those of Keep.
type KeepOptions struct {
	Command, Program string
	Argv, Env        []string
}

// Keeper keeps track of nothing: nothing is started here.
type Keeper struct{ Swept []string }

// Keep has nothing to do here.
func Keep(KeepOptions) (*Keeper, error) { return &Keeper{}, nil }

// MarkTemp has nothing to record here.
func MarkTemp(string) {}

// UnmarkTemp has nothing to record here.
func UnmarkTemp(string) {}

// Close has nothing to do here.
func (k *Keeper) Close() error { return nil }

// Supervise fails with an error that wraps errors.ErrUnsupported.
func Supervise(io.Reader, string) error { return errSystem }

// LockMachine locks nothing: nobody can measure here.
func LockMachine(context.Context, Holder, func(Holder)) (release func(), err error) {
	return func() {}, nil
}

// LockFolder locks nothing, likewise.
func LockFolder(string) (release func(), err error) { return func() {}, nil }

// KeepFilesPrivate has nothing to do here.
func KeepFilesPrivate() {}
