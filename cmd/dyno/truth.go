package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/scenario"
	"dyno/internal/truth"
)

// truthCommand is what dyno starts itself as, to be a server whose truth is known. It obeys the contestants' environment.
func truthCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:    "truth null|ref|ref'|ref+X%",
		Short:  "Be a server whose truth is known",
		Hidden: true,
		Args:   arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			control, ok, err := truth.ParseControl(args[0])
			if err != nil || !ok {
				return usagef("no truth server %q: want null, ref, ref' or ref+X%%", args[0])
			}
			s, err := scenario.Read(os.DirFS(filepath.Dir(filepath.Dir(file))), strings.TrimSuffix(filepath.Base(file), ".toml"))
			if err != nil {
				return err
			}
			delay, err := time.ParseDuration("0" + os.Getenv("DYNO_DELAY"))
			if err != nil {
				return usagef("DYNO_DELAY: %v", err)
			}
			addr := os.Getenv("DYNO_ADDR")
			if addr == "" {
				return usagef("DYNO_ADDR is not set")
			}
			if control.Null {
				answer, err := truth.NullResponse(s)
				if err != nil {
					return err
				}
				return truth.ServeNull(cmd.Context(), "tcp", addr, answer)
			}
			ln, err := net.Listen("tcp", addr)
			if err != nil {
				return fmt.Errorf("listen: %w", err)
			}
			ref := truth.Reference{Scenario: s, Delay: delay, Turns: truth.TurnsFor(time.Duration(control.Extra * float64(truth.RefCost)))}
			return ref.Serve(cmd.Context(), ln)
		},
	}
	cmd.Flags().StringVar(&file, "scenario", "", "scenario file")
	return cmd
}
