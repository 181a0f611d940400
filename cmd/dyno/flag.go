package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/conf"
)

var flagOfError = conf.Regexp(`(?s)^invalid argument (".*") for "(?:-\w, )?--([a-z0-9-]+)" flag: (.*)`)

// wanted describes the values for flags that report Go's errors, by cobra's type.
var wanted = map[string]string{
	"int": "a whole number", "uint64": "a whole number", "float64": "a number",
	"intSlice":      "whole numbers separated by commas, such as 10,100",
	"duration":      "a time with a unit, such as 10s or 5m",
	"durationSlice": "times with units, separated by commas, such as 0,10ms",
}

var shorthand = conf.Regexp(`^unknown shorthand flag: '(.)' in -`)

// loads explains, by command, flags that dyno load and other load generators have and a comparison
// lacks.
var loads = map[string]map[string]string{
	"compare": {"d": measured, "duration": measured, "n": measured, "requests": measured, "t": loops, "threads": loops,
		"latency": latency, "L": latency},
	"run": {"c": "; use --connections", "t": loops, "threads": loops, "latency": latency, "L": latency},
}

// A comparison's counterparts to load flags.
const (
	measured = ": the servers are loaded in turns, in short loads, for the time of --budget"
	loops    = ": the event loops of the load generator follow from the CPUs; dyno load has --threads"
	latency  = ": latencies are always measured, and shown in the report"
)

// flagError explains a flag's error: for an unknown flag the nearest known one, for a wrong value
// the expected form.
func flagError(cmd *cobra.Command, err error) error {
	help := "; " + cmd.CommandPath() + " --help shows all"
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
		if advice := loads[cmd.Name()][name]; advice != "" {
			return usagef("unknown flag --%s%s", name, advice)
		}
		var names []string
		eachFlag(cmd.Flags(), func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := conf.Nearest(name, names); near != "" {
			return usagef("%w; did you mean --%s?", err, near)
		}
		return usagef("%w%s", err, help)
	}
	if name, value, why := badFlag(err); name != "" {
		if f := cmd.Flags().Lookup(name); f != nil && wanted[f.Value.Type()] != "" {
			why = "want " + wanted[f.Value.Type()]
		}
		return usagef("--%s %s: %s", name, value, why)
	}
	if m := shorthand().FindStringSubmatch(err.Error()); m != nil {
		return usagef("unknown flag -%s%s", m[1], cmp.Or(loads[cmd.Name()][m[1]], help))
	}
	return usage(err)
}

// badFlag returns the long flag in an error about a value, the value, quoted, and the reason; ""
// for another error.
func badFlag(err error) (name, value, why string) {
	if m := flagOfError().FindStringSubmatch(err.Error()); m != nil {
		return m[2], m[1], m[3]
	}
	return "", "", ""
}
