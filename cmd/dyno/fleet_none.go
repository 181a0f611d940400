//go:build nofleet

package main

import "github.com/spf13/cobra"

// fleetCommands are none: this build has no NATS.
func fleetCommands() []*cobra.Command { return nil }
