//go:build nofleet

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
)

// fleetCommands returns no commands: this build has no NATS.
func fleetCommands() []*cobra.Command { return nil }

// fleetPlaceFlag defines no flags.
func fleetPlaceFlag(*cobra.Command, *place) {}

func onFleet(*cobra.Command, *place, *bench.Experiment) error { return nil }

// fleetFlag defines no flag.
func fleetFlag(*loadFlags) {}

func loadByFleet(*cobra.Command, *loadFlags) error { return errors.ErrUnsupported }
