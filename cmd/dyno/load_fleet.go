//go:build !nofleet

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/fleet"
	"dyno/internal/summary"
)

// fleetFlag defines --fleet of dyno load.
func fleetFlag(f *loadFlags) {
	f.addText("fleet", "", &f.fleet, "make the load from the machines of this file together (doc/fleet.md); amounts, "+
		"rates and connections are of all of them, --threads, --cpus and --spin of each")
}

// loadByFleet makes the load from several machines.
func loadByFleet(cmd *cobra.Command, f *loadFlags) (*summary.Summary, error) {
	machines, err := fleet.Read(f.fleet)
	if err != nil {
		return nil, err
	}
	if err := f.Portable(); err != nil {
		return nil, err
	}
	stderr := cmd.ErrOrStderr()
	hub, err := openHub(machines, stderr)
	if err != nil {
		return nil, err
	}
	defer hub.Close()
	if err := hub.Gather(cmd.Context()); err != nil {
		return nil, err
	}
	return hub.Load(cmd.Context(), f.Request, func(line string) {
		if !f.quiet {
			fmt.Fprintln(stderr, document.Clean(line))
		}
	})
}
