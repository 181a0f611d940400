// Command dyno puts HTTP servers on the same test bench: it builds the contestants, verifies that
// they answer alike, loads them in turn, and says which is faster, by how much, and how sure it is.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"dyno/internal/conf"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/machine"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	machine.KeepFilesPrivate()
	os.Exit(dyno(os.Args[1:], survivable(os.Stdout), survivable(os.Stderr)))
}

// dyno runs the whole command. Data goes to stdout, progress and errors to stderr.
func dyno(args []string, stdout, stderr io.Writer) int {
	signals := []os.Signal{os.Interrupt}
	for _, s := range stopSignals {
		if !signal.Ignored(s) {
			signals = append(signals, s)
		}
	}
	arrived := make(chan os.Signal, 2)
	signal.Notify(arrived, signals...)
	defer signal.Stop(arrived)
	ctx, end := context.WithCancel(context.Background())
	defer end()
	var unread atomic.Bool
	gone := func() { unread.Store(true); end() }
	stdout, stderr = &outlet{stdout, gone}, &outlet{stderr, gone}
	foreign.Learn(args)
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	go heed(arrived, onlyReads(root, args), end, func() {
		fmt.Fprintln(stderr, "dyno: interrupted")
		os.Exit(exitFailed)
	})
	root.SetErr(stderr)
	var err error
	if names := foreign.Missing(args); len(names) > 0 {
		err = usagef("the command has %s in the place of %s: secrets are not recorded; pass them again", foreign.Hidden,
			strings.Join(names, ", "))
	} else {
		err = root.ExecuteContext(ctx)
	}
	var silent exit
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &silent):
		return int(silent)
	case unread.Load(): // nobody would read it
		return exitFailed
	}
	var u *conf.UsageError
	var word string
	if _, no := fmt.Sscanf(err.Error(), "unknown command %q for", &word); no == nil && !errors.As(err, &u) {
		err = unknownCommand(root, word)
	}
	fmt.Fprintln(stderr, "dyno:", document.Visible(err.Error()))
	if h := hint(err); h != "" {
		fmt.Fprintln(stderr, h)
	}
	var r *plan.RequestError
	if errors.As(err, &u) || errors.As(err, &r) {
		return exitUsage
	}
	return exitFailed
}

// heed interrupts the command at the first signal, and ends dyno at once at the second; the
// supervisor then stops dyno's processes. A command that only reads ends at the first.
func heed(arrived <-chan os.Signal, reads bool, interrupt, quit func()) {
	<-arrived
	if !reads {
		interrupt()
		<-arrived
	}
	quit()
}

// onlyReads reports whether args call a command that starts nothing and measures nothing.
func onlyReads(root *cobra.Command, args []string) bool {
	cmd, _, err := root.Find(args)
	return err == nil && cmd.GroupID == readGroup
}

// rootCommand makes the command with all its subcommands.
func rootCommand() *cobra.Command {
	root := command("dyno", nil)
	root.SilenceErrors, root.SilenceUsage, root.Version = true, true, version()
	root.SetVersionTemplate(versionLine() + "\n")
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(commandGroups...)
	root.SetHelpFunc(help)
	root.SetHelpCommand(helpCommand())
	root.DisableSuggestions = true // unknownCommand suggests
	root.SetCompletionCommandGroupID("other")
	root.AddCommand(runCommand(), compareCommand(), loadCommand(), reportCommand(), checkCommand(), auditCommand(),
		listCommand(), doctorCommand(), verifyCommand(), initCommand(), versionCommand(),
		refserverCommand(), superviseCommand())
	root.AddCommand(fleetCommands()...)
	root.Flags().BoolP("version", "V", false, "print the version")
	return root
}

// hint returns advice on an error in the record; "" for other errors.
func hint(err error) string {
	var damaged *record.Damaged
	var stopped *record.Stopped
	switch {
	case errors.As(err, &damaged):
		return fmt.Sprintf("dyno report --salvage %s shows the %s before the damage", damaged.Name,
			document.Count(len(damaged.Run.Trials), "trial"))
	case errors.As(err, &stopped):
		return fmt.Sprintf(
			"free space on the disk or repair it, then resume: dyno run --resume %s", filepath.Dir(stopped.File))
	}
	return ""
}

// exit is the error that ends the command with an exit code, after everything has been reported.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

func usage(err error) error { return conf.Usage(err) }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// arguments checks the number of arguments: the fewest and, if given, the most. The error shows the
// usage.
func arguments(limits []int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= limits[0] && (len(limits) == 1 || len(args) <= limits[1]) {
			return nil
		}
		given := "argument missing"
		if len(args) > 0 {
			given = fmt.Sprintf("%s: given %s", cmd.CommandPath(), strings.Join(args, " "))
		}
		return usagef("%s; want: %s", given, cmd.UseLine())
	}
}
