//go:build !nofleet

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/document"
	"dyno/internal/experiment"
	"dyno/internal/fleet"
	"dyno/internal/result"
)

// fleetPlaceFlag defines --fleet of dyno run and dyno compare.
func fleetPlaceFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, fleetName, "", "build and start the contestants on the [[server]] of this file, and "+
		"load them from all its [[generator]]s together (doc/fleet.md)")
}

// onFleet makes an experiment run on the machines of a file, if one is given.
func onFleet(cmd *cobra.Command, file string, x *experiment.Experiment) error {
	if file == "" {
		return nil
	}
	f, err := fleet.Read(file)
	switch {
	case err != nil:
		return err
	case len(f.Servers) == 0:
		return usagef("%s: no machine for the contestants: add a table [[server]] with name = \"srv1\" and address, the "+
			"IP address at which the generators reach it", file)
	case len(f.Servers) > 1:
		return usagef("%s: contestants are compared on one machine; leave one table [[server]]", file)
	case f.Servers[0].Address == "":
		return usagef("%s: the [[server]] %s has no address: say at which IP address the generators reach it", file,
			f.Servers[0].Name)
	case len(f.Generators) == 0 || slices.Contains(f.Roles(f.Servers[0].Name), fleet.Generator):
		return usagef("%s: want a [[generator]] on another machine than the [[server]]", file)
	case x.Plan.Backend != "":
		return usagef("--fleet: the scenario needs the backend %s, which is started on one machine with the generator "+
			"alone; choose another --scenario, or omit --fleet", x.Plan.Backend)
	case len(x.Plan.External) > 0:
		return usagef("--fleet: --external runs a tool on this machine; omit one of them")
	}
	for _, l := range x.Plan.Points() {
		if n := len(f.Generators); l.Connections < n {
			return usagef("--fleet: each of the %d generators needs a connection; raise --connections from %d, or name fewer "+
				"machines", n, l.Connections)
		}
	}
	x.Calibrated = nil // which is of this machine
	x.NewHost = func(o bench.LocalOptions) (experiment.Host, error) { return newFleetHost(cmd, f, o, x.Plan) }
	return nil
}

// fleetHost is the machines of a fleet, and its controller.
type fleetHost struct {
	*fleet.Host
	hub *fleet.Hub
}

func newFleetHost(cmd *cobra.Command, f *fleet.Fleet, o bench.LocalOptions, p *result.Plan) (*fleetHost, error) {
	stderr := cmd.ErrOrStderr()
	hub, err := openHub(f, stderr)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "waiting for the agents of %s\n", document.Count(1+len(f.Generators), "machine"))
	err = hub.GatherRun(cmd.Context())
	var host *fleet.Host
	if err == nil {
		host, err = hub.Host(cmd.Context(), o, p.Contestants, p.Command)
	}
	if err != nil {
		hub.Close()
		return nil, err
	}
	return &fleetHost{host, hub}, nil
}

// Close ends what the agents do, and the controller.
func (h *fleetHost) Close() {
	h.Host.Close()
	h.hub.Close()
}
