package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"dyno/internal/doctor"
)

func doctorCommand() *cobra.Command {
	var f struct {
		Quick, Wait bool
		Format      string
	}
	return command("doctor", func(cmd *cobra.Command, _ []string) error {
		machine, err := measuring(cmd, f.Wait)
		if err != nil {
			return err
		}
		defer machine.release()
		c, err := calibrate(cmd.Context(), cmd.ErrOrStderr(), f.Quick)
		if c == nil {
			return err
		}
		stdout, d := cmd.OutOrStdout(), doctor.Diagnose(c)
		if f.Format == "json" {
			return cmp.Or(err, d.JSON(stdout))
		}
		return cmp.Or(err, d.Text(stdout, colored(stdout), min(width(stdout), 140)))
	}, &f)
}
