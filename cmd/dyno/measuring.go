package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/bench"
	"dyno/internal/contestant"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/machine"
	"dyno/internal/record"
	"dyno/internal/report"
)

// claim is this machine, locked for the measurements of one command.
type claim struct {
	lock   *machine.MachineLock
	me     machine.Holder
	waited bool // another run was measuring
	end    func()
}

// measuring prevents other measurements on this machine until release is called. Until then it also
// ensures that no process started by dyno outlives it.
func measuring(cmd *cobra.Command, wait bool) (*claim, error) {
	c := &claim{me: machine.Holder{Pid: os.Getpid(), Command: commandLine(cmd)}}
	var waiting func(machine.Holder)
	if wait {
		waiting = func(h machine.Holder) {
			c.waited = true
			fmt.Fprintln(cmd.ErrOrStderr(), "waiting for", document.Clean(h.String()))
		}
	}
	var err error
	c.lock, err = machine.LockMachine(cmd.Context(), c.me, waiting)
	var busy *machine.Busy
	switch {
	case errors.As(err, &busy):
		return nil, fmt.Errorf("%s; two runs would disturb each other: pass --wait to wait for it, or stop it",
			document.Clean(err.Error()))
	case errors.Is(err, context.Canceled):
		return nil, errors.New("interrupted while waiting for another run to end")
	case err != nil:
		return nil, err
	}
	c.me.SinceUnixNS = time.Now().UnixNano()
	c.lock.Tell(c.me)
	if c.end, err = supervised(cmd); err != nil {
		c.lock.Release()
		return nil, err
	}
	return c, nil
}

func (c *claim) release() { c.end(); c.lock.Release() }

// carryOut locks the machine, unless other machines measure, prints the plan and its cost, and
// carries it out. What it waited for another run is no part of the run's time and name.
func carryOut(cmd *cobra.Command, x *bench.Experiment, at *place) (*report.Data, error) {
	if at.Fleet != "" { // the server machine's agent locks it
		var err error
		if x.Folder, err = at.begin(x.Folder); err != nil {
			return nil, err
		}
		end, err := supervised(cmd)
		if err != nil {
			return nil, err
		}
		defer end()
		fmt.Fprintf(cmd.ErrOrStderr(), "%s\n\n", x.Words())
		return measure(cmd, x)
	}
	if err := roomFor(x.Plan); err != nil {
		return nil, err
	}
	c, err := measuring(cmd, at.Wait)
	if err != nil {
		return nil, err
	}
	defer c.release()
	if c.waited {
		if x.BeginsNow(); x.Folder == at.dated {
			at.dated = filepath.Join(filepath.Dir(x.Folder), folderName())
			x.Folder = at.dated
		}
	}
	if x.Folder, err = at.begin(x.Folder); err != nil {
		return nil, err
	}
	if abs, err := filepath.Abs(x.Folder); err == nil {
		c.me.Folder = abs
	}
	c.lock.Tell(c.me)
	fmt.Fprintf(cmd.ErrOrStderr(), "%s\n\n", x.Words())
	return measure(cmd, x)
}

// measure carries out an experiment, and shows its progress.
func measure(cmd *cobra.Command, x *bench.Experiment) (*report.Data, error) {
	stderr := cmd.ErrOrStderr()
	view := report.New(stderr, isTerminal(stderr), func() int { return width(stderr) })
	defer view.Close()
	x.Event = view.Event
	view.Folder = x.Folder
	return x.Run(cmd.Context())
}

// filesPerContestant is the number of files that dyno opens for a running contestant: its log, its
// cgroup, its counters.
const filesPerContestant = 8

// roomFor raises the limit of open files for a plan's connections and contestants, or returns an
// error with a remedy.
func roomFor(p *record.Plan) error {
	most := 0
	for _, l := range p.Levels {
		most = max(most, l.Connections)
	}
	return machine.RoomFor(int64(most), int64(filesPerContestant*(len(p.Contestants)+len(p.Controls)+1)))
}

// supervised ensures, until end is called, that no process started by dyno outlives it. Within
// another call it does nothing.
func supervised(cmd *cobra.Command) (end func(), err error) {
	if machine.Kept() {
		return func() {}, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find dyno's own program: %w", err)
	}
	k, err := machine.Keep(machine.KeepOptions{Program: self, Argv: []string{"dyno", "supervise"}, Env: []string{}})
	if err != nil {
		return nil, err
	}
	return func() { complain(cmd, k.Close()) }, nil
}

// drawSeed sets --seed to a random value if it was not given.
func drawSeed(cmd *cobra.Command) {
	if f := cmd.Flags().Lookup("seed"); !f.Changed {
		cmd.Flags().Set("seed", strconv.FormatUint(rand.Uint64N(1<<32), 10))
	}
}

// once are the flags that affect a single invocation, and are not needed to repeat a run.
var once = []string{"run-folder", "runs", "offline", "wait", "resume", "format", "output"}

// repeated returns the command line that repeats cmd: the flags that were set, and args.
func repeated(cmd *cobra.Command, args []string) string {
	words := []string{cmd.CommandPath()}
	for _, a := range args {
		words = append(words, quoted(foreign.Mask(a)))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(interface{ GetSlice() []string }); ok {
			if values = list.GetSlice(); strings.HasSuffix(f.Value.Type(), "Slice") {
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, v := range values {
			v = foreign.Mask(v)
			switch {
			case slices.Contains(once, f.Name):
			case f.NoOptDefVal == v:
				words = append(words, "--"+f.Name)
			case f.NoOptDefVal != "":
				words = append(words, "--"+f.Name+"="+quoted(v))
			default:
				words = append(words, "--"+f.Name, quoted(v))
			}
		}
	})
	return strings.Join(words, " ")
}

// quoted returns a word for a shell, quoted if need be.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_=+:/.,@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return contestant.ShellWord(s)
}

// commandLine returns the command line, shortened for a message.
func commandLine(cmd *cobra.Command) string {
	words := []rune(repeated(cmd, cmd.Flags().Args()))
	if len(words) > 120 {
		words = append(words[:120], '…')
	}
	return string(words)
}

// superviseCommand returns the command by which dyno starts itself as a supervisor. It waits for
// its stdin to end. If dyno was killed, it then ends the processes that dyno has started.
func superviseCommand() *cobra.Command {
	return command("supervise", func(_ *cobra.Command, args []string) error {
		return machine.Supervise(os.Stdin, args[0])
	})
}
