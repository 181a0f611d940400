package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/fleet"
)

// fleetCommands are the commands for several machines.
func fleetCommands() []*cobra.Command {
	cmd := command("fleet", nil)
	for name, do := range map[string]func(*cobra.Command, *fleet.Fleet, *fleet.Keys) error{
		"init": fleetInit, "up": fleetUp,
		"down": func(cmd *cobra.Command, f *fleet.Fleet, k *fleet.Keys) error {
			return f.Down(cmd.Context(), k, sayTo(cmd.OutOrStdout()))
		},
	} {
		cmd.AddCommand(command("fleet "+name, func(cmd *cobra.Command, args []string) error {
			f, err := fleet.Read(args[0])
			if err != nil {
				return err
			}
			k, _, err := f.Keys()
			if err != nil {
				return err
			}
			return do(cmd, f, k)
		}))
	}
	return []*cobra.Command{cmd, agentCommand()}
}

// fleetInit makes the keys of f's machines, and says what is to be copied where.
func fleetInit(cmd *cobra.Command, f *fleet.Fleet, _ *fleet.Keys) error {
	w := cmd.OutOrStdout()
	for _, m := range f.Machines() {
		if _, err := fmt.Fprintf(w, "%s: copy dyno and %s there, and start: %s\n", m.Name,
			document.Clean(f.BundleFile(m.Name)), document.Clean(f.Call(m.Name))); err != nil {
			return err
		}
	}
	return nil
}

// fleetUp starts the agents that can be started by ssh, and waits until all are there.
func fleetUp(cmd *cobra.Command, f *fleet.Fleet, k *fleet.Keys) error {
	say := sayTo(cmd.OutOrStdout())
	if err := f.Up(cmd.Context(), k, say); err != nil {
		return err
	}
	hub, err := openHub(f, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer hub.Close()
	if err := hub.Gather(cmd.Context(), hub.All()); err != nil {
		return err
	}
	say("all agents are there")
	return nil
}

// sayTo returns a function that writes lines of a command's output.
func sayTo(w io.Writer) func(string) {
	return func(line string) { fmt.Fprintln(w, document.Clean(line)) }
}

// openHub starts f's controller. It reports refusals on stderr.
func openHub(f *fleet.Fleet, stderr io.Writer) (*fleet.Hub, error) {
	k, _, err := f.Keys()
	if err != nil {
		return nil, err
	}
	return fleet.Open(f, k, version(), logTo(stderr))
}

// logTo returns a function that writes lines for people.
func logTo(w io.Writer) func(string) {
	return func(line string) { fmt.Fprintln(w, "dyno:", document.Clean(line)) }
}

func agentCommand() *cobra.Command {
	var f struct{ Role string }
	return command("agent", func(cmd *cobra.Command, args []string) error {
		role, err := fleet.ParseRole(f.Role)
		if err != nil {
			return usagef("--role: %w", err)
		}
		b, err := fleet.ReadBundle(args[0])
		if err != nil {
			return err
		}
		a := &fleet.Agent{Bundle: b, Version: version(), Log: logTo(cmd.ErrOrStderr()), Role: role}
		return a.Run(cmd.Context())
	}, &f)
}
