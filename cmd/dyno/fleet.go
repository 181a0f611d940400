//go:build !nofleet

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dyno/internal/document"
	"dyno/internal/fleet"
)

// fleetCommands are the commands for several machines; a build with the tag nofleet has none.
func fleetCommands() []*cobra.Command { return []*cobra.Command{fleetCommand(), agentCommand()} }

func fleetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Prepare machines that work together, and check them",
		Long: "fleet prepares machines that work together, and checks them. A file says which they are:\n\n" +
			"  controller = \"10.0.0.1:7447\"  # where they reach this machine\n\n" +
			"  [[generator]]\n" +
			"  name = \"gen1\"\n" +
			"  ssh = \"ann@10.0.0.2\"          # for up and down; without it, start dyno agent there by hand\n\n" +
			"  [[generator]]\n" +
			"  name = \"gen2\"\n" +
			"  ssh = \"10.0.0.3\"\n\n" +
			"  [[server]]                      # for dyno run and dyno compare\n" +
			"  name = \"srv1\"\n" +
			"  ssh = \"10.0.0.9\"\n" +
			"  address = \"10.0.0.9\"            # where the generators reach it\n\n" +
			"Machines of [[generator]] make load, together; the one of [[server]] builds and starts what dyno run\n" +
			"and dyno compare measure, and one of [[backend]], written like that, what these call. A machine may\n" +
			"be in several tables, under one name.\n\n" +
			"On each runs dyno agent. dyno load, dyno run and dyno compare use them with --fleet FILE. This\n" +
			"machine, the controller, listens on that port for as long as a command lasts; agents connect to it,\n" +
			"encrypted, with keys made for the fleet. See dyno help fleet.",
	}
	cmd.AddCommand(fleetInitCommand(), fleetUpCommand(), fleetCheckCommand(), fleetDownCommand())
	return cmd
}

func fleetInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init FILE",
		Short: "Make the keys of the machines in FILE",
		Long: "init makes the keys of a fleet, in a folder beside FILE: those of this machine, and a file for each\n" +
			"agent, which is copied to its machine by hand. Keys that are there stay, so that it may be called\n" +
			"again after FILE has changed.\n\n" +
			"Exit codes: 0 success; 1 the keys could not be written; 2 usage, or a mistake in FILE.",
		Example: "  dyno fleet init fleet.toml\n" +
			"  dyno fleet init ~/bench/fleet.toml\n" +
			"  dyno fleet init fleet.toml && scp fleet.keys/gen1.agent \"$(command -v dyno)\" gen1:",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := fleet.Read(args[0])
			if err != nil {
				return err
			}
			if _, _, err := f.Keys(); err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			for _, m := range f.Machines() {
				if _, err := fmt.Fprintf(w, "%s: copy dyno and %s there, and start: %s\n", m.Name,
					document.Clean(f.BundleFile(m.Name)), document.Clean(f.Call(m.Name))); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func fleetUpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "up FILE",
		Short: "Copy dyno to the machines in FILE by ssh, and start their agents",
		Long: "up starts an agent on each machine of FILE that has ssh = \"DESTINATION\", by your own ssh: it copies\n" +
			"this program there, if it is not there, checks its SHA-256, and starts dyno agent. All of it is in\n" +
			"~/.dyno-fleet there, and dyno fleet down removes it. Agents that run are started anew. Then it waits\n" +
			"until all agents of FILE are there. Machines must be of the system that this dyno is for, Linux.\n\n" +
			"Exit codes: 0 all agents are there; 1 one is not; 2 usage.",
		Example: "  dyno fleet up fleet.toml\n" +
			"  dyno fleet up fleet.toml && dyno fleet check fleet.toml\n" +
			"  dyno fleet up ~/bench/fleet.toml",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := fleet.Read(args[0])
			if err != nil {
				return err
			}
			k, _, err := f.Keys()
			if err != nil {
				return err
			}
			say := sayTo(cmd.OutOrStdout())
			if err := f.Up(cmd.Context(), k, say); err != nil {
				return err
			}
			return withHub(cmd, f, func(hub *fleet.Hub) error {
				if err := hub.Gather(cmd.Context(), hub.All()); err != nil {
					return err
				}
				say("all agents are there")
				return nil
			})
		},
	}
}

func fleetDownCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "down FILE",
		Short: "Stop the agents that dyno fleet up started, and remove what it copied",
		Long: "down stops the agent on each machine of FILE that has ssh = \"DESTINATION\", and removes all that\n" +
			"dyno fleet up copied there. The keys beside FILE stay.\n\n" +
			"Exit codes: 0 nothing is left; 1 a machine was not reached, or something is left there; 2 usage.",
		Example: "  dyno fleet down fleet.toml\n" +
			"  dyno fleet down ~/bench/fleet.toml\n" +
			"  dyno fleet down fleet.toml && rm -r fleet.keys   # and the keys",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := fleet.Read(args[0])
			if err != nil {
				return err
			}
			k, _, err := f.Keys()
			if err != nil {
				return err
			}
			return f.Down(cmd.Context(), k, sayTo(cmd.OutOrStdout()))
		},
	}
}

// sayTo returns a function that writes lines of a command's output.
func sayTo(w io.Writer) func(string) {
	return func(line string) { fmt.Fprintln(w, document.Clean(line)) }
}

func fleetCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Check the machines in FILE and the links to them",
		Long: "check waits until all agents are there, and prints for each machine its CPUs, what other programs and\n" +
			"other virtual machines use of them, the longest time that a sleep took too long, the number of files\n" +
			"that it may open, the round trip to this machine, and how exactly its clock is known. It takes\n" +
			"about a second for each machine.\n\n" +
			"Exit codes: 0 all machines answer, whatever was found; 1 one does not; 2 usage.",
		Example: "  dyno fleet check fleet.toml\n" +
			"  dyno fleet check fleet.toml >machines.txt\n" +
			"  dyno fleet init fleet.toml && dyno fleet check fleet.toml",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := fleet.Read(args[0])
			if err != nil {
				return err
			}
			return withHub(cmd, f, func(hub *fleet.Hub) error {
				if err := hub.Gather(cmd.Context(), hub.All()); err != nil {
					return err
				}
				states, err := hub.Check(cmd.Context())
				if err != nil {
					return err
				}
				return fleet.Write(cmd.OutOrStdout(), states)
			})
		},
	}
}

// withHub calls do with f's controller, and then closes it. The controller's stored data is removed
// even if this process is killed.
func withHub(cmd *cobra.Command, f *fleet.Fleet, do func(*fleet.Hub) error) error {
	end, err := supervised(cmd)
	if err != nil {
		return err
	}
	defer end()
	hub, err := openHub(f, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer hub.Close()
	return do(hub)
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
	var allowed []string
	cmd := &cobra.Command{
		Use:   "agent FILE|-",
		Short: "Serve the controller of a fleet on this machine",
		Long: "agent connects to the controller of a fleet, whenever it is there, and does what it asks for. FILE is\n" +
			"the agent's file, which dyno fleet init makes on the controller; - is standard input. What a\n" +
			"controller can ask for: the clock, the state of the machine, a share of a load and, of a server or\n" +
			"a backend, to build and start what it sends. Without its controller an agent does\n" +
			"nothing, and what it started is stopped. It needs no rights but those to connect.\n" +
			"With --role the owner of the machine allows more, or less: orders for other roles are refused.\n\n" +
			"Exit codes: 0 it was stopped; 1 the controller does not know its key; 2 usage.",
		Example: "  dyno agent gen1.agent\n" +
			"  dyno agent - <gen1.agent\n" +
			"  dyno agent --role server,backend srv.agent\n" +
			"  dyno agent gen1.agent 2>agent.log &",
		Args: arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			may, err := fleet.ParseRoles(allowed)
			if err != nil {
				return usagef("--role: %w", err)
			}
			b, err := readBundle(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			a := &fleet.Agent{Bundle: b, Version: version(), Log: logTo(cmd.ErrOrStderr()), Roles: may}
			return a.Run(cmd.Context())
		},
	}
	cmd.Flags().StringSliceVar(&allowed, "role", []string{string(fleet.Generator)},
		"what the controller may use this machine for: server, generator, backend; several with commas")
	return cmd
}

// readBundle reads an agent's file, or standard input.
func readBundle(stdin io.Reader, name string) (*fleet.Bundle, error) {
	if name != "-" {
		return fleet.ReadBundle(name)
	}
	data, err := io.ReadAll(io.LimitReader(stdin, 1<<16))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	b, err := fleet.ParseBundle(data)
	if err != nil {
		return nil, usagef("standard input: %w", err)
	}
	return b, nil
}
