package main

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/refserver"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// truthCommand is what dyno starts itself as, to be a server whose truth is known. It obeys the contestants' environment; --addr and the
// scenario that it has without --scenario make it startable by hand:
//
//	dyno truth null+5ms --addr 127.0.0.1:5099
//
// When it is told to stop, a server of the null family prints its refserver.Tally on stderr, one of the ref family its refserver.Added, as one line
// of JSON.
func truthCommand() *cobra.Command {
	var files []string
	var addr string
	cmd := &cobra.Command{
		Use:    "truth null|null+DELAY|null~STALL/PERIOD|null/N|ref|ref'|ref+X%|ref!MUTANT",
		Short:  "Be a server whose truth is known",
		Hidden: true,
		Args:   arguments(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			control, ok, err := refserver.ParseControl(args[0])
			switch {
			case err != nil:
				return usage(err)
			case !ok:
				return usagef("no truth server %q: want null, null+5ms, null~200ms/2s, null/4, ref, ref', ref+20%% or ref!late", args[0])
			}
			all, err := truthScenarios(files)
			if err != nil {
				return err
			}
			delay, err := time.ParseDuration("0" + os.Getenv("DYNO_DELAY"))
			if err != nil {
				return usagef("DYNO_DELAY: %v", err)
			}
			if addr == "" {
				addr = os.Getenv("DYNO_ADDR")
			}
			if addr == "" {
				return usagef("neither --addr nor DYNO_ADDR is given")
			}
			if control.Null {
				null, _, err := refserver.NullOf(all[0], all[1:]...)
				if err != nil {
					return err
				}
				null.Manner = control.Manner
				tally, err := null.Serve(cmd.Context(), "tcp", addr)
				if err != nil {
					return err
				}
				return json.NewEncoder(cmd.ErrOrStderr()).Encode(tally)
			}
			s, err := refserver.Join(all)
			if err != nil {
				return err
			}
			if err := refserver.Can(s); err != nil {
				return err
			}
			work := os.Getenv("DYNO_WORK")
			if work != "" && work != result.CPUBound {
				return usagef("DYNO_WORK: %q; there is %s", work, result.CPUBound)
			}
			ref := &refserver.Reference{Scenario: s, Delay: delay, Hash: work == result.CPUBound, Turns: refserver.TurnsFor(time.Duration(control.Extra * float64(refserver.RefCost)))}
			companion, err := s.CompanionAddr()
			if err != nil {
				return err
			}
			if companion != "" {
				ref.Ask = scenario.Ask(cmd.Context(), "tcp", companion)
			}
			ln, err := net.Listen("tcp", addr)
			if err != nil {
				return err
			}
			if control.Mutant != nil {
				return control.Mutant.Serve(cmd.Context(), ln, ref)
			}
			if err := ref.Serve(cmd.Context(), ln); err != nil {
				return err
			}
			return json.NewEncoder(cmd.ErrOrStderr()).Encode(ref.Added())
		},
	}
	cmd.Flags().StringArrayVar(&files, "scenario", nil, "scenario file; may be repeated; without it GET / is answered with \"value\" as text/plain")
	cmd.Flags().StringVar(&addr, "addr", "", "listen there, host:port; without it at DYNO_ADDR")
	return cmd
}

// truthScenarios reads them, or makes the one that needs no file.
func truthScenarios(files []string) ([]*scenario.Scenario, error) {
	if len(files) == 0 {
		return []*scenario.Scenario{plainScenario()}, nil
	}
	var all []*scenario.Scenario
	for _, file := range files {
		s, err := scenario.Read(os.DirFS(filepath.Dir(filepath.Dir(file))), strings.TrimSuffix(filepath.Base(file), ".toml"))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// plainScenario asks for / and gets five bytes.
func plainScenario() *scenario.Scenario {
	body := "value"
	return &scenario.Scenario{Name: "value", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Body: &body, Headers: map[string]string{"Content-Type": "text/plain"}},
	}}}
}
