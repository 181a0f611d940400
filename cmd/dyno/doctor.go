package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"

	"dyno/internal/result"
)

func doctorCommand() *cobra.Command {
	var quick, asJSON, wait bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can and cannot decide, and what to change",
		Long: "doctor reads the machine's settings and measures it and dyno's own load engine against servers whose truth is known: clock, punctuality,\n" +
			"ceilings, known delays, a known stall, known costs, and the noise now. It takes less than 45 s and starts nothing but dyno itself.\n" +
			"The calibration is kept in dyno's cache, for runs to take note of. See doc/doctor.md.\n\n" +
			"Exit codes: 0 whatever it found; 1 the machine could not be measured; 2 usage.",
		Example: "  dyno doctor\n  dyno doctor --quick --json",
		Args:    arguments(cobra.NoArgs),
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
			stdout := cmd.OutOrStdout()
			d := diagnose(c)
			if asJSON {
				return orErr(err, d.json(stdout))
			}
			p := printer{out: stdout, color: isTerminal(stdout) && os.Getenv("NO_COLOR") == "", width: min(width(stdout), 140)}
			return orErr(err, p.print(d))
		},
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "the settings and 5 s of measuring; the calibration is not kept")
	waitFlag(cmd, &wait)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: the calibration, what it means, and the differences to expect")
	return cmd
}

// orErr is the first of two errors, what went wrong before the printing.
func orErr(err, printing error) error {
	if err != nil {
		return err
	}
	return printing
}

// The states of a finding.
const (
	stateOK   = "ok"
	stateNote = "note" // it bounds what can be said, and is as it is
	stateWarn = "warn" // it makes results worse, and should be changed
	stateBad  = "bad"  // results cannot be trusted before it is changed
)

// finding is one thing found, and what it means.
type finding struct {
	Group  string `json:"group"`
	Name   string `json:"name"`
	State  string `json:"state"`
	Value  string `json:"value"`
	Means  string `json:"means,omitempty"`
	Change string `json:"change,omitempty"`
}

// diagnosis is what a calibration means.
type diagnosis struct {
	calibration *result.Calibration
	findings    []finding
	expected    []expectation
	answer      string
}

// diagnose judges a calibration, which may be incomplete.
func diagnose(c *result.Calibration) *diagnosis {
	d := &diagnosis{calibration: c}
	d.findings = append(d.findings, machineFindings(c)...)
	d.findings = append(d.findings, kernelFindings(c)...)
	d.findings = append(d.findings, limitFindings(c)...)
	d.findings = append(d.findings, generatorFindings(c)...)
	d.findings = append(d.findings, truthFindings(c)...)
	d.findings = append(d.findings, noiseFindings(c)...)
	d.expected = expectations(c.Noise)
	d.answer = canDecide(c, d.expected)
	return d
}

func (d *diagnosis) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Calibration *result.Calibration `json:"calibration"`
		Findings    []finding           `json:"findings"`
		Expected    []expectation       `json:"expected"`
		Answer      string              `json:"answer"`
	}{d.calibration, d.findings, d.expected, d.answer})
}
