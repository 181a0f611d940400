package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/conf"
)

var flagOfError = regexp.MustCompile(`(?s)^invalid argument (".*") for "(?:-\w, )?--([a-z0-9-]+)" flag: (.*)`)

// wanted describes the values of flags whose errors are Go's, by cobra's type.
var wanted = map[string]string{
	"int": "a whole number", "uint64": "a whole number", "float64": "a number",
	"intSlice":      "whole numbers separated by commas, such as 10,100",
	"duration":      "a time with a unit, such as 10s or 5m",
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
	if name, value, why := badFlag(err); name != "" {
		if f := cmd.Flags().Lookup(name); f != nil && wanted[f.Value.Type()] != "" {
			why = "want " + wanted[f.Value.Type()]
		}
		return usagef("--%s %s: %s", name, value, why)
	}
	if strings.HasPrefix(err.Error(), "unknown shorthand flag") {
		return usagef("%w%s", err, help)
	}
	return usage(err)
}

// badFlag returns the long flag of an error about a value, the value, quoted, and what is wrong with
// it; "" for another error.
func badFlag(err error) (name, value, why string) {
	if m := flagOfError.FindStringSubmatch(err.Error()); m != nil {
		return m[2], m[1], m[3]
	}
	return "", "", ""
}
