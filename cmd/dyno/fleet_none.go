//go:build nofleet

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"dyno/internal/experiment"
	"dyno/internal/summary"
)

// fleetCommands are none: this build has no NATS.
func fleetCommands() []*cobra.Command { return nil }

// fleetPlaceFlag defines no flag.
func fleetPlaceFlag(*cobra.Command, *string) {}

func onFleet(*cobra.Command, string, *experiment.Experiment) error { return nil }

// fleetFlag defines no flag.
func fleetFlag(*loadFlags) {}

func loadByFleet(*cobra.Command, *loadFlags) (*summary.Summary, error) {
	return nil, errors.ErrUnsupported
}
