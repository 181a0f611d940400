//go:build nofleet

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
)

// withFleet reports whether commands have --fleet.
const withFleet = false

// fleetCommands returns no commands: this build has no NATS.
func fleetCommands() []*cobra.Command { return nil }

func onFleet(*cobra.Command, *place, *bench.Experiment) error { return nil }

func loadByFleet(*cobra.Command, *loadFlags, []string) error { return errors.ErrUnsupported }
