package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// statePattern matches state files. A state file lists the processes and files that a dyno has
// made, so that its supervisor can remove them after a SIGKILL. It lies in a folder that only this
// user can write to.
const statePattern = "owner-*.jsonl"

// entry is one line in a state file, with exactly one field set. The first line is the owner.
type entry struct {
	Owner   *owner `json:"owner,omitempty"`
	Group   string `json:"group,omitempty"` // path of a cgroup's folder
	Process *known `json:"process,omitempty"`
	Undo    *undo  `json:"undo,omitempty"`
	Stopped int64  `json:"stopped,omitempty"` // number of a tree without living processes
	Temp    string `json:"temp,omitempty"`    // folder or file to be removed
	Kept    string `json:"kept,omitempty"`    // path that has been removed already, or is to stay
}

type owner struct {
	Pid     int    `json:"pid"`
	Started uint64 `json:"started"` // starttime in /proc/pid/stat
}

// known identifies a process within one boot: pids are reused, pairs of pid and start time are not.
type known struct {
	Pid     int    `json:"pid"`
	Started uint64 `json:"started"`
	Tree    int64  `json:"tree,omitempty"` // the tree's number
}

// undo is a command that removes a container, and its environment.
type undo struct {
	Argv []string `json:"argv"`
	Env  []string `json:"env"`
	Tree int64    `json:"tree"` // the tree's number
}

// engineEnv returns the variables by which a container engine finds its programs, state and daemon.
func engineEnv() (env []string) {
	for _, key := range []string{"PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT"} {
		if value, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+value)
		}
	}
	return env
}

// identity returns this process's pid and start time. The marks of all started processes begin with
// it.
var identity = sync.OnceValue(func() string {
	s, _ := readStat(os.Getpid())
	return fmt.Sprintf("%d.%d", os.Getpid(), s.started)
})

// KeepOptions configure Keep.
type KeepOptions struct {
	Program string   // a program that calls Supervise with its stdin and its last argument
	Argv    []string // Program's arguments; Keep adds the last one
	Env     []string // environment of Program
}

// Keeper maintains this process's state file, and a supervisor that ends the listed processes if
// this process is killed. Close ends it.
type Keeper struct {
	mu         sync.Mutex // guards state and journal
	state      *os.File   // nil after Close
	journal    journal    // writes to state
	path       string     // state's path
	supervisor *exec.Cmd
	pipe       io.Closer // the supervisor reads its other end
}

// keeping is this process's Keeper, nil if it has none.
var keeping atomic.Pointer[Keeper]

// Kept reports whether this process has a Keeper.
func Kept() bool { return keeping.Load() != nil }

// Keep starts to record the processes that this process starts. A process has at most one Keeper at a
// time.
func Keep(o KeepOptions) (*Keeper, error) {
	dir, err := runtimeFolder()
	if err != nil {
		return nil, err
	}
	k := &Keeper{path: filepath.Join(dir, strings.ReplaceAll(statePattern, "*", identity()))}
	if err := k.create(); err != nil {
		return nil, fmt.Errorf("record started processes: %w", err)
	}
	err = k.supervise(o)
	if err == nil && !keeping.CompareAndSwap(nil, k) {
		err = errors.New("this process already has a record")
	}
	if err != nil {
		k.end()
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	os.Setenv(boxVariable, identity()+".0") // inherited by processes that os/exec starts
	return k, nil
}

// create makes the state file.
func (k *Keeper) create() error {
	self, err := readStat(os.Getpid())
	if err != nil {
		return err
	}
	f, err := os.OpenFile(k.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	k.state, k.journal.w = f, f
	if err := k.journal.add(entry{Owner: &owner{self.pid, self.started}}); err != nil {
		k.end()
		return err
	}
	return nil
}

// supervise starts the supervisor in its own session, so that a signal to this process group does
// not reach it.
func (k *Keeper) supervise(o KeepOptions) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	k.pipe = w
	c := &exec.Cmd{
		Path: o.Program, Args: append(o.Argv[:len(o.Argv):len(o.Argv)], k.path), Env: o.Env, Stdin: r,
		Dir: filepath.Dir(k.path), SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	k.supervisor = c
	return children.start(func() (int, error) {
		if err := c.Start(); err != nil {
			return 0, err
		}
		return c.Process.Pid, nil
	})
}

// journal writes lines to a state file.
type journal struct {
	w    io.Writer
	torn bool // the last write failed, perhaps within its line
}

// add appends one line. A run continues after an error, because environment marks and cgroups still
// identify most processes.
func (j *journal) add(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if j.torn { // readState skips broken lines
		line = append([]byte{'\n'}, line...)
	}
	_, err = j.w.Write(append(line, '\n'))
	j.torn = err != nil
	return err
}

// MarkTemp records that path, which must be absolute, is to be removed if this process is killed.
// UnmarkTemp reverses it.
func MarkTemp(path string) { note(entry{Temp: path}) }

// UnmarkTemp records that path is no longer to be removed.
func UnmarkTemp(path string) { note(entry{Kept: path}) }

// note appends e to this process's state file, if it has one.
func note(e entry) {
	k := keeping.Load()
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state != nil {
		k.journal.add(e)
	}
}

// Close ends the processes that belong to no tree, and then the supervisor. Call it when all trees
// have been stopped.
func (k *Keeper) Close() error {
	keeping.CompareAndSwap(k, nil)
	os.Unsetenv(boxVariable)
	err := endStrays()
	k.end()
	return err
}

// end kills the supervisor, even one that is stopped, and removes the state file.
func (k *Keeper) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.supervisor != nil && k.supervisor.Process != nil {
		k.supervisor.Process.Kill()
		k.supervisor.Wait()
		children.ended(k.supervisor.Process.Pid)
	}
	if k.pipe != nil {
		k.pipe.Close()
	}
	if k.state != nil {
		os.Remove(k.path)
		k.state.Close()
		k.state = nil
	}
}
