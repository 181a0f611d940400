package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/fleet"
	"dyno/internal/report"
)

// loadByFleet makes the load from several machines.
func loadByFleet(cmd *cobra.Command, f *loadFlags, forms []string) error {
	machines, err := fleet.Read(f.Fleet)
	if err != nil {
		return err
	}
	plan, err := fleet.Pack(cmd.Context(), f.Request)
	if err != nil {
		return err
	}
	if err := f.output.open(forms); err != nil {
		return err
	}
	defer f.output.close()
	stderr := cmd.ErrOrStderr()
	var s *report.Summary
	err = withHub(cmd, machines, func(hub *fleet.Hub) (err error) {
		if err = hub.Gather(cmd.Context(), hub.Names()); err == nil {
			s, err = hub.Load(cmd.Context(), plan, func(line string) {
				if !f.Quiet {
					fmt.Fprintln(stderr, document.Clean(line))
				}
			})
		}
		return err
	})
	if err != nil {
		return err
	}
	return f.print(s)
}
