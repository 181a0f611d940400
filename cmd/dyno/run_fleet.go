package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/document"
	"dyno/internal/fleet"
	"dyno/internal/plan"
	"dyno/internal/record"
)

// onFleet makes an experiment run on a file's machines, if one is given.
func onFleet(cmd *cobra.Command, at *place, x *bench.Experiment) error {
	if at.Fleet == "" {
		return nil
	}
	f, err := fleet.Read(at.Fleet)
	if err != nil {
		return err
	}
	if err := fits(f, at.Fleet, x.Plan); err != nil {
		return err
	}
	if _, err := fleet.Running(x.Manifests, x.Plan.Servers.Attached); err != nil {
		return err
	}
	for _, name := range append(plan.OtherScenarios(x.Plan), x.Plan.Scenario) {
		sc, err := x.Scenario(name)
		if err == nil {
			err = fleet.Sendable(sc)
		}
		if err != nil {
			return err
		}
	}
	x.Calibrated = nil // it belongs to this machine
	x.NewHost = func(o bench.LocalOptions) (bench.Host, error) { return newFleetHost(cmd, f, o, x.Plan) }
	return nil
}

// fits returns an error if a file's machines cannot carry out a plan.
func fits(f *fleet.Fleet, file string, p *record.Plan) error {
	if len(p.Services) > 0 {
		return usagef("--fleet: no machine of a fleet starts the service %s, which the contestants call; compare on one "+
			"machine", p.Services[0].Name)
	}
	if len(p.Servers.Attached) > 0 {
		return fitsURLs(f, file, p)
	}
	switch all := f.Servers; {
	case len(all) == 0:
		return usagef("%s: no machine for the contestants: add a table [[server]] with name and address, the IP address at "+
			"which the other machines reach it", file)
	case len(all) > 1:
		return usagef("%s: a run has one machine for this; leave one table [[server]]", file)
	case all[0].Address == "":
		return usagef("%s: the [[server]] %s has no address: say at which IP address the other machines reach it", file,
			all[0].Name)
	}
	return connects(f, file, p)
}

// fitsURLs does the same as fits for servers that are already running.
func fitsURLs(f *fleet.Fleet, file string, p *record.Plan) error {
	if len(p.Servers.Attached) < len(p.Contestants) || len(p.Controls) > 0 {
		return usagef("--fleet: a URL is compared with URLs alone, as dyno neither starts nor freezes them; omit the " +
			"others, or pass --controls none")
	}
	return connects(f, file, p)
}

// connects returns an error if there is no generator, or if one would have no connection.
func connects(f *fleet.Fleet, file string, p *record.Plan) error {
	n := len(f.Generators)
	if n == 0 {
		return usagef("%s: no machine makes load; add a table [[generator]]", file)
	}
	for _, l := range p.Levels {
		if l.Connections < n {
			return usagef("--fleet: each of the %d generators needs a connection; raise --connections from %d, or name fewer "+
				"machines", n, l.Connections)
		}
	}
	return nil
}

// newFleetHost opens f's controller and takes the machines that carry out p.
func newFleetHost(cmd *cobra.Command, f *fleet.Fleet, o bench.LocalOptions, p *record.Plan) (bench.Host, error) {
	stderr := cmd.ErrOrStderr()
	hub, err := openHub(f, stderr)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stderr, "waiting for the agents of %s\n", document.Count(len(f.InRun(p)), "machine"))
	if err := hub.Gather(cmd.Context(), f.InRun(p)); err != nil {
		hub.Close()
		return nil, err
	}
	host, err := hub.Host(cmd.Context(), o, p)
	if err != nil {
		hub.Close()
		return nil, err
	}
	return host, nil
}
