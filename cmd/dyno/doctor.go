package main

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"

	"dyno/internal/doctor"
)

func doctorCommand() *cobra.Command {
	var quick, asJSON, wait bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Report what this machine can measure, and what to change about it",
		Long: `doctor reads the machine's settings, and measures the machine and dyno's load engine with reference
servers: clock, timer accuracy, ceilings, known delays, a known stall, known costs, and the current
noise. It takes less than 45 s and starts no other program. The calibration is kept in dyno's cache,
and runs record it. See dyno help machines.

Exit codes: 0 whatever it found; 1 the machine could not be measured; 2 usage.`,
		Example: "  dyno doctor\n" +
			"  dyno doctor --quick\n" +
			"  dyno doctor --json >calibration.json",
		Args: arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			release, err := measuring(cmd, wait, "")
			if err != nil {
				return err
			}
			defer release()
			c, err := calibrate(cmd.Context(), cmd.ErrOrStderr(), quick)
			if c == nil {
				return err
			}
			stdout, d := cmd.OutOrStdout(), doctor.Diagnose(c)
			if asJSON {
				return cmp.Or(err, d.JSON(stdout))
			}
			color := isTerminal(stdout) && os.Getenv("NO_COLOR") == ""
			return cmp.Or(err, d.Text(stdout, color, min(width(stdout), 140)))
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false,
		"read the settings and measure for 5 s only; the calibration is not kept")
	waitFlag(cmd, &wait)
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print JSON: the calibration, what it means, and the smallest differences that a run can detect")
	return cmd
}
