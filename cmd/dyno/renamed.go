package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Names of the release before 0.1.0, which are read for one release more. None is in a help text.
var (
	renamedCommands = map[string]string{"prove": "validate", "claims": "audit", "truth": "refserver"}
	renamedFlags    = map[string]string{"driver": "external", "looks": "interim"}
)

// renames replaces old names of commands and flags in what the user typed, and says so on stderr.
//
// Note: the Deprecated fields of cobra and pflag print to the command's output, which is data here.
type renames struct {
	stderr io.Writer
	said   map[string]bool
}

// args gives the arguments with the present names of the command and the protocol.
func (r *renames) args(args []string) []string {
	args = slices.Clone(args)
	if len(args) > 0 && renamedCommands[args[0]] != "" {
		now := renamedCommands[args[0]]
		r.say("dyno "+args[0], "dyno "+now)
		args[0] = now
	}
	for i, a := range args {
		if a == "--protocol=duel" || a == "duel" && i > 0 && args[i-1] == "--protocol" {
			r.say("--protocol duel", "--protocol paired")
			args[i] = strings.TrimSuffix(a, "duel") + "paired"
		}
	}
	return args
}

// flags makes all commands below root read the old names of flags.
func (r *renames) flags(root *cobra.Command) {
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now := renamedFlags[name]; now != "" {
			r.say("--"+name, "--"+now)
			name = now
		}
		return pflag.NormalizedName(name)
	})
}

func (r *renames) say(old, now string) {
	if !r.said[old] {
		fmt.Fprintf(r.stderr, "dyno: %s is now called %s; the old name goes in the next release\n", old, now)
	}
	r.said[old] = true
}
