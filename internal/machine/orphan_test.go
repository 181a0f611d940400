//go:build linux

package machine

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// daemon is a script whose daemon has left every mark of its origin: process group, session, parent
// and environment. It logs its pid.
const daemon = `(env -i PATH="$PATH" setsid sh -c 'echo $$; exec sleep 605' &) ; sleep 606`

// ways are the ways to know a tree: with a cgroup where one may be made, and without.
func ways(t *testing.T) map[string]accounting {
	m := map[string]accounting{"no group": {uncounted: errOff}}
	for _, h := range writable(t) {
		m["cgroup v2"] = accounting{parent: h, uncounted: errOff}
	}
	return m
}

// daemonOf waits for the daemon of p, whose parent is gone, and returns its stat.
func daemonOf(t *testing.T, p *Process) stat {
	t.Helper()
	eventually(t, "the daemon runs", logged(p, 1))
	pid, err := strconv.Atoi(p.LogTail(1)[0])
	if err != nil {
		t.Fatal(err)
	}
	var s stat
	eventually(t, "the daemon is an orphan", func() bool {
		s, err = readStat(pid)
		return err != nil || s.parent == os.Getpid() || s.parent == 1
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !gone(s) {
			unix.Kill(pid, unix.SIGKILL)
			t.Errorf("the daemon %d was left behind", pid)
		}
	})
	return s
}

func TestDaemonsAreOfTheTree(t *testing.T) {
	for name, by := range ways(t) {
		t.Run(name, func(t *testing.T) {
			p := metered(t, by, daemon)
			s := daemonOf(t, p)
			if err := p.Freeze(); err != nil {
				t.Fatal(err)
			}
			if now, err := readStat(s.pid); err != nil || !now.stopped() {
				t.Errorf("the tree is frozen and its daemon is in state %c, %v", now.state, err)
			}
			if err := p.Stop(0); err != nil {
				t.Fatal(err)
			}
			if !gone(s) {
				t.Errorf("the tree was stopped and its daemon lives")
			}
		})
	}
}

// A daemon may end by itself, as the process that was started may.
func TestDaemonsAreAskedToEnd(t *testing.T) {
	const script = `(env -i PATH="$PATH" setsid sh -c 'trap "echo bye; exit" TERM; echo $$
		while :; do sleep 0.01; done' &)
	exec sleep 620`
	for name, by := range ways(t) {
		t.Run(name, func(t *testing.T) {
			p := metered(t, by, script)
			daemonOf(t, p)
			if err := p.Stop(time.Minute); err != nil || p.Forced() || p.LogTail(1)[0] != "bye" {
				t.Errorf("%v, forced: %t, it said %q", err, p.Forced(), p.LogTail(2))
			}
			p = metered(t, by, script)
			daemonOf(t, p)
			if err := p.Stop(0); err != nil || !p.Forced() {
				t.Errorf("%v, forced: %t", err, p.Forced())
			}
		})
	}
}

// If nothing shows which one of several trees a daemon belongs to, it is ended after all trees.
func TestStraysAreEnded(t *testing.T) {
	t.Setenv(RuntimeVariable, t.TempDir())
	k := keep(t)
	by := accounting{uncounted: errOff}
	p := metered(t, by, daemon)
	s := daemonOf(t, p)
	time.Sleep(2 * tick) // otherwise the daemon could belong to the only remaining tree
	other := metered(t, by, "sleep 607")
	for _, p := range []*Process{p, other} {
		if err := p.Stop(0); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if !gone(s) {
		t.Error("it lives")
	}
}

// A port that the contestant's daemon holds is held by the contestant.
func TestDaemonListens(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, by := range ways(t) {
		t.Run(name, func(t *testing.T) {
			p := metered(t, by, fmt.Sprintf(`(env -i PROC_ROLE=listen setsid %q &); sleep 608`, self))
			other := metered(t, by, "sleep 609") // with two trees, an orphan's origin does not show by itself
			eventually(t, "port", logged(p, 1))
			port, err := strconv.Atoi(p.LogTail(1)[0])
			if err != nil {
				t.Fatal(err)
			}
			var ours bool
			var pids []int
			eventually(t, "its parent ends", func() bool {
				ours, pids, err = p.Listening(loopback(port))
				return ours || err != nil
			})
			if err != nil || len(pids) != 1 || pids[0] == p.Pid() {
				t.Errorf("%v %v %v", ours, pids, err)
			}
			if by.parent != "" {
				if ours, _, _ := other.Listening(loopback(port)); ours {
					t.Error("another tree takes it for its own")
				}
			}
		})
	}
}

// Children do not get the files that this process inherited.
func TestFilesAreKeptPrivate(t *testing.T) {
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY, 0) // without O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	show := func() string {
		p := box(t, "", "sh", "-c",
			fmt.Sprintf("if [ -e /proc/self/fd/%d ]; then echo inherited; else echo private; fi", fd))
		<-p.Done()
		return strings.Join(p.LogTail(1), "")
	}
	if got := show(); got != "inherited" {
		t.Fatalf("before: %s", got)
	}
	KeepFilesPrivate()
	if got := show(); got != "private" {
		t.Errorf("after: %s", got)
	}
}

func TestMachineLock(t *testing.T) {
	t.Setenv(RuntimeVariable, filepath.Join(t.TempDir(), "own"))
	me := Holder{Pid: 4711, Command: "dyno run x", Folder: "runs/x", SinceUnixNS: 1e18}
	lock, err := LockMachine(t.Context(), me, nil)
	if err != nil {
		t.Fatal(err)
	}
	var busy *Busy
	if _, err := LockMachine(t.Context(), Holder{}, nil); !errors.As(err, &busy) || busy.Holder != me {
		t.Errorf("the second: %v", err)
	}
	remains := make(chan Holder, 1)
	done := make(chan error, 1)
	go func() {
		lock, err := LockMachine(t.Context(), Holder{Pid: 2}, func(h Holder) { remains <- h })
		if err == nil {
			lock.Release()
		}
		done <- err
	}()
	if h := <-remains; h.Command != "dyno run x" {
		t.Errorf("waits for %v", h)
	}
	me.Folder = "runs/y"
	lock.Tell(me)
	if _, err := LockMachine(t.Context(), Holder{}, nil); !errors.As(err, &busy) || busy.Holder != me {
		t.Errorf("told anew: %v", err)
	}
	lock.Release()
	if err := <-done; err != nil {
		t.Errorf("after waiting: %v", err)
	}
	link := filepath.Join(os.Getenv(RuntimeVariable), machineLock)
	target := filepath.Join(t.TempDir(), "target")
	err = errors.Join(os.Remove(link), os.WriteFile(target, []byte("mine"), 0o600), os.Link(target, link))
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockMachine(t.Context(), Holder{Pid: 3}, nil)
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a lock that is another file's name: %v", err)
	}
	if text, _ := os.ReadFile(target); string(text) != "mine" {
		t.Errorf("that file was written to: %q", text)
	}
}

func TestHolder(t *testing.T) {
	began := time.Date(2026, 9, 4, 12, 0, 0, 0, time.Local)
	h := Holder{Pid: 4711, Command: "dyno run iris", Folder: "runs/x", SinceUnixNS: began.UnixNano()}
	if got := h.String(); got != "dyno run iris (pid 4711, since 2026-09-04 12:00:00), into runs/x" {
		t.Error(got)
	}
	if got := (Holder{}).String(); got != "another dyno" {
		t.Error(got)
	}
}

func TestFolderLock(t *testing.T) {
	dir := t.TempDir()
	release, err := LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockFolder(dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("the second: %v", err)
	}
	release()
	if release, err = LockFolder(dir); err != nil {
		t.Fatal(err)
	}
	release()
}

func TestOwnFolder(t *testing.T) {
	base := t.TempDir()
	at := func(name string, mode os.FileMode) string {
		dir := filepath.Join(base, name)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	file, link := filepath.Join(base, "file"), filepath.Join(base, "link")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Symlink(at("target", 0o700), link)); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		filepath.Join(base, "a", "new"): "", at("open", 0o755): "", file: "not a folder", link: "not a folder",
		at("shared", 0o777): "other users may write", at("group", 0o770): "other users may write",
	} {
		err := OwnFolder(dir)
		if want == "" {
			if st, _ := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v", dir, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", dir, err, want)
		}
	}
	if os.Getuid() == 0 {
		other := at("other", 0o700)
		if err := os.Chown(other, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if err := OwnFolder(other); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
			t.Errorf("another user's: %v", err)
		}
	}
}

// keep begins to track the processes that this process starts; the test binary is the supervisor.
func keep(t *testing.T) *Keeper {
	t.Helper()
	k, err := Keep(supervisedByTest(t))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func supervisedByTest(t *testing.T) KeepOptions {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return KeepOptions{Program: self, Argv: []string{self}, Env: []string{"PROC_ROLE=supervisor"}}
}

// killedOwner starts a process that acts as another dyno: it has started a tree with a daemon and
// frozen it, and made two temporary folders, one of which it keeps. It is killed when before has
// returned. killedOwner returns the processes that it had started; before the test
// ends the other folder must have been removed.
func killedOwner(t *testing.T, before func(owner int)) (left []stat, groups []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "PROC_ROLE=owner", "PROC_HOME="+home)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
		if dir, ok := strings.CutPrefix(lines.Text(), "group "); ok {
			groups = append(groups, dir)
			continue
		}
		pid, _ := strconv.Atoi(lines.Text())
		s, err := readStat(pid)
		if err != nil {
			t.Fatalf("it said %q: %v", lines.Text(), err)
		}
		left = append(left, s)
	}
	before(cmd.Process.Pid)
	unix.Kill(-cmd.Process.Pid, unix.SIGKILL) // the whole group
	cmd.Wait()
	if len(left) < 3 {
		t.Fatalf("it started only %v", left)
	}
	t.Cleanup(func() {
		for _, s := range left {
			if !gone(s) {
				unix.Kill(s.pid, unix.SIGKILL)
				t.Errorf("%d was left behind", s.pid)
			}
		}
		eventually(t, "the temporary folder is removed", func() bool {
			temp, _ := filepath.Glob(filepath.Join(home, "removed*"))
			return len(temp) == 0
		})
		if kept, _ := filepath.Glob(filepath.Join(home, "kept*", "file")); len(kept) != 1 {
			t.Errorf("of the folder that is kept there is %v", kept)
		}
		if undone, _ := filepath.Glob(filepath.Join(home, "undone-*")); len(undone) != 1 || !strings.HasSuffix(undone[0], "1") {
			t.Errorf("undone: %v", undone)
		}
	})
	return left, groups
}

// beOwner is the role that killedOwner starts.
func beOwner() {
	self, _ := os.Executable()
	o := KeepOptions{Program: self, Argv: []string{self}, Env: []string{"PROC_ROLE=supervisor"}}
	if _, err := Keep(o); err != nil {
		panic(err)
	}
	home := os.Getenv("PROC_HOME")
	log := filepath.Join(home, "log")
	p, err := Start(Command{Argv: []string{"sh", "-c", daemon}, Env: Environment(home, home, 0, nil), Log: log})
	if err != nil {
		panic(err)
	}
	for len(p.LogTail(1)) == 0 || len(p.Tree()) < 3 {
		time.Sleep(time.Millisecond)
	}
	if err := p.Freeze(); err != nil {
		panic(err)
	}
	var temp [2]string
	for i, name := range []string{"removed", "kept"} {
		if temp[i], err = MkdirTemp(os.Getenv("PROC_HOME"), name); err == nil {
			err = os.WriteFile(filepath.Join(temp[i], "file"), nil, 0o644)
		}
		if err != nil {
			panic(err)
		}
	}
	UnmarkTemp(temp[1])
	for tree := range int64(2) {
		note(entry{Undo: &undo{Argv: []string{"/usr/bin/touch", fmt.Sprintf("%s/undone-10%d", home, tree)}, Tree: 100 + tree}})
	}
	note(entry{Stopped: 100})
	bystander := exec.Command("setsid", "sleep", "611") // as git is started, or tar
	if err := bystander.Start(); err != nil {
		panic(err)
	}
	fmt.Println(bystander.Process.Pid)
	for _, pid := range p.Tree() {
		fmt.Println(pid)
	}
	if p.group != nil {
		fmt.Println("group", p.group.dir)
	}
	fmt.Println("ready")
	select {}
}

func TestSupervisorEndsWhatAKilledOwnerLeft(t *testing.T) {
	t.Setenv(RuntimeVariable, t.TempDir())
	left, groups := killedOwner(t, func(int) {})
	for _, s := range left {
		eventually(t, fmt.Sprintf("%d ends", s.pid), func() bool { return gone(s) })
	}
	for _, g := range groups {
		eventually(t, g+" is removed", func() bool {
			_, err := os.Stat(g)
			return errors.Is(err, os.ErrNotExist)
		})
	}
	eventually(t, "the state file is removed", func() bool { return len(states(t)) == 0 })
}

// states returns the state files in the runtime folder.
func states(t *testing.T) []string {
	list, err := filepath.Glob(filepath.Join(os.Getenv(RuntimeVariable), statePattern))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// limited takes so many bytes, then fails until it is given more.
type limited struct {
	bytes.Buffer
	room int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.room)
	l.room -= n
	l.Buffer.Write(b[:n])
	if n < len(b) {
		return n, unix.ENOSPC
	}
	return n, nil
}

// An entry that was written in part, as on a full disk, does not damage the next one.
func TestEntryAfterATornOne(t *testing.T) {
	for part := range 20 {
		l := &limited{room: 1 << 10}
		j := journal{w: l}
		if err := j.add(entry{Owner: &owner{Pid: 1}}); err != nil {
			t.Fatal(err)
		}
		l.room = part
		if err := j.add(entry{Process: &known{Pid: 2, Started: 3}}); err == nil {
			t.Fatal("the disk is not full")
		}
		l.room = 1 << 10
		for _, dir := range []string{"/tmp/a", "/tmp/b"} {
			if err := j.add(entry{Temp: dir}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := readState(l); err != nil || len(got.known) > 0 || len(got.temp) != 2 {
			t.Errorf("cut after %d bytes: %v, %v", part, got, err)
		}
	}
}

// Output does not wait for a daemon that keeps the command's output open.
func TestOutputOfADaemon(t *testing.T) {
	for name, run := range map[string]func(*exec.Cmd) ([]byte, error){"Output": Output,
		"CombinedOutput": CombinedOutput} {
		out, err := run(exec.Command("sh", "-c", "sleep 600 & echo 1.2 $!"))
		version, pid, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		daemon, _ := strconv.Atoi(pid)
		if daemon == 0 || unix.Kill(daemon, unix.SIGKILL) != nil {
			t.Errorf("%s: the daemon had ended before its output was returned", name)
		}
		if version != "1.2" || err != nil {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

// A tree is frozen even if a child is stopped before it can execute its program, while its parent
// waits for this (vfork).
func TestFreezeWhileStarting(t *testing.T) {
	p := box(t, "", "sh", "-c", "while :; do /bin/true; done")
	for range 100 {
		if err := p.Freeze(); err != nil {
			t.Fatal(err)
		}
		if err := p.Thaw(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}
