package machine

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/foreign"
	"dyno/internal/wire"
)

// Process is a started command and its tree. Its methods are safe for concurrent use.
type Process struct {
	pid     int
	started uint64 // starttime in /proc/pid/stat: pid and starttime identify a process for good
	serial  int64  // the tree's number in this program
	box     string // "DYNO_BOX=…", as in the environment
	log     string
	done    chan struct{}
	err     error         // set before done is closed
	used    time.Duration // CPU time of the process and the children it waited for; set before done is closed
	forced  atomic.Bool   // a member was killed
	cut     atomic.Int64  // bytes cut out of the log
	cpus    unix.CPUSet   // CPUs that the tree was pinned to; empty: not pinned
	net     string        // /proc folder with the tree's net and ns; "": dyno's own network
	into    *Relay        // to start into the tree's network; nil: none
	relay   *Process      // what was started

	mu        sync.Mutex
	members   []stat // the live tree as last read, the started process first while it lives
	adopted   *stat  // replaces the started process as the first one, see Adopt
	family    bool   // children were seen: their time counts too
	leftover  bool   // the started process and its group have ended; their number may have been reused
	reported  time.Duration
	group     *cgroup       // nil if this user may not create one, and after Stop
	grouped   time.Duration // the group's count when last read
	gone      time.Duration // CPU time of processes that had ended when the whole tree was last frozen
	launcher  launcher      // nil after Stop
	counter   *counter      // counts instructions; nil if they cannot be counted, and after Stop
	uncounted error         // why counter is nil
}

// affinity is the CPU set that this process had before PinSelf. mu guards it.
type affinity struct {
	mu       sync.Mutex
	original unix.CPUSet
}

var ourAffinity = sync.OnceValue(func() *affinity {
	a := &affinity{}
	unix.SchedGetaffinity(0, &a.original) // on error the set is empty, which start takes for "do not pin"
	return a
})

// launcher is a thread that starts one process and outlives it. The kernel sends Pdeathsig when the
// parent *thread* ends (prctl(2), PR_SET_PDEATHSIG). Affinity and counter inheritance also belong to a thread,
// so an ordinary goroutine's thread cannot be used.
type launcher chan func()

func newLauncher() launcher {
	l := make(launcher)
	ourAffinity()
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for f := range l {
			f()
		}
	}()
	return l
}

// do runs f on the launcher's thread.
func (l launcher) do(f func()) {
	done := make(chan struct{})
	l <- func() {
		defer close(done)
		f()
	}
	<-done
}

// boxes counts the trees of this process.
var boxes atomic.Int64

// Start starts cmd in its own process group and, if this user may create one, in its own cgroup.
// The caller owns the Process and must call Stop, even after Done. If this program dies first, the
// kernel kills the started process, and Keep's supervisor kills its children.
func Start(cmd Command) (*Process, error) { return begin(cmd, accounts()) }

// accounting describes how a tree is measured in addition to the CPU clocks of its processes.
type accounting struct {
	parent    string // the cgroup below which the tree gets its own; "": it gets none
	event     event  // event to count
	uncounted error  // why event is not counted
}

// accounts returns the accounting that this machine supports.
var accounts = sync.OnceValue(func() accounting {
	return accounting{parent: ownGroup(), event: instructions, uncounted: countable()}
})

// listeners listens at the relay's addresses in the calling thread's network namespace.
func (r *Relay) listeners() (all []*os.File, err error) {
	for _, addr := range r.Addrs {
		addr, _, _ = strings.Cut(addr, "@")
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			return all, fmt.Errorf("%s cannot be reached from the network namespace that a server has, as another insists "+
				"on its port: %w; let the servers listen on PORT, or the service on an address of this machine", addr, err)
		}
		file, err := ln.(*net.TCPListener).File()
		ln.Close() // file stays open
		if err != nil {
			return all, err
		}
		all = append(all, file)
	}
	return all, nil
}

// relayed starts p's relay, if it has one, into p's network.
func (p *Process) relayed() (err error) {
	r := p.into
	if r == nil {
		return nil
	}
	var ends []*os.File
	err = wire.InNamespace(p.net+"/ns/net", func() error {
		ends, err = r.listeners()
		return err
	})
	if err == nil {
		p.relay, err = begin(Command{Argv: r.Argv, CPUs: r.CPUs}, accounts(), ends...)
	}
	for _, file := range ends {
		file.Close()
	}
	return err
}

// opened opens connections for the tree in place of its relay where it asks for that and the kernel allows it.
func (p *Process) opened() {
	if p.into == nil || !p.into.Spared {
		return
	}
	p.launcher.do(func() {
		if o, err := newOpener(p.into.Addrs); err == nil {
			go o.serve()
		}
	})
}

// RelayEnded returns an error that says how the relay into the tree's network ended; nil while it runs, and without one.
func (p *Process) RelayEnded() error {
	if p.relay == nil || !p.relay.exited() {
		return nil
	}
	return cmp.Or(p.relay.Err(), errors.New("exit status 0"))
}

// RelayCPU returns the CPU time of the relay into the tree's network.
func (p *Process) RelayCPU() (time.Duration, error) {
	if p.relay == nil {
		return 0, errors.New("it has no relay")
	}
	return p.relay.CPU()
}

// begin starts cmd, with files as its descriptors from 3 on.
func begin(cmd Command, by accounting, files ...*os.File) (*Process, error) {
	path, err := cmd.lookup()
	if err != nil {
		return nil, fmt.Errorf("start: %w", err)
	}
	input, err := os.Open(os.DevNull)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	defer input.Close()
	var output *os.File
	if cmd.Log == "" {
		output, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	} else {
		output, err = foreign.Append(cmd.Log)
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	defer output.Close()

	serial := boxes.Add(1)
	box := fmt.Sprintf("%s=%s.%d", boxVariable, identity(), serial)
	attr := &os.ProcAttr{
		Dir:   cmd.Dir,
		Env:   append(cmd.Env[:len(cmd.Env):len(cmd.Env)], box),
		Files: append([]*os.File{input, output, output}, files...),
		// Its own session, and so process group and autogroup (sched(7)): its share of a busy CPU does not grow with
		// its number of threads.
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	if cmd.Nobody {
		attr.Sys.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		if wire.NamespacesAllowed() == nil { // System V shared memory then ends with the processes
			attr.Sys.Cloneflags = syscall.CLONE_NEWIPC
		}
	}
	cpus, err := cpuSet(cmd.CPUs)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	p := &Process{serial: serial, box: box, log: cmd.Log, cpus: cpus, done: make(chan struct{}),
		launcher: newLauncher(), uncounted: by.uncounted, into: cmd.Relay}
	if cmd.OwnNetwork {
		p.launcher.do(func() {
			p.net = fmt.Sprintf("/proc/%d/task/%d", os.Getpid(), unix.Gettid()) // exists until Stop
			err = wire.NewNamespace()
		})
		if err == nil {
			err = p.relayed()
		}
		if err == nil {
			p.opened()
		}
		if err != nil {
			p.close()
			return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
		}
	}
	if p.uncounted == nil {
		p.launcher.do(func() { p.counter, p.uncounted = openCounter(by.event) })
	}
	if by.parent != "" && cmd.Undo == nil { // a group would count the wrong processes
		p.group, _ = newCgroup(by.parent, groupName(serial))
	}
	if cmd.Undo != nil {
		note(entry{Undo: &undo{Argv: cmd.Undo, Env: engineEnv(), Tree: serial}})
	}
	var child *os.Process
	err = children.start(func() (int, error) {
		if child, err = p.launch(path, cmd, attr); err != nil {
			return 0, err
		}
		return child.Pid, nil
	})
	if err != nil {
		p.close()
		return nil, fmt.Errorf("start %s: %w", cmd.Argv[0], err)
	}
	p.pid = child.Pid
	if s, err := readStat(p.pid); err == nil {
		p.started = s.started
		p.members = []stat{s}
		note(entry{Process: &known{p.pid, p.started, serial}})
	}
	children.tree(p, true)
	go p.wait(child)
	return p, nil
}

// groupName returns the name of a tree's cgroup. It contains the maker's start time, because pids
// are reused.
func groupName(serial int64) string {
	return fmt.Sprintf("%s%s-%d", groupPrefix, strings.ReplaceAll(identity(), ".", "-"), serial)
}

// launch starts the process, in p's cgroup if the kernel supports that.
func (p *Process) launch(path string, cmd Command, attr *os.ProcAttr) (*os.Process, error) {
	if p.group != nil {
		child, err := p.launcher.start(path, cmd.Argv, attr, cmd.CPUs, p.group)
		if err == nil {
			return child, nil
		}
		attr.Sys.UseCgroupFD = false
		p.leaveGroup() // the kernel refuses the cgroup; or the program cannot start, and the error comes again
	}
	return p.launcher.start(path, cmd.Argv, attr, cmd.CPUs, nil)
}

// start runs os.StartProcess on the launcher's thread, which has the wanted affinity during the
// fork. The child starts in g, if g is not nil; if it were moved later, it might have forked
// already.
func (l launcher) start(path string, argv []string, attr *os.ProcAttr, cpus []int, g *cgroup,
) (child *os.Process, err error) {
	set, err := cpuSet(cpus)
	if err != nil {
		return nil, err
	}
	a := ourAffinity()
	if len(cpus) == 0 {
		set = a.original
	}
	if g != nil {
		dir, err := os.Open(g.dir)
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		attr.Sys.UseCgroupFD, attr.Sys.CgroupFD = true, int(dir.Fd())
	}
	l.do(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
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
	})
	return child, err
}

// close releases the launcher, the counter and the cgroup, and stops the relay. The whole tree must have ended.
func (p *Process) close() {
	if p.relay != nil {
		p.relay.Stop(0)
	}
	p.leaveGroup()
	children.tree(p, false)
	note(entry{Stopped: p.serial})
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counter != nil {
		p.counter.close()
		p.counter, p.uncounted = nil, errors.New("it was stopped")
	}
	if p.launcher != nil {
		close(p.launcher)
		p.launcher = nil
	}
}

// leaveGroup removes the cgroup and keeps its last count.
func (p *Process) leaveGroup() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.group != nil {
		p.readGroup()
		p.group.remove()
		p.group = nil
	}
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
	children.ended(p.pid)
	close(p.done)
}

// Pid returns the started process's number, which is also its process group's.
func (p *Process) Pid() int { return p.pid }

// Network returns the network that the process listens in: "tcp", or the name of the tree's own
// namespace (wire.NamespaceOf).
func (p *Process) Network() string {
	if p.net == "" {
		return "tcp"
	}
	return wire.NamespaceOf(p.net + "/ns/net")
}

// Done returns a channel that is closed when the started process has ended. Other processes in the
// tree may live until Stop.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns nil while the process runs or if it ended with status 0; otherwise an
// *exec.ExitError.
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

// Stop ends the tree. With a positive grace it first sends SIGCONT to all members, SIGTERM to the
// process group and to members outside it that no other member started, and waits up to grace. It
// then sends SIGKILL to every member until none is left. It may be called again. An error means
// that a member could not be killed.
func (p *Process) Stop(grace time.Duration) error {
	deadline := time.Now().Add(grace)
	members := p.refresh()
	if grace > 0 && len(members) > 0 {
		p.terminate(members)
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
			p.close()
			p.cutLog(MostLogged)
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("stop %d: processes %v still run %v after SIGKILL", p.pid, pids(members), killTimeout)
		}
		p.killAll(members)
		p.forced.Store(true)
		time.Sleep(time.Millisecond)
	}
}

// Forced reports whether Stop had to kill a member.
func (p *Process) Forced() bool { return p.forced.Load() }

// terminate sends SIGCONT to all members, then SIGTERM to the group and to the members outside it
// that no other member started.
func (p *Process) terminate(members []stat) {
	p.signal(members, unix.SIGCONT)
	grouped := false
	for _, m := range members {
		started := func(other stat) bool { return other.pid == m.parent }
		switch {
		case m.group == p.pid:
			grouped = true
		case !slices.ContainsFunc(members, started):
			unix.Kill(m.pid, unix.SIGTERM)
		}
	}
	if grouped {
		unix.Kill(-p.pid, unix.SIGTERM)
	}
}

// killAll kills the whole cgroup at once, so that no process has time to fork, and all known
// members.
func (p *Process) killAll(members []stat) {
	p.mu.Lock()
	if p.group != nil {
		killGroup(p.group.dir)
	}
	p.mu.Unlock()
	p.signal(members, unix.SIGKILL)
}

// signal sends sig to each member. It ignores members that have ended.
func (p *Process) signal(members []stat, sig syscall.Signal) error {
	var first error
	for _, m := range members {
		if err := unix.Kill(m.pid, sig); err != nil && !errors.Is(err, unix.ESRCH) && first == nil {
			first = fmt.Errorf("send %v to %d: %w", sig, m.pid, err)
		}
	}
	return first
}
