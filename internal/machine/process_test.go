//go:build linux

package machine

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// The test binary stands in for the programs under test: PROC_ROLE says which.
func TestMain(m *testing.M) {
	if addr, ok := strings.CutPrefix(os.Args[len(os.Args)-1], "relay:"); ok {
		panic(wire.Relay([]string{addr}))
	}
	switch os.Getenv("PROC_ROLE") {
	case "":
		os.Exit(m.Run())
	case "owner":
		beOwner()
	case "supervisor":
		if err := Supervise(os.Stdin, os.Args[len(os.Args)-1]); err != nil {
			panic(err)
		}
	case "shell with a job":
		beShellWithAJob()
	case "none":
	case "spin":
		for turns := 0; turns >= 0; turns++ {
		}
	case "listen":
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println(l.Addr().(*net.TCPAddr).Port)
		select {}
	case "dials":
		beDialer()
	case "two ports":
		beTwoPorts()
	case "sockets":
		beSockets()
	case "parent": // a child, a grandchild in another session, and one whose parent is gone
		start("sleep", "600")
		start("setsid", "sleep", "601")
		start("sh", "-c", "setsid setsid sleep 602 >/dev/null 2>&1 & exit 0").Wait()
		fmt.Println("ready")
		select {}
	case "affinity":
		var set unix.CPUSet
		unix.SchedGetaffinity(0, &set)
		fmt.Println(set.Count(), set.IsSet(0), runtime.NumCPU(), len(os.Getenv("DYNO_PAD")))
	case "stray":
		beStray()
	case "stubborn":
		start("sh", "-c", "trap '' TERM; while :; do sleep 0.05; done")
		fmt.Println("ready")
		select {}
	case "children": // in the end only their parent knows their CPU time
		for range 3 {
			start("sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done").Wait()
		}
		fmt.Println("ready")
		select {}
	}
}

// beTwoPorts listens on two ports and has a child that uses a CPU.
func beTwoPorts() {
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		defer l.Close()
		fmt.Println(l.Addr())
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_ROLE=spin")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	select {}
}

// beSockets holds a listening socket and both ends of three connections.
func beSockets() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var held []net.Conn
	for range 3 {
		near, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		far, err := l.Accept()
		if err != nil {
			panic(err)
		}
		held = append(held, near, far)
	}
	fmt.Println("ready", len(held))
	select {}
}

func start(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// box starts argv, or the test binary in a role, and sees to it that nobody is left.
func box(t *testing.T, role string, argv ...string) *Process {
	t.Helper()
	if len(argv) == 0 {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		argv = []string{self}
	}
	home := t.TempDir()
	p, err := Start(Command{Argv: argv, Env: Environment(home, home, 0, map[string]string{"PROC_ROLE": role}),
		Log: filepath.Join(home, "log")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(0); err != nil {
			t.Error(err)
		}
		if left := p.Tree(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	return p
}

// eventually waits for a state that must come, however slow the machine.
func eventually(t *testing.T, what string, reached func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !reached(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func logged(p *Process, n int) func() bool {
	return func() bool { return len(p.LogTail(99)) >= n }
}

func TestRunsToItsEnd(t *testing.T) {
	p := box(t, "", "sh", "-c", "echo one; echo two >&2; cat; exit 3")
	<-p.Done()
	var exit *exec.ExitError
	if err := p.Err(); !errors.As(err, &exit) || exit.ExitCode() != 3 || err.Error() != "exit status 3" {
		t.Errorf("Err: %v", err)
	}
	if got := p.LogTail(5); fmt.Sprint(got) != "[one two]" || p.LoggedBytes() != 8 {
		t.Errorf("log %q, %d bytes", got, p.LoggedBytes())
	}
	if _, err := p.CPU(); err != nil {
		t.Errorf("CPU after the end: %v", err)
	}
	for name, err := range map[string]error{"freeze": p.Freeze(), "thaw": p.Thaw()} {
		if err == nil || !strings.Contains(err.Error(), "ended") {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	var u record.Usage
	for name, err := range map[string]error{"usage": p.Usage(&u), "totals": p.Totals(&u)} {
		if err == nil || !strings.Contains(err.Error(), "ended") {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	if u != (record.Usage{}) {
		t.Errorf("usage of nothing: %+v", u)
	}
	ok := box(t, "", "true")
	<-ok.Done()
	if ok.Err() != nil {
		t.Error(ok.Err())
	}
}

// A process has its own session and process group.
func TestSession(t *testing.T) {
	p := box(t, "", "sh", "-c", "sleep 60")
	pid := p.Tree()[0]
	session, err := unix.Getsid(pid)
	group, err2 := unix.Getpgid(pid)
	if session != pid || group != pid || err != nil || err2 != nil {
		t.Errorf("pid %d: session %d, %v; group %d, %v", pid, session, err, group, err2)
	}
}

func TestStartErrors(t *testing.T) {
	for _, c := range []struct {
		cmd  Command
		want string
	}{
		{Command{}, "start: the command is empty"},
		{Command{Argv: []string{"no-such-program"}, Env: []string{"PATH=/bin:/usr/bin"}},
			"start: no-such-program is not on PATH"},
		{Command{Argv: []string{"sh"}, Env: nil}, "start: sh is not on PATH"}, // the PATH in Env counts, not ours
		{Command{Argv: []string{"/no/such"}}, "no such file"},
		{Command{Argv: []string{"/bin/sh"}, Dir: "/no/such"}, "no such file"},
		{Command{Argv: []string{"/bin/true"}, CPUs: []int{1000}}, "pin to CPUs [1000]"},
		{Command{Argv: []string{"/bin/true"}, CPUs: []int{-1}}, "no CPU -1"},
		{Command{Argv: []string{"/bin/true"}, Log: "/no/such/log"}, "no such file"},
	} {
		p, err := Start(c.cmd)
		if err == nil {
			p.Stop(0)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.cmd.Argv, err, c.want)
		}
	}
}

func TestFreezeAndThaw(t *testing.T) {
	p := box(t, "parent")
	eventually(t, "ready", logged(p, 1))
	eventually(t, "four in the tree", func() bool { return len(p.Tree()) == 4 })
	if p.Tree()[0] != p.Pid() {
		t.Errorf("tree %v does not begin with %d", p.Tree(), p.Pid())
	}
	for range 3 {
		if err := p.Freeze(); err != nil {
			t.Fatal(err)
		}
		for _, pid := range p.Tree() {
			if s, err := readStat(pid); err != nil || s.state != 'T' {
				t.Errorf("frozen %d is %c, %v", pid, s.state, err)
			}
		}
		before, _ := p.CPU()
		if after, _ := p.CPU(); after != before {
			t.Errorf("frozen, but its clock went from %v to %v", before, after)
		}
		var u record.Usage
		if err := p.Usage(&u); err != nil || *u.PrivateBytes < 1<<20 || *u.SwapPSSBytes < 0 || *u.Threads < 5 ||
			u.Processes != 4 {
			t.Errorf("usage %+v, %v", u, err)
		}
		if err := p.Thaw(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "all run", func() bool {
			for _, pid := range p.Tree() {
				if s, err := readStat(pid); err != nil || s.stopped() {
					return false
				}
			}
			return true
		})
	}
}

// Private memory does not depend on who else runs a program: pages of files are shared with them,
// and a proportional share (PSS) of these shrinks with each.
func TestPrivateMemoryBesideOthers(t *testing.T) {
	read := func(p *Process) int64 {
		var u record.Usage
		if err := errors.Join(p.Usage(&u), p.Totals(&u)); err != nil || *u.FileBytes < 1<<20 {
			t.Fatalf("%+v, %v", u, err)
		}
		return *u.PrivateBytes
	}
	start := func() *Process {
		p := box(t, "listen")
		eventually(t, "ready", logged(p, 1))
		return p
	}
	p := start()
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	alone := read(p)
	for range 7 {
		start()
	}
	if beside := read(p); alone < 1<<19 || max(beside-alone, alone-beside) > alone/100 {
		t.Errorf("%d bytes alone, %d beside seven others", alone, beside)
	}
}

func TestStopLeavesNobody(t *testing.T) {
	for _, c := range []struct {
		name   string
		frozen bool
		grace  time.Duration
		role   string
	}{
		{"a grandchild with a session of its own, and an orphan", false, time.Second, "parent"},
		{"while frozen", true, time.Second, "parent"},
		{"without grace", false, 0, "parent"},
		{"a child that ignores SIGTERM", false, 50 * time.Millisecond, "stubborn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := box(t, c.role)
			eventually(t, "ready", logged(p, 1))
			members := p.refresh()
			if c.frozen {
				if err := p.Freeze(); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // idempotent
				if err := p.Stop(c.grace); err != nil {
					t.Fatal(err)
				}
			}
			for _, m := range members {
				if !gone(m) {
					t.Errorf("%d still lives", m.pid)
				}
			}
			<-p.Done()
			var exit *exec.ExitError
			if !errors.As(p.Err(), &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() {
				t.Errorf("Err: %v", p.Err())
			}
		})
	}
}

func TestOrphansOutliveTheirParent(t *testing.T) {
	p := box(t, "", "sh", "-c", "setsid sleep 603 & sleep 604 & exit 0")
	<-p.Done()
	eventually(t, "both sleep", func() bool { return len(p.Tree()) == 2 })
	if _, err := p.CPU(); err != nil {
		t.Error(err)
	}
	if err := p.Stop(time.Millisecond); err != nil {
		t.Error(err)
	}
}

func TestCPUClock(t *testing.T) {
	p := box(t, "spin")
	var last time.Duration
	eventually(t, "it spins", func() bool {
		d, err := p.CPU()
		if err != nil {
			t.Fatal(err)
		}
		if d < last {
			t.Fatalf("the clock went back from %v to %v", last, d)
		}
		last = d
		return d > 20*time.Millisecond
	})
	if n := testing.AllocsPerRun(100, func() { p.CPU() }); n != 0 {
		t.Errorf("%v allocations per read", n)
	}
	if err := p.Stop(time.Second); err != nil {
		t.Fatal(err)
	}
	if final, err := p.CPU(); err != nil || final < last {
		t.Errorf("after the end %v (%v), before it %v", final, err, last)
	}
}

func TestCPUCountsReapedChildren(t *testing.T) {
	p := box(t, "children")
	eventually(t, "ready", logged(p, 1))
	p.Tree()
	all, err := p.CPU()
	if err != nil {
		t.Fatal(err)
	}
	own, err := cpuClock(p.Pid())
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := readStat(p.Pid()); s.waited.sum() == 0 || all < s.waited.sum() || own < 0 {
		t.Errorf("tree %v, own %v, reaped %v", all, own, s.waited)
	}
}

func TestAffinityAndEnvironment(t *testing.T) {
	self, _ := os.Executable()
	var had unix.CPUSet
	unix.SchedGetaffinity(0, &had)
	home := t.TempDir()
	env := Environment(home, home, 77, map[string]string{"PROC_ROLE": "affinity", "GOCOVERDIR": home})
	run := func(cpus []int) string {
		log := filepath.Join(t.TempDir(), "log")
		p, err := Start(Command{Argv: []string{self}, Env: env, Log: log, CPUs: cpus})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Stop(0)
		<-p.Done()
		return strings.Join(p.LogTail(1), "")
	}
	cpu := 0
	for !had.IsSet(cpu) {
		cpu++
	}
	want := fmt.Sprint(1, cpu == 0, 1, 77)
	if got := run([]int{cpu}); got != want {
		t.Errorf("pinned: %q, want %q", got, want)
	}
	restore, err := PinSelf([]int{cpu})
	if err != nil {
		t.Fatal(err)
	}
	eachThread(func(tid int) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &set); err == nil && (set.Count() != 1 || !set.IsSet(cpu)) {
			t.Errorf("thread %d is not pinned", tid)
		}
		return nil
	})
	want = fmt.Sprint(had.Count(), had.IsSet(0), had.Count(), 77)
	if got := run(nil); got != want {
		t.Errorf("a child of a pinned process: %q, want %q", got, want)
	}
	restore()
	eachThread(func(tid int) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(tid, &set); err == nil && set != had {
			t.Errorf("thread %d did not get its CPUs back", tid)
		}
		return nil
	})
	if _, err := PinSelf(nil); err == nil {
		t.Error("pinned to no CPU")
	}
	if _, err := PinSelf([]int{900}); err == nil {
		t.Error("pinned to a CPU that is not there")
	}
}

func TestListening(t *testing.T) {
	p := box(t, "listen")
	eventually(t, "port", logged(p, 1))
	port, err := strconv.Atoi(p.LogTail(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	ours, pids, err := p.Listening(loopback(port))
	if err != nil || !ours || len(pids) != 1 || pids[0] != p.Pid() {
		t.Errorf("Listening: %v %v %v", ours, pids, err)
	}
	if got := ownerOf(loopback(port)); len(got) != 1 || got[0] != p.Pid() {
		t.Errorf("Owner: %v", got)
	}
	if Name(p.Pid()) == "" {
		t.Error("no name")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	foreign := l.Addr().(*net.TCPAddr).Port
	ours, pids, err = p.Listening(loopback(foreign))
	if err != nil || ours || len(pids) != 1 || pids[0] != os.Getpid() {
		t.Errorf("foreign: %v %v %v", ours, pids, err)
	}
	l.Close()
	if ours, pids, err = p.Listening(loopback(foreign)); ours || pids != nil || err != nil {
		t.Errorf("nobody: %v %v %v", ours, pids, err)
	}
}

// loopback is a port on the loopback address.
func loopback(port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
}

// TestLogIsCut: head and tail stay, the log says that it was cut, and the byte count goes on.
func TestLogIsCut(t *testing.T) {
	p := box(t, "", "sh", "-c", "echo head; seq 100000 199999; exec sleep 60")
	eventually(t, "it logs", func() bool { return p.LoggedBytes() == 700_005 })
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p.cutLog(10_000)
		b, err := os.ReadFile(p.log)
		text := string(b)
		if err != nil || len(b) != 10_000 || !strings.HasPrefix(text, "head\n100000\n") ||
			!strings.HasSuffix(text, "\n199999\n") ||
			strings.Count(text, "it had 700005 bytes, and dyno keeps 10000, ") != 1 {
			t.Fatalf("%v, %d bytes: %.30q", err, len(b), text)
		}
		if p.LoggedBytes() != 700_005 || p.CutBytes() != 690_005 {
			t.Errorf("%d bytes, %d cut", p.LoggedBytes(), p.CutBytes())
		}
	}
	f, err := os.OpenFile(p.log, os.O_APPEND|os.O_WRONLY, 0) // as the server has it
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("more\n")
	p.cutLog(10_000)
	b, _ := os.ReadFile(p.log)
	if n := strings.Count(string(b), "[dyno"); n != 1 || !strings.HasSuffix(string(b), "\n199999\nmore\n") ||
		p.LoggedBytes() != 700_010 {
		t.Errorf("%d notes, %d bytes", n, p.LoggedBytes())
	}
}
