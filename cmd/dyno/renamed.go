package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Old names from before 0.1.0, which are accepted for one more release. They do not appear in the
// help. A flag is renamed only in the commands that have the new one.
var (
	renamedCommands = map[string]string{"prove": "validate", "claims": "audit", "truth": "refserver"}
	renamedFlags    = map[string]string{"driver": "external", "looks": "interim", "contestant": "of",
		"contestants": "folder"}
	renamedValues = map[string][2]string{"protocol": {"duel", "paired"}, "profile": {"quick", "standard"}}
)

// renames replaces old names of commands and flags on the command line, and prints a notice on
// stderr.
//
// Note: the Deprecated fields of cobra and pflag print to the command's output, which is data here.
type renames struct {
	stderr io.Writer
	said   map[string]bool
}

// args gives the arguments with the present names of the command and of values of flags.
func (r *renames) args(args []string) []string {
	args = slices.Clone(args)
	if len(args) > 0 && renamedCommands[args[0]] != "" {
		now := renamedCommands[args[0]]
		r.say("dyno "+args[0], "dyno "+now)
		args[0] = now
	}
	for i, a := range args {
		flag, value, joined := strings.Cut(a, "=")
		switch name, long := strings.CutPrefix(flag, "--"); {
		case !long:
		case joined:
			args[i] = flag + "=" + r.value(name, value)
		case i+1 < len(args):
			args[i+1] = r.value(name, args[i+1])
		}
	}
	return args
}

// value is the present name of a flag's value.
func (r *renames) value(flag, value string) string {
	if old := renamedValues[flag]; old[0] == value && value != "" {
		r.say("--"+flag+" "+old[0], "--"+flag+" "+old[1])
		return old[1]
	}
	return value
}

// flags makes all commands below root accept the old names of flags.
func (r *renames) flags(root *cobra.Command) {
	root.SetGlobalNormalizationFunc(func(fl *pflag.FlagSet, name string) pflag.NormalizedName {
		if now := renamedFlags[name]; now != "" && !has(fl, name) && has(fl, now) {
			r.say("--"+name, "--"+now)
			name = now
		}
		return pflag.NormalizedName(name)
	})
}

// has reports whether a flag of exactly that name is defined.
//
// Note: FlagSet.Lookup asks for the present name itself.
func has(fl *pflag.FlagSet, name string) (found bool) {
	fl.VisitAll(func(f *pflag.Flag) { found = found || f.Name == name })
	return found
}

func (r *renames) say(old, now string) {
	if !r.said[old] {
		fmt.Fprintf(r.stderr, "dyno: %s is now called %s; the next release removes the old name\n", old, now)
	}
	r.said[old] = true
}
