package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"dyno/internal/bench"
	"dyno/internal/load"
	"dyno/internal/load/epoll"
	"dyno/internal/load/gonet"
	"dyno/internal/scenario"
)

// verifyMutants tests each scenario's verification, and prints which check found which defect.
func verifyMutants(cmd *cobra.Command, p *project, names []string) error {
	if len(names) == 0 {
		var err error
		if names, err = scenario.Names(p.fsys); err != nil {
			return err
		}
	}
	var scenarios []*scenario.Scenario
	for _, name := range names {
		s, err := p.scenario(name)
		if err != nil {
			return err
		}
		scenarios = append(scenarios, s)
	}
	var engine load.Engine = epoll.Engine{}
	if runtime.GOOS != "linux" {
		engine = gonet.Engine{}
	}
	out := cmd.OutOrStdout()
	right := true
	for _, s := range scenarios {
		findings, err := bench.Mutants(cmd.Context(), engine, s)
		if err != nil {
			return err
		}
		fmt.Fprintln(out, s.Name)
		for _, f := range findings {
			right = right && f.Right()
			fmt.Fprintf(out, "  %-15s %-34s %s\n", nameOf(f), outcome(f), f.Does)
			if !f.Right() && f.Reason != "" {
				fmt.Fprintf(out, "    %s\n", f.Reason)
			}
		}
	}
	if !right {
		return exit(exitFailed)
	}
	return nil
}

func nameOf(f bench.MutantFinding) string {
	if f.Mutant == "" {
		return "(reference)"
	}
	return f.Mutant
}

// outcome describes a finding in a few words.
func outcome(f bench.MutantFinding) string {
	switch {
	case f.Err != nil:
		return "could not be tested: " + f.Err.Error()
	case f.Mutant == "" && f.Check == "":
		return "accepted"
	case f.Mutant == "":
		return "REJECTED by " + f.Check
	case f.Check == "":
		return "NOT FOUND"
	}
	return "found by " + f.Check
}
