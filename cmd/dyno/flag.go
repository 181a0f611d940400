package main

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/conf"
)

// wanted describes the values for flags that report Go's errors, by pflag's type.
var wanted = map[string]string{
	"int": "a whole number", "uint64": "a whole number",
	"intSlice":      "whole numbers separated by commas, such as 10,100",
	"durationSlice": "times with units, separated by commas, such as 0,10ms",
}

// flagError explains a flag's error: for an unknown flag its counterpart or the nearest known one,
// for a wrong value the expected form.
func flagError(cmd *cobra.Command, err error) error {
	var names []string
	eachFlag(cmd.Flags(), func(f *pflag.Flag) { names = append(names, f.Name) })
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if long := bad.GetFlag().Shorthand + bad.GetValue(); slices.Contains(names, long) {
			return usagef("unknown flag -%s; did you mean --%[1]s, with two dashes?", long)
		}
		note := ""
		if text := rowOf(cmd, bad.GetFlag().Name).Elsewhere; text != "" {
			note = " (" + text + ")"
		}
		return usagef("--%s %w%s", bad.GetFlag().Name, reason(bad), note)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return usagef("%w; see %s --help", err, cmd.CommandPath())
	}
	name, near := "--"+unknown.GetSpecifiedName(), ""
	switch group := unknown.GetSpecifiedShortnames(); {
	case group == "":
		near = conf.Nearest(unknown.GetSpecifiedName(), names)
	case slices.Contains(names, group):
		return usagef("unknown flag -%s; did you mean --%[1]s, with two dashes?", group)
	default:
		name = "-" + unknown.GetSpecifiedName()
	}
	advice := strings.Join(strings.Fields(commands().Unknown[cmd.Name()][name]), " ")
	switch {
	case advice != "":
	case near != "":
		advice = "; did you mean --" + near + "? (" + cmd.CommandPath() + " --help shows all)"
	default:
		advice = "; " + cmd.CommandPath() + " --help shows all"
	}
	return usagef("unknown flag %s%s", name, advice)
}

// reason returns an error about a flag's value, quoted, without pflag's words.
func reason(bad *pflag.InvalidValueError) error {
	text := strconv.Quote(bad.GetValue())
	if want := wanted[bad.GetFlag().Value.Type()]; want != "" {
		return errors.New(text + ": want " + want)
	}
	return errors.New(text + ": " + bad.Unwrap().Error())
}
