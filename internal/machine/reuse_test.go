//go:build linux

package machine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// When a tree has ended, another process may get its pid: that process's group is not the tree's.
func TestNumbersOfOthers(t *testing.T) {
	leader := box(t, "", "sh", "-c", "sleep 612 & wait")
	lost := box(t, "", "sh", "-c", "sleep 613 & exit 0") // a group whose leader has gone
	<-lost.Done()
	eventually(t, "the leader is gone", func() bool { return len(lost.Tree()) == 1 && len(leader.Tree()) == 2 })
	all, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	const owner = `{"owner":{"pid":999999999,"started":1}}` + "\n"
	listed := func(p *Process, started uint64) string {
		return owner + fmt.Sprintf(`{"process":{"pid":%d,"started":%d,"tree":3}}`, p.pid, started) + "\n"
	}
	for _, c := range []struct {
		name, state string
		want        int
	}{
		{"listed", listed(leader, leader.started), 2},
		{"listed, stopped, and another by now", listed(leader, 1) + `{"stopped":3}`, 0},
		{"listed, and another by now", listed(leader, 1), 0},
		{"its leader is gone", listed(lost, 1), 1},
		{"its leader is gone, and another tree was stopped", listed(lost, 1) + `{"stopped":2}`, 1},
		{"the leader was stopped, and its number has gone through another's hands", listed(lost, 1) + `{"stopped":3}`,
			0},
	} {
		l, err := readState(strings.NewReader(c.state))
		if err != nil {
			t.Fatal(err)
		}
		if got := l.living(all); len(got) != c.want {
			t.Errorf("%s: would kill %v", c.name, pids(got))
		}
	}
	ended := &Process{pid: leader.pid, started: leader.started - 1, box: "none", done: make(chan struct{})}
	close(ended.done)
	if got := ended.Tree(); len(got) > 0 {
		t.Errorf("the tree of one that has ended is %v, of a group that has its number", got)
	}
}

// A stopped tree's processes are no longer listed.
func TestStoppedTreesAreNotListed(t *testing.T) {
	t.Setenv(RuntimeVariable, t.TempDir())
	k := keep(t)
	defer k.Close()
	p, other := box(t, "", "sleep", "614"), box(t, "", "sleep", "615")
	if err := p.Stop(0); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(k.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := readState(f)
	if err != nil || len(l.known) != 1 || l.known[other.pid].Started != other.started {
		t.Errorf("listed: %v, %v; want %d alone", l.known, err, other.pid)
	}
}

// A user's runtime folder disappears when the last session ends; a dyno that lives on, as by nohup,
// is still supervised.
func TestSupervisorOfALostStateFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(RuntimeVariable, dir)
	left, _ := killedOwner(t, func(owner int) {
		file := states(t)
		eventually(t, "the supervisor has opened the state file", func() bool {
			all, _ := processes()
			return slices.ContainsFunc(all, func(s stat) bool {
				return s.parent == owner &&
					len(holds(s.pid, file)) > 0
			})
		})
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	})
	for _, s := range left {
		eventually(t, fmt.Sprintf("%d ends", s.pid), func() bool { return gone(s) })
	}
}

// A stopped supervisor blocks nobody.
func TestCloseEndsAStoppedSupervisor(t *testing.T) {
	t.Setenv(RuntimeVariable, t.TempDir())
	k := keep(t)
	pid := k.supervisor.Process.Pid
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer unix.Kill(pid, unix.SIGCONT)
	eventually(t, "it is stopped", func() bool { return threadsStopped(pid) })
	closed := make(chan error, 1)
	go func() { closed <- k.Close() }()
	eventually(t, "the Keeper is closed", func() bool { return len(closed) > 0 })
	if err := <-closed; err != nil || len(states(t)) > 0 {
		t.Errorf("%v, left: %v", err, states(t))
	}
}

// If a process may open no more files, Keep says so.
func TestKeepWithoutFiles(t *testing.T) {
	t.Setenv(RuntimeVariable, t.TempDir())
	o := supervisedByTest(t)
	var had unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &had); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	for more := range uint64(40) {
		unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(fd) + more, Max: had.Max}, nil)
		k, err := Keep(o)
		unix.Prlimit(0, unix.RLIMIT_NOFILE, &had, nil)
		if err == nil {
			if err := k.Close(); err != nil || more == 0 {
				t.Errorf("with %d files more: %v", more, err)
			}
			return
		}
		if left := states(t); len(left) > 0 {
			t.Fatalf("with %d files more: %v, and left %v", more, err, left)
		}
	}
	t.Error("not even with 40 files more")
}

// beShellWithAJob acts as a shell with a background job that executes dyno in its place.
func beShellWithAJob() {
	job := exec.Command("sleep", "617")
	job.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	if err := job.Start(); err != nil {
		panic(err)
	}
	self, _ := os.Executable()
	k, err := Keep(KeepOptions{Program: self, Argv: []string{self}, Env: []string{"PROC_ROLE=supervisor"}})
	if err != nil {
		panic(err)
	}
	p, err := Start(Command{Argv: []string{"/bin/sleep", "618"}})
	if err != nil {
		panic(err)
	}
	s, err := readStat(job.Process.Pid)
	if err := errors.Join(err, p.Stop(0), k.Close()); err != nil {
		panic(err)
	}
	fmt.Println("the job lives:", !gone(s))
}

// A background job left by the shell that executed dyno is no orphan.
func TestJobsOfTheShellLive(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROC_ROLE=shell with a job", RuntimeVariable+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "the job lives: true\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// A daemon in a cgroup that it made below its tree's belongs to the tree.
func TestDaemonsInGroupsOfTheirOwn(t *testing.T) {
	list := writable(t)
	if len(list) == 0 {
		t.Skip("no cgroup may be made here")
	}
	for _, h := range list {
		t.Run("cgroup v2", func(t *testing.T) {
			p := metered(t, accounting{parent: h, uncounted: errOff}, daemon)
			// beside it an orphan's origin does not show
			other := metered(t, accounting{uncounted: errOff}, "sleep 619")
			s := daemonOf(t, p)
			own := filepath.Join(p.group.dir, "own")
			err := errors.Join(os.Mkdir(own, 0o755),
				os.WriteFile(filepath.Join(own, "cgroup.procs"), fmt.Append(nil, s.pid), 0))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Tree(); !slices.Contains(got, s.pid) {
				t.Errorf("the tree is %v, without %d", got, s.pid)
			}
			all, _ := processes()
			if got := pids((&legacy{groups: []string{p.group.dir}}).living(all)); !slices.Contains(got, s.pid) {
				t.Errorf("what it would leave is %v, without %d", got, s.pid)
			}
			if err := errors.Join(other.Stop(0), p.Stop(0)); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(own); !errors.Is(err, os.ErrNotExist) || !gone(s) {
				t.Errorf("stopped; its daemon is gone: %v; its group: %v", gone(s), err)
			}
		})
	}
}

// A read-only pipe that another user has put in the lock's place is refused and not waited for.
func TestLockIsAPipe(t *testing.T) {
	dir, err := os.MkdirTemp("", "dyno-lock-") // others do not get into t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	pipe := filepath.Join(dir, machineLock)
	if err := errors.Join(os.Chmod(dir, 0o755), unix.Mkfifo(pipe, 0o444)); err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if os.Getuid() == 0 {
			unix.SetfsuidRetUid(65534) // this thread alone
		}
		_, err := openLock(dir)
		refused <- err
	}()
	defer func() { // a reader that waits for a writer gets one
		if fd, err := unix.Open(pipe, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
			unix.Close(fd)
		}
	}()
	eventually(t, "it is refused", func() bool { return len(refused) > 0 })
	if err := <-refused; err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
