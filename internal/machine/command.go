package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
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

// A tree is the started process and all its descendants, including those that have left its process
// group or lost their parent. It is read from /proc, so Start works only on Linux; on other systems
// it returns an error.

// Command is a program to start and its environment.
type Command struct {
	Argv []string // a name without a slash is looked up in the PATH from Env
	Dir  string   // working directory; empty means this process's
	Env  []string // "KEY=value", complete: nothing is inherited. Start adds boxVariable to it
	// affinity from before the exec, so that runtimes that count CPUs see it; nil means all that
	// dyno itself may use
	CPUs   []int
	Log    string // file that stdout and stderr append to; empty means they are discarded
	Nobody bool   // run it as the user nobody
	// OwnNetwork starts the program in a new network namespace (Process.Network).
	OwnNetwork bool
	Relay      *Relay // into that namespace, or the one of Adopt; nil: nothing outside can be reached
	// Undo is set if the process to measure is started elsewhere and passed to Process.Adopt: a command
	// that ends and removes it, for when dyno is killed.
	Undo []string
}

// Relay is a program that passes connections from a network namespace on to dyno's own. It gets listeners
// in the namespace at Addrs, as descriptors from 3 on, in this order. An address is host:port, with @FILE
// behind it for a service in the network namespace of that file.
type Relay struct {
	Argv  []string
	Addrs []string
	CPUs  []int // nil: all that dyno may use
	// Spared: connections that the tree makes by connect(2) are opened by this program, and so spared the relay. It has
	// no effect on Adopt.
	Spared bool
}

// boxVariable is an environment variable that Start sets. It identifies a tree's process that has
// left the process group and lost its parent.
const boxVariable = "DYNO_BOX"

// inherited are the variables that a contestant inherits from dyno's environment. All others are
// left out, because they differ from one user's shell to another's.
var inherited = []string{"PATH", "LANG", "LC_ALL", "TZ"}

// Environment returns a complete, sorted environment: the inherited variables, a private HOME,
// TMPDIR and XDG_CACHE_HOME, then extra, which wins. A pad above 0 adds DYNO_PAD with that many
// bytes: the environment's size moves the stack, and this changes the speed (Mytkowicz et al.,
// ASPLOS 2009), so callers choose pad at random for each start.
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
	maps.Copy(vars, extra)
	list := make([]string, 0, len(vars))
	for key, value := range vars {
		list = append(list, key+"="+value)
	}
	slices.Sort(list)
	return list
}

// lookup finds the program argv[0]: on the PATH in env if the name has no slash, else relative to
// dir.
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
			continue // as os/exec: a program in the current folder must not run by accident
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", fmt.Errorf("%s is not on PATH", name)
}

// outputDelay limits how long Output waits for a command's output to end after the command itself
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

// Tail reads at most tailBytes and cuts lines to lineLength characters.
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

// Tail returns the last n lines in the file at path as plain text, each cut at 500 characters. It
// returns nil if the file is empty or cannot be read.
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
	if from > 0 { // the first line is cut
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

// LoggedBytes returns the number of bytes written to the log file so far, including those that
// cutLog removed; 0 if there is no file. CutBytes returns the number removed.
func (p *Process) LoggedBytes() int64 {
	info, err := os.Stat(p.log)
	if err != nil {
		return 0
	}
	return info.Size() + p.CutBytes()
}

func (p *Process) CutBytes() int64 { return p.cut.Load() }

// MostLogged limits a log file, in bytes. A running server may exceed it until it is frozen or
// stopped.
const MostLogged = 64e6

// cutLog cuts the middle out of a log that exceeds most bytes, and marks the place with a line. The
// processes must not write meanwhile. They append, so later output follows the kept part. If
// cutting fails, the log stays as it is, and the next call tries again.
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
	said := fmt.Sprintf("\n[dyno cut the middle out of this log: it had %d bytes, and dyno keeps %d, head and "+
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

// Time limits for the kernel.
const (
	freezeTimeout = 10 * time.Second // time for every thread to stop; a busy machine lets some wait
	// time for a killed process to be gone; one in uninterruptible sleep may take longer
	killTimeout = 5 * time.Second
)
