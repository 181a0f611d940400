package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cgroup is a cgroup made for one tree. It also counts processes that have ended, even if no process waited
// for them. Note: version 2 counts CPU time in every group but the root, whether or not its cpu controller is
// on (kernel Documentation/admin-guide/cgroup-v2.rst, cpu.stat), and the kernel puts a process into its group
// at birth. Version 1 does neither.
type cgroup struct {
	dir   string
	clock int
	lent  bool // an engine made it, and removes it
	buf   [512]byte
}

// ownGroup returns the folder of this process's cgroup; "" without version 2.
func ownGroup() string {
	mount, below := groupOf(os.DirFS("/"), "self")
	if mount == "" {
		return ""
	}
	return filepath.Join("/", mount, below)
}

// groupPrefix begins each cgroup name that dyno makes; the maker's pid and start time and the
// tree's number follow (groupName).
const groupPrefix = "dyno-"

// newCgroup creates a cgroup called name below the group at parent. If this user may not create one,
// newCgroup returns an error and leaves nothing behind.
func newCgroup(parent, name string) (*cgroup, error) {
	g := &cgroup{dir: filepath.Join(parent, name), clock: -1}
	if err := os.Mkdir(g.dir, 0o755); err != nil {
		return nil, err
	}
	var err error
	if g.clock, err = unix.Open(filepath.Join(g.dir, "cpu.stat"), unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		_, err = g.usage()
	}
	if err != nil {
		g.remove()
		return nil, fmt.Errorf("use cgroup %s: %w", g.dir, err)
	}
	note(entry{Group: g.dir})
	// nobody reads it, and it costs at each context switch
	os.WriteFile(filepath.Join(g.dir, "cgroup.pressure"), []byte("0"), 0)
	return g, nil
}

// openContainer returns the cgroup that an engine made for a container's first process; nil if there
// is none of version 2.
func openContainer(pid int) *cgroup {
	mount, below := groupOf(os.DirFS("/"), strconv.Itoa(pid))
	dir := filepath.Join("/", mount, below)
	if below == "" || dir == ownGroup() {
		return nil
	}
	clock, err := unix.Open(filepath.Join(dir, "cpu.stat"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &cgroup{dir: dir, clock: clock, lent: true}
}

// usage returns the CPU time used by all processes that have been in the cgroup. It does not
// allocate. For a running thread up to one kernel tick, 10 ms, may be missing.
func (g *cgroup) usage() (time.Duration, error) {
	n, err := unix.Pread(g.clock, g.buf[:], 0)
	if err != nil {
		return 0, err
	}
	return field(g.buf[:n], "usage_usec")
}

// split returns usage by user and system mode.
func (g *cgroup) split() (user, system time.Duration, err error) {
	data, err := os.ReadFile(filepath.Join(g.dir, "cpu.stat"))
	if err != nil {
		return 0, 0, err
	}
	if user, err = field(data, "user_usec"); err != nil {
		return 0, 0, err
	}
	system, err = field(data, "system_usec")
	return user, system, err
}

// field returns the µs on the line "key value" in a cgroup's flat file.
func field(data []byte, key string) (time.Duration, error) {
	for line := range bytes.Lines(data) {
		if len(line) > len(key) && string(line[:len(key)]) == key && line[len(key)] == ' ' {
			if n, ok := parseDigits(bytes.TrimSpace(line[len(key):])); ok {
				return time.Duration(n) * time.Microsecond, nil
			}
		}
	}
	return 0, errUnreported
}

var errUnreported = errors.New("the cgroup reports no CPU time")

// parsePids reads cgroup.procs. A pid may appear twice; 0 stands for a process in another namespace
// (cgroups(7)).
func parsePids(data []byte) (list []int) {
	for line := range bytes.Lines(data) {
		if pid, ok := parseDigits(bytes.TrimSpace(line)); ok && pid > 0 && !slices.Contains(list, int(pid)) {
			list = append(list, int(pid))
		}
	}
	return list
}

// holds reports whether the group contains the members and nobody else.
func (g *cgroup) holds(members []stat) bool {
	inside := groupMembers(g.dir)
	for _, m := range members {
		if !slices.Contains(inside, m.pid) {
			return false
		}
	}
	return len(inside) == len(members)
}

// groupFolders returns the group's folder dir and all folders below it, outer ones first.
func groupFolders(dir string) (list []string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// groupMembers returns the pids in the group at dir and in the groups below it.
func groupMembers(dir string) (list []int) {
	for _, d := range groupFolders(dir) {
		data, _ := os.ReadFile(filepath.Join(d, "cgroup.procs"))
		list = append(list, parsePids(data)...)
	}
	return list
}

// killGroup kills all processes in a cgroup and below it. It needs Linux 5.14.
func killGroup(dir string) { os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0) }

// removeGroup removes the cgroup at dir and those below it. It retries, because the kernel refuses
// for a moment after the last process has ended.
func removeGroup(dir string) {
	for _, d := range slices.Backward(groupFolders(dir)) {
		for range 20 {
			if err := unix.Rmdir(d); err == nil || !errors.Is(err, unix.EBUSY) {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// remove closes and removes the cgroup. If that fails, it stays listed in the state file.
func (g *cgroup) remove() {
	if g.clock >= 0 {
		unix.Close(g.clock)
	}
	if !g.lent {
		removeGroup(g.dir)
	}
}
