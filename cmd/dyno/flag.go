package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/conf"
)

var flagOfError = regexp.MustCompile(`^invalid argument (".*") for "(?:-\w, )?--([a-z0-9-]+)" flag: `)

// wanted describes the values of flags, by cobra's type.
var wanted = map[string]string{
	"int": "a whole number", "uint64": "a whole number", "float64": "a number",
	"intSlice":      "whole numbers separated by commas, such as 10,100",
	"duration":      "a time with a unit, such as 10s or 5m",
	"time":          "a time above 0, such as 10s, 5m, or a number of seconds",
	"durationSlice": "times with units, separated by commas, such as 0,10ms",
}

// flagError explains an error of a flag: for an unknown flag the nearest known one, for a wrong
// value the expected form.
func flagError(cmd *cobra.Command, err error) error {
	help := "; " + cmd.CommandPath() + " --help shows all"
	if name, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
		var names []string
		eachFlag(cmd.Flags(), func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := conf.Nearest(name, names); near != "" {
			return usagef("%w; did you mean --%s?", err, near)
		}
		return usagef("%w%s", err, help)
	}
	if m := flagOfError.FindStringSubmatch(err.Error()); m != nil {
		if f := cmd.Flags().Lookup(m[2]); f != nil && wanted[f.Value.Type()] != "" {
			return usagef("--%s %s: want %s", m[2], m[1], wanted[f.Value.Type()])
		}
	}
	if strings.HasPrefix(err.Error(), "unknown shorthand flag") {
		return usagef("%w%s", err, help)
	}
	return usage(err)
}
