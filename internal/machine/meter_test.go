//go:build linux

package machine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/record"
)

// taskClock is a kernel software event, which every machine has: a task's CPU time in ns.
var taskClock = event{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK}

// errOff says that a test wants no counter.
var errOff = errors.New("switched off")

// metered starts a shell script, metered in a given way.
func metered(t *testing.T, by accounting, script string) *Process {
	t.Helper()
	home := t.TempDir()
	p, err := begin(Command{Argv: []string{"sh", "-c", script}, Env: Environment(home, home, 0, nil),
		Log: filepath.Join(home, "log")}, by)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(0); err != nil {
			t.Error(err)
		}
	})
	return p
}

// writable returns this process's cgroup, if this user may make groups there.
func writable(t *testing.T) []string {
	t.Helper()
	parent := ownGroup()
	name := filepath.Join(parent, groupPrefix+"0-try")
	if err := os.Mkdir(name, 0o755); parent == "" || err != nil {
		t.Logf("no group in %q: %v", parent, err)
		return nil
	}
	os.Remove(name)
	return []string{parent}
}

const loop = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"

func TestGroupCountsTheUnreaped(t *testing.T) {
	// Three children that nobody waits for: their parents have ended, and the process that adopts
	// them does not belong to the tree.
	const script = "for n in 1 2 3; do sh -c '(" + loop + "; echo done) &'; done; sleep 600; true"
	list := writable(t)
	if len(list) == 0 {
		t.Skip("no cgroup may be made here")
	}
	for _, h := range list {
		t.Run(h, func(t *testing.T) {
			bare := metered(t, accounting{uncounted: errOff}, script)
			p := metered(t, accounting{parent: h, uncounted: errOff}, script)
			if by, absent := p.Meters(); by["cpu"] != "process clocks and cgroup v2" ||
				absent["instructions"] != errOff.Error() {
				t.Errorf("meters %v, absent %v", by, absent)
			}
			eventually(t, "all done", func() bool {
				return logged(p, 3)() && logged(bare, 3)() &&
					len(p.Tree()) == 2 && len(bare.Tree()) == 2
			})
			if err := p.Freeze(); err != nil {
				t.Fatal(err)
			}
			without, err := bare.CPU()
			if err != nil {
				t.Fatal(err)
			}
			with, err := p.CPU()
			if err != nil || with < 2*without || p.gone == 0 {
				t.Errorf("with a group %v (%v), of it %v by those that ended; without one %v", with, err, p.gone,
					without)
			}
			var u record.Usage
			if err := p.Totals(&u); err != nil ||
				*u.CPUUserTotalNS+*u.CPUSystemTotalNS < int64(with)*9/10 {
				t.Errorf("%v in all, %v user, %v system, %v", with, *u.CPUUserTotalNS, *u.CPUSystemTotalNS, err)
			}
			dir := p.group.dir
			if err := p.Stop(0); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the group %s was left behind: %v", dir, err)
			}
			if after, err := p.CPU(); err != nil || after < with {
				t.Errorf("after the end %v (%v), before it %v", after, err, with)
			}
		})
	}
}

func TestWithoutGroups(t *testing.T) {
	// No group can be made, or the folder is no group: the process starts all the same.
	fake := t.TempDir()
	for _, h := range []string{filepath.Join(fake, "no/such"), fake} {
		p := metered(t, accounting{parent: h, uncounted: errOff}, "sleep 600")
		if by, _ := p.Meters(); by["cpu"] != "process clocks" {
			t.Errorf("%v: %v", h, by)
		}
		if _, err := p.CPU(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(fake); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestField(t *testing.T) {
	const stat = "usage_usec 233598\nuser_usec 200000\nsystem_usec 33598\nnr_periods 0\nthrottled_usec 1500\n"
	for key, want := range map[string]time.Duration{"usage_usec": 233598 * time.Microsecond,
		"system_usec": 33598 * time.Microsecond, "throttled_usec": 1500 * time.Microsecond} {
		if got, err := field([]byte(stat), key); got != want || err != nil {
			t.Errorf("%s: %v, %v", key, got, err)
		}
	}
	for _, bad := range []string{"", "usage_usec\n", "usage_usec x\n", "usage_usecs 1\n"} {
		if _, err := field([]byte(bad), "usage_usec"); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestCounterCountsTheTree(t *testing.T) {
	p := metered(t, accounting{event: taskClock}, "while :; do ("+loop+"); echo x; done")
	if p.uncounted != nil {
		t.Skip(p.uncounted)
	}
	freeze := func() time.Duration {
		t.Helper()
		if err := p.Freeze(); err != nil {
			t.Fatal(err)
		}
		d, err := p.CPU()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	before := freeze()
	since := p.Count()
	if n := since(); n == nil || *n != 0 {
		t.Errorf("a frozen tree counted %v", n)
	}
	children := len(p.LogTail(1 << 20))
	if err := p.Thaw(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "ten children more", func() bool { return len(p.LogTail(1<<20)) >= children+10 })
	used := freeze() - before
	n := since()
	if n == nil {
		t.Fatal("nothing was counted")
	}
	// Both are CPU time of the same tree. Without a cgroup the clock counts the ended children in
	// ticks, hence the width.
	if got := time.Duration(*n); got < used/2 || got > 2*used+200*time.Millisecond {
		t.Errorf("counted %v, the clocks say %v", got, used)
	}
	if by, absent := p.Meters(); by["instructions"] == "" || len(absent) != 0 {
		t.Errorf("%v, %v", by, absent)
	}
	if err := p.Stop(0); err != nil {
		t.Fatal(err)
	}
	if since() != nil || p.Count()() != nil {
		t.Error("a count after the end")
	}
}

func TestCounterErrors(t *testing.T) {
	none := event{unix.PERF_TYPE_SOFTWARE, 1 << 40}
	if _, err := openCounter(none); err == nil || !strings.HasPrefix(err.Error(), "perf_event_open: ") {
		t.Errorf("an event that does not exist: %v", err)
	}
	p := metered(t, accounting{event: none}, "sleep 600")
	if _, absent := p.Meters(); absent["instructions"] == "" || p.Count()() != nil {
		t.Errorf("%v", absent)
	}
	for errno, want := range map[error]string{
		unix.ENOENT: "lacks the counter", unix.EOPNOTSUPP: "lacks the counter", unix.EACCES: "perf_event_paranoid",
		unix.EPERM:  "perf_event_paranoid",
		unix.ENOSYS: "built without", unix.EMFILE: "too many open files",
	} {
		if err := refusal(errno); !errors.Is(err, errno) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", errno, err)
		}
	}
	if absent := Absent(); (absent == nil) != (countable() == nil) {
		t.Errorf("absent %v, but %v", absent, countable())
	}
}

func TestCountIsScaled(t *testing.T) {
	before := count{1000, 500, 500}
	for _, c := range []struct {
		name  string
		after count
		want  int64
		ok    bool
	}{
		{"all of the time", count{3000, 900, 900}, 2000, true},
		{"four fifths of it", count{3000, 1500, 1300}, 2500, true},
		{"too little", count{3000, 1500, 900}, 0, false},
		{"none", count{1000, 1500, 500}, 0, false},
		{"it did not run", before, 0, true},
	} {
		if n, ok := c.after.since(before); n != c.want || ok != c.ok {
			t.Errorf("%s: %d, %v", c.name, n, ok)
		}
	}
}

func TestTotals(t *testing.T) {
	p := box(t, "sockets")
	eventually(t, "ready", logged(p, 1))
	var u record.Usage
	if err := p.Totals(&u); err != nil {
		t.Fatal(err)
	}
	if *u.OpenSockets != 7 || *u.FileBytes < 1<<16 || *u.CPUUserTotalNS < 0 || *u.CPUSystemTotalNS < 0 {
		t.Errorf("%d sockets, files %d, user %d, system %d", *u.OpenSockets, *u.FileBytes, *u.CPUUserTotalNS,
			*u.CPUSystemTotalNS)
	}
	if u.PrivateBytes != nil || u.CPUNS != nil {
		t.Errorf("more than totals: %+v", u)
	}
}

func TestSharedSocketsCountOnce(t *testing.T) {
	self, err := readStat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	before := map[string]bool{}
	if err := addSockets(self, before); err != nil {
		t.Fatal(err)
	}
	twin, err := unix.FcntlInt(uintptr(pair[0]), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(twin)
	after := map[string]bool{}
	if err := addSockets(self, after); err != nil || len(before) < 2 || len(after) != len(before) {
		t.Errorf("%d sockets, with a second descriptor of one %d, %v", len(before), len(after), err)
	}
}

func TestCountersDoNotSeeEachOther(t *testing.T) {
	// A counter counts its own process from the first instruction on, and nothing in processes that
	// are started after it.
	p := metered(t, accounting{event: taskClock}, "sleep 600; true")
	if p.uncounted != nil {
		t.Skip(p.uncounted)
	}
	first := p.Count()
	if c, err := p.counted(); err != nil || c.value == 0 {
		t.Errorf("of its start: %+v, %v", c, err)
	}
	eventually(t, "it sleeps", func() bool { return len(p.Tree()) == 2 })
	busy := metered(t, accounting{event: taskClock}, "while :; do :; done")
	other := busy.Count()
	eventually(t, "the other works", func() bool { n := other(); return n != nil && *n > int64(300*time.Millisecond) })
	if n := first(); n == nil || *n > int64(200*time.Millisecond) {
		t.Errorf("a sleeper counted %v", time.Duration(*n))
	}
}
