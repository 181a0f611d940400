package machine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Supervise reads r until end of file, which comes when the process at the other end has died. It
// then ends all processes and removes all files that the state file at path lists. It opens the
// file first, because the file may be removed meanwhile, as XDG_RUNTIME_DIR is when its user logs
// out. A process that ends normally kills its supervisor.
func Supervise(r io.Reader, path string) error {
	os.WriteFile("/proc/self/comm", []byte("supervisor"), 0) // so that killing processes named dyno spares it
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	l, err := readState(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	err = l.end()
	for _, u := range l.undo {
		ctx, cancel := context.WithTimeout(context.Background(), 2*killTimeout)
		c := exec.CommandContext(ctx, u.Argv[0], u.Argv[1:]...)
		c.Env = u.Env
		c.Run() // usually the container is gone, with its processes
		cancel()
	}
	if err = errors.Join(err, l.removeTemp()); err != nil { // after the processes, which might write there
		return fmt.Errorf("clean up after pid %d: %w", l.Pid, err)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// legacy is a state file's content.
type legacy struct {
	owner
	groups []string
	known  map[int]known // by pid, in trees that were not stopped
	undo   []undo        // of trees that were not stopped
	temp   map[string]bool
}

// readState reads a state file. It skips lines that were written only in part.
func readState(r io.Reader) (*legacy, error) {
	l := &legacy{known: map[int]known{}, temp: map[string]bool{}}
	for lines := bufio.NewScanner(r); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		switch {
		case e.Owner != nil:
			l.owner = *e.Owner
		case e.Group != "":
			l.groups = append(l.groups, e.Group)
		case e.Temp != "":
			l.temp[e.Temp] = true
		case e.Kept != "":
			delete(l.temp, e.Kept)
		case e.Process != nil:
			l.known[e.Process.Pid] = *e.Process
		case e.Undo != nil:
			l.undo = append(l.undo, *e.Undo)
		case e.Stopped != 0: // the kernel may reuse their pids
			maps.DeleteFunc(l.known, func(_ int, k known) bool { return k.Tree == e.Stopped })
			l.undo = slices.DeleteFunc(l.undo, func(u undo) bool { return u.Tree == e.Stopped })
		}
	}
	if l.Pid == 0 {
		return nil, errors.New("it does not name its owner")
	}
	return l, nil
}

// end kills all processes in the legacy and removes its cgroups.
func (l *legacy) end() error {
	killed := map[int]uint64{}
	for deadline := time.Now().Add(killTimeout); ; time.Sleep(time.Millisecond) {
		for _, g := range l.groups {
			for _, pid := range groupMembers(g) {
				if s, err := readStat(pid); err == nil && !s.dead() {
					killed[pid] = s.started
				}
			}
			killGroup(g)
		}
		all, err := processes()
		if err != nil {
			return err
		}
		left := l.living(all)
		for _, s := range all { // an exiting process loses its mark before it closes its files
			if at, ours := killed[s.pid]; ours && at == s.started && !s.dead() && !slices.Contains(left, s) {
				left = append(left, s)
			}
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v still run %v after SIGKILL", pids(left), killTimeout)
		}
		for _, s := range left {
			unix.Kill(s.pid, unix.SIGKILL) // SIGKILL ends stopped processes, too
			killed[s.pid] = s.started
		}
	}
	for _, g := range l.groups {
		removeGroup(g)
	}
	return nil
}

// removeTemp removes the legacy's temporary folders and files.
func (l *legacy) removeTemp() (err error) {
	for path := range l.temp {
		if filepath.IsAbs(path) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// living returns the legacy's processes: those listed, those in its cgroups, those that carry its
// mark, those in process groups that a listed process leads, those that work in its temporary
// folders, and all their descendants.
func (l *legacy) living(all []stat) []stat {
	ours := map[int]bool{}
	for _, g := range l.groups {
		for _, pid := range groupMembers(g) {
			ours[pid] = true
		}
	}
	other := map[int]bool{} // pids of listed processes that other processes have by now
	for _, s := range all {
		k, listed := l.known[s.pid]
		ours[s.pid] = ours[s.pid] || listed && k.Started == s.started
		other[s.pid] = listed && k.Started != s.started
	}
	mark := []byte(fmt.Sprintf("%s=%d.%d.", boxVariable, l.Pid, l.Started))
	for _, s := range all {
		_, leader := l.known[s.group]
		ours[s.pid] = ours[s.pid] ||
			s.started >= l.Started && (leader && !other[s.group] || marked(s.pid, mark) || l.worksIn(s.pid))
	}
	delete(ours, os.Getpid())
	descend(all, ours, l.Started)
	return slices.DeleteFunc(slices.Clone(all), func(s stat) bool { return !ours[s.pid] || s.dead() })
}

// worksIn reports whether a process works in one of the legacy's temporary folders. PostgreSQL's do,
// which leave their process group and overwrite their environment.
func (l *legacy) worksIn(pid int) bool {
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if l.temp[dir] {
			return true
		}
	}
	return false
}

// descend adds to ours all descendants that started no earlier than since.
func descend(all []stat, ours map[int]bool, since uint64) {
	for grown := true; grown; {
		grown = false
		for i := range all {
			if s := &all[i]; !ours[s.pid] && ours[s.parent] && s.started >= since {
				ours[s.pid], grown = true, true
			}
		}
	}
}

// marked reports whether process pid was started with an environment variable that begins with
// mark. A mark that ends with a zero byte is a complete variable.
func marked(pid int, mark []byte) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for v := range bytes.SplitAfterSeq(data, []byte{0}) {
		if bytes.HasPrefix(v, mark) {
			return true
		}
	}
	return false
}

// runtimeFolder returns the folder for this user's state files: DYNO_RUNTIME_DIR, or else /run/dyno
// for root or dyno in XDG_RUNTIME_DIR, or else /tmp/dyno-UID. It creates the folder and checks it
// with OwnFolder.
func runtimeFolder() (string, error) {
	if dir := os.Getenv(RuntimeVariable); dir != "" {
		return dir, OwnFolder(dir)
	}
	places := []string{filepath.Join("/tmp", fmt.Sprintf("dyno-%d", os.Getuid()))}
	if base := os.Getenv("XDG_RUNTIME_DIR"); os.Getuid() == 0 {
		places = slices.Insert(places, 0, "/run/dyno")
	} else if filepath.IsAbs(base) {
		places = slices.Insert(places, 0, filepath.Join(base, "dyno"))
	}
	var refused []string
	for _, dir := range places {
		err := OwnFolder(dir)
		if err == nil {
			return dir, nil
		}
		refused = append(refused, err.Error())
	}
	return "", fmt.Errorf("record started processes: %s; set %s to a folder that belongs to you",
		strings.Join(refused, "; "), RuntimeVariable)
}
