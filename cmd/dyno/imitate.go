package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno/internal/imitate"
)

// imitateCommands returns a command for each external tool whose command line dyno understands.
func imitateCommands() (list []*cobra.Command) {
	for _, t := range imitate.Tools {
		list = append(list, imitateCommand(t))
	}
	return list
}

func imitateCommand(t *imitate.Tool) *cobra.Command {
	o := t.Order(version())
	cmd := &cobra.Command{
		Use:   t.Name + " [flags] URL",
		Short: fmt.Sprintf("Take %s's command line, print its output, with dyno's figures", t.Name),
		Long: fmt.Sprintf("%s takes the flags of %[1]s and prints what %[1]s prints, with dyno's figures: every response "+
			"is\nchecked, and the generator reports its own limit. Warnings, and where a figure is defined otherwise, "+
			"are on\nstderr. A link named %[1]s to dyno does the same. See doc/commands.md.\n\n"+
			"Exit codes: 0 the load came to its end, whatever was answered; 1 it did not; 2 usage.", t.Name),
		Example: "  dyno " + t.Name + " " + strings.Join(t.Examples, "\n  dyno "+t.Name+" "),
		Version: version(),
		Args:    arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Command = repeated(cmd, args)
			columns := 0
			if stdout := cmd.OutOrStdout(); isTerminal(stdout) {
				columns = width(stdout)
			}
			s, err := o.Run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr(), columns)
			if err == nil && imitate.Failed(s) {
				err = exit(exitFailed)
			}
			return err
		},
	}
	fl := cmd.Flags()
	for _, f := range o.Flags() {
		v := fl.VarPF(&toolFlag{f, ""}, cmp.Or(f.Long, f.Short), f.Short, f.Usage)
		if f.Value == "" {
			v.NoOptDefVal = "true"
		}
	}
	fl.BoolP("version", t.Version, false, "print the version")
	fl.SetInterspersed(!t.OptionsEnd)
	heading(fl, "Flags of "+t.Name)
	return cmd
}

// toolFlag is an option of an external tool as a flag.
type toolFlag struct {
	imitate.Flag
	text string
}

var _ pflag.Value = (*toolFlag)(nil)

func (f *toolFlag) String() string { return f.text }

func (f *toolFlag) Type() string { return strings.ToLower(cmp.Or(f.Value, "bool")) }

func (f *toolFlag) Set(s string) error {
	if f.Value == "" && s != "true" {
		return fmt.Errorf("want no value")
	}
	f.text = s
	return f.Flag.Set(s)
}
