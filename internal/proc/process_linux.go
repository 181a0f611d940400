package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Process is a started command and its tree. Its methods are safe for concurrent use.
type Process struct {
	pid     int
	started uint64 // starttime of /proc/pid/stat: with pid, it names a process for good
	box     string // "DYNO_BOX=…", as it stands in the environment
	log     string
	done    chan struct{}
	err     error         // set before done is closed
	used    time.Duration // by the process and the children it waited for, likewise

	mu       sync.Mutex
	members  []stat // the live tree as last read, the started process first while it lives
	family   bool   // children were seen: their time counts too
	leftover bool   // the started process is gone and so is its group: its number may be another's by now
	reported time.Duration
}

// launcher starts processes from one thread that never ends. The kernel sends Pdeathsig when the parent *thread* ends (prctl(2),
// PR_SET_PDEATHSIG), and affinity is a thread's too, so an ordinary goroutine's thread will not do.
type launcher struct {
	work     chan func()
	original unix.CPUSet // of this process before anything was pinned
	mu       sync.Mutex  // held over changes of affinity
}

var launching = sync.OnceValue(func() *launcher {
	l := &launcher{work: make(chan func())}
	unix.SchedGetaffinity(0, &l.original) // on error the set is empty, which start takes for "do not pin"
	go func() {
		runtime.LockOSThread()
		for f := range l.work {
			f()
		}
	}()
	return l
})

// boxes numbers the trees of this process.
var boxes atomic.Int64

// Start starts cmd in a process group of its own. The caller owns the Process and must Stop it, also once it is Done; if this program dies
// first, the kernel kills the started process, but not its children.
func Start(cmd Command) (*Process, error) {
	path, err := cmd.lookup()
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	input, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	defer input.Close()
	name := cmd.Log
	if name == "" {
		name = os.DevNull
	}
	output, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	defer output.Close()

	box := fmt.Sprintf("%s=%d.%d", BoxVariable, os.Getpid(), boxes.Add(1))
	attr := &os.ProcAttr{
		Dir:   cmd.Dir,
		Env:   append(cmd.Env[:len(cmd.Env):len(cmd.Env)], box),
		Files: []*os.File{input, output, output},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	child, err := launching().start(path, cmd.Argv, attr, cmd.CPUs)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	p := &Process{pid: child.Pid, box: box, log: cmd.Log, done: make(chan struct{})}
	if s, err := readStat(p.pid); err == nil {
		p.started = s.started
		p.members = []stat{s}
	}
	go p.wait(child)
	return p, nil
}

// start runs os.StartProcess on the launcher's thread, which has the wanted affinity for as long as the fork takes.
func (l *launcher) start(path string, argv []string, attr *os.ProcAttr, cpus []int) (child *os.Process, err error) {
	set, err := cpuSet(cpus)
	if err != nil {
		return nil, err
	}
	if len(cpus) == 0 {
		set = l.original
	}
	done := make(chan struct{})
	l.work <- func() {
		defer close(done)
		l.mu.Lock()
		defer l.mu.Unlock()
		if set.Count() > 0 {
			var before unix.CPUSet
			if err = unix.SchedGetaffinity(0, &before); err == nil {
				err = unix.SchedSetaffinity(0, &set)
			}
			if err != nil {
				err = fmt.Errorf("pin to CPUs %v: %w", cpus, err)
				return
			}
			defer unix.SchedSetaffinity(0, &before)
		}
		child, err = os.StartProcess(path, argv, attr)
	}
	<-done
	return child, err
}

func (p *Process) wait(child *os.Process) {
	state, err := child.Wait()
	switch {
	case err != nil:
		p.err = err
	case !state.Success():
		p.err = &exec.ExitError{ProcessState: state}
	}
	if state != nil {
		p.used = state.UserTime() + state.SystemTime()
	}
	close(p.done)
}

// Pid is the number of the started process, and of its group.
func (p *Process) Pid() int { return p.pid }

// Done is closed when the started process has ended. Others of its tree may live on until Stop.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is nil while the process runs and when it ended with status 0; else it says how it ended, as an *exec.ExitError.
func (p *Process) Err() error {
	if p.exited() {
		return p.err
	}
	return nil
}

func (p *Process) exited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Stop ends the tree: SIGCONT and SIGTERM to the group, up to grace for all to end by themselves, then SIGKILL to every member until none is
// left. It may be called again. An error means that a member could not be killed.
func (p *Process) Stop(grace time.Duration) error {
	deadline := time.Now().Add(grace)
	members := p.refresh()
	if grace > 0 && len(members) > 0 {
		p.signal(members, unix.SIGCONT)
		for _, m := range members {
			if m.group == p.pid {
				unix.Kill(-p.pid, unix.SIGTERM)
				break
			}
		}
		select {
		case <-p.done:
		case <-time.After(grace):
		}
		for len(p.refresh()) > 0 && time.Now().Before(deadline) {
			time.Sleep(2 * time.Millisecond)
		}
	}
	deadline = time.Now().Add(killTimeout)
	for {
		members = p.refresh()
		if len(members) == 0 && p.exited() {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("stop %d: not gone %v after SIGKILL: %v", p.pid, killTimeout, pids(members))
		}
		p.signal(members, unix.SIGKILL)
		time.Sleep(time.Millisecond)
	}
}

// signal sends sig to each member. One that is gone by now is no error.
func (p *Process) signal(members []stat, sig syscall.Signal) error {
	var first error
	for _, m := range members {
		if err := unix.Kill(m.pid, sig); err != nil && !errors.Is(err, unix.ESRCH) && first == nil {
			first = fmt.Errorf("send %v to %d: %w", sig, m.pid, err)
		}
	}
	return first
}
