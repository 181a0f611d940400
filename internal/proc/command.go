// Package proc runs a command and measures its process tree. It sets the CPU set, process group,
// log file and environment of the command, freezes and thaws the tree, reads its CPU time, memory
// and listening sockets, and ends all of its processes.
//
// A tree is the started process and all its descendants, including those that have left its process
// group or lost their parent. It is read from /proc, so Start works only on Linux; on other systems
// it returns an error.
package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"dyno/internal/foreign"
)

// Command is a program to start and its environment.
type Command struct {
	Argv []string // a name without a slash is looked up in the PATH of Env
	Dir  string   // working directory; empty means this process's
	Env  []string // "KEY=value", complete: nothing is inherited. Start adds boxVariable to it
	// affinity from before the exec, so that runtimes that count CPUs see it; nil means all that
	// dyno itself may use
	CPUs []int
	Log  string // file that stdout and stderr append to; empty means they are discarded
	// OwnNetwork starts it in a network namespace of its own (Process.Network).
	OwnNetwork bool
	// Adopts is set if the process to measure is started elsewhere and passed to Process.Adopt.
	Adopts bool
}

// boxVariable is an environment variable that Start sets. It identifies a process of a tree that
// has left its process group and lost its parent.
const boxVariable = "DYNO_BOX"

// inherited are the variables of dyno's own environment that a contestant sees. All others are left
// out, because they differ from one user's shell to another's.
var inherited = []string{"PATH", "LANG", "LC_ALL", "TZ"}

// Environment returns a complete, sorted environment: the allow-listed variables of this process,
// private HOME, TMPDIR and XDG_CACHE_HOME, then extra, which wins. A pad above 0 adds DYNO_PAD with
// a value of that many bytes: the size of the environment moves the stack, and with it the speed
// (Mytkowicz et al., ASPLOS 2009), so callers choose it at random for each start.
func Environment(home, tmp string, pad int, extra map[string]string) []string {
	vars := map[string]string{"HOME": home, "TMPDIR": tmp, "XDG_CACHE_HOME": filepath.Join(home, ".cache")}
	for _, key := range inherited {
		if value, ok := os.LookupEnv(key); ok {
			vars[key] = value
		}
	}
	if pad > 0 {
		vars["DYNO_PAD"] = strings.Repeat("0", pad)
	}
	for key, value := range extra {
		vars[key] = value
	}
	list := make([]string, 0, len(vars))
	for key, value := range vars {
		list = append(list, key+"="+value)
	}
	slices.Sort(list)
	return list
}

// lookup finds the program of argv[0]: in the PATH of env if it has no slash, else relative to dir.
func (c *Command) lookup() (string, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return "", fmt.Errorf("the command is empty")
	}
	name := c.Argv[0]
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) && c.Dir != "" {
			name = filepath.Join(c.Dir, name)
		}
		return name, nil
	}
	var path string
	for _, v := range c.Env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			path = value
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // as os/exec, for the same reason: not what happens to lie here
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s is not on PATH", name)
}

// outputDelay is how long Output waits for the end of a command's output after the command itself
// has ended. Toolchains leave build servers behind that keep the pipe open.
const outputDelay = time.Second

// Output runs c as c.Output does, but does not wait for processes that c left behind.
func Output(c *exec.Cmd) ([]byte, error) { return output(c, c.Output) }

// CombinedOutput runs c as c.CombinedOutput does, but does not wait for processes that c left
// behind.
func CombinedOutput(c *exec.Cmd) ([]byte, error) { return output(c, c.CombinedOutput) }

func output(c *exec.Cmd, run func() ([]byte, error)) ([]byte, error) {
	c.WaitDelay = outputDelay
	out, err := run()
	if errors.Is(err, exec.ErrWaitDelay) { // c itself has ended with status 0
		err = nil
	}
	return out, err
}

// The number of bytes that Tail reads, and the maximum length of a line that it returns.
const (
	tailBytes  = 64 << 10
	lineLength = 500
)

// plain returns line as a terminal would finally show it: without escape codes and without text
// that a carriage return overwrote.
func plain(line string) string {
	line = strings.TrimRight(ansi.Strip(line), "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, line)
}

// Tail returns the last n lines of the file at path as plain text, each cut at 500 characters; nil
// if it cannot be read.
func Tail(path string, n int) []string {
	f, err := os.Open(path)
	if err != nil || n <= 0 {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-tailBytes)
	data, err := io.ReadAll(io.NewSectionReader(f, from, tailBytes))
	if err != nil {
		return nil
	}
	if from > 0 { // the first line is not whole
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			data = data[i+1:]
		}
	}
	text := strings.TrimRight(strings.ToValidUTF8(string(data), "\uFFFD"), "\r\n")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, line := range lines {
		line = plain(line)
		if letters := []rune(line); len(letters) > lineLength {
			line = string(letters[:lineLength]) + "…"
		}
		lines[i] = line
	}
	return lines
}

// LoggedBytes returns how many bytes the log file has had so far, 0 if there is none; CutBytes how many of
// them were cut out of it.
func (p *Process) LoggedBytes() int64 {
	info, err := os.Stat(p.log)
	if err != nil {
		return 0
	}
	return info.Size() + p.CutBytes()
}

func (p *Process) CutBytes() int64 { return p.cut.Load() }

// MostLogged limits a log file, in bytes. A server that runs may exceed it until it is frozen or stopped.
const MostLogged = 64e6

// cutLog cuts the middle out of a log of more than most bytes, and says so there. The processes must not
// write meanwhile; they append, so what they write next follows what is kept. It is no fault of theirs if
// it fails: the log stays as it is, and the next call tries again.
func (p *Process) cutLog(most int64) {
	info, err := os.Stat(p.log)
	if err != nil || info.Size() <= most {
		return
	}
	f, err := foreign.Amend(p.log)
	if err != nil {
		return
	}
	defer f.Close()
	size := info.Size()
	said := fmt.Sprintf("\n[dyno cut its middle out of this log, of which there were %d bytes, and kept %d: head and "+
		"tail]\n", size+p.CutBytes(), most)
	at, tail := most/2, most-most/2-int64(len(said)) // the tail moves towards the head, so it can be copied in order
	_, err = io.Copy(io.NewOffsetWriter(f, at+int64(len(said))), io.NewSectionReader(f, size-tail, tail))
	if err != nil {
		return
	}
	if _, err = f.WriteAt([]byte(said), at); err == nil && f.Truncate(most) == nil {
		p.cut.Add(size - most)
	}
}

// LogTail returns the last n lines of the log, each cut at 500 characters.
func (p *Process) LogTail(n int) []string { return Tail(p.log, n) }

// Bounds on what the kernel should do at once.
const (
	freezeTimeout = 2 * time.Second // for every thread to stop
	killTimeout   = 5 * time.Second // for a killed process to be gone; one in uninterruptible sleep may take longer
)
