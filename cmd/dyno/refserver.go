package main

import (
	"github.com/spf13/cobra"

	"dyno/internal/refserver"
)

// refserverCommand returns the hidden command that runs dyno as a reference server. It reads the
// environment variables of contestants. It can be started by hand with --addr, without --scenario:
//
//	dyno refserver null+5ms --addr 127.0.0.1:5099
//
// When it is told to stop, it prints on stderr, as one line of JSON, the refserver.Tally of a null
// server, or what a reference has Added.
func refserverCommand() *cobra.Command {
	var f struct {
		Scenarios []string
		Addr      string
	}
	return command("refserver", func(cmd *cobra.Command, args []string) error {
		return refserver.Command(cmd.Context(), args[0], f.Scenarios, f.Addr, cmd.ErrOrStderr())
	}, &f)
}
