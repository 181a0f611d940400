package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/proc"
	"dyno/internal/report"
	"dyno/internal/result"
)

// waitFlag adds the flag of all commands that measure.
func waitFlag(cmd *cobra.Command, wait *bool) {
	cmd.Flags().BoolVar(wait, "wait", false, "if another run measures on this machine, wait until it is over")
}

// measuring lets nobody else measure on this machine, and sees to it that nothing that is started outlives this
// process, until release is called. folder is that of the run, empty if there is none.
func measuring(cmd *cobra.Command, wait bool, folder string) (release func(), err error) {
	if abs, err := filepath.Abs(folder); folder != "" && err == nil {
		folder = abs
	}
	me := proc.Holder{Pid: os.Getpid(), Command: commandLine(cmd), Folder: folder, SinceUnixNS: time.Now().UnixNano()}
	var waiting func(proc.Holder)
	if wait {
		waiting = func(h proc.Holder) {
			fmt.Fprintln(cmd.ErrOrStderr(), "waiting for another run to end:", report.Clean(h.String()))
		}
	}
	unlock, err := proc.LockMachine(cmd.Context(), me, waiting)
	var busy *proc.Busy
	switch {
	case errors.As(err, &busy):
		return nil, fmt.Errorf("%s; the two would disturb each other: wait for it with --wait, or stop it",
			report.Clean(err.Error()))
	case errors.Is(err, context.Canceled):
		return nil, errors.New("interrupted while waiting for another run to end")
	case err != nil:
		return nil, err
	}
	end, err := supervised(cmd)
	if err != nil {
		unlock()
		return nil, err
	}
	return func() { end(); unlock() }, nil
}

// filesPerContestant are those that dyno has open for one that runs: its log, its cgroup, its counters.
const filesPerContestant = 8

// roomFor makes room for the connections and contestants of a plan, or says what to do for it.
func roomFor(p *result.Plan) error {
	most := 0
	for _, l := range p.Points() {
		most = max(most, l.Connections)
	}
	for _, n := range p.IdleConnections {
		most = max(most, n)
	}
	return fileLimit(int64(most), int64(filesPerContestant*(len(p.Contestants)+len(p.Controls)+1)))
}

// supervised sees to it that nothing that is started outlives this process, until end is called.
func supervised(cmd *cobra.Command) (end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find dyno's own program: %w", err)
	}
	k, err := proc.Keep(proc.KeepOptions{
		Command: commandLine(cmd), Program: self, Argv: []string{"dyno", "supervise"}, Env: []string{},
	})
	if err != nil {
		return nil, err
	}
	for _, text := range k.Swept {
		fmt.Fprintln(cmd.ErrOrStderr(), "dyno:", report.Clean(text))
	}
	return func() { complain(cmd, k.Close()) }, nil
}

// commandLine is the command as it was typed, as far as a message has room for it.
func commandLine(cmd *cobra.Command) string {
	words := []rune(strings.Join(append([]string{cmd.CommandPath()}, os.Args[min(2, len(os.Args)):]...), " "))
	if len(words) > 120 {
		words = append(words[:120], '…')
	}
	return string(words)
}

// superviseCommand is what dyno starts itself as, to end what it has started should it be killed: it waits for its
// stdin to end.
func superviseCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "supervise STATE",
		Short:  "End what a killed dyno left",
		Hidden: true,
		Args:   arguments(cobra.ExactArgs(1)),
		RunE:   func(cmd *cobra.Command, args []string) error { return proc.Supervise(os.Stdin, args[0]) },
	}
}
