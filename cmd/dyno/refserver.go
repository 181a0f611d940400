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
	var files []string
	var addr string
	cmd := &cobra.Command{
		Use:    "refserver null|null+DELAY|null~STALL/PERIOD|null/N|ref|ref'|ref+X%|ref!MUTANT",
		Short:  "Run as a reference server",
		Hidden: true,
		Args:   arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return refserver.Command(cmd.Context(), args[0], files, addr, cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringArrayVar(&files, "scenario", nil,
		"scenario file; may be repeated; without it GET / is answered with \"value\" as text/plain")
	cmd.Flags().StringVar(&addr, "addr", "", "address to listen on, host:port (default: DYNO_ADDR)")
	return cmd
}
