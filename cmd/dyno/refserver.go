package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/internal/foreign"
	"dyno/internal/protocol"
	"dyno/internal/refserver"
	"dyno/internal/result"
	"dyno/internal/scenario"
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
			control, ok, err := refserver.ParseControl(args[0])
			switch {
			case err != nil:
				return usage(err)
			case !ok:
				return usagef("no reference server %q: want null, null+5ms, null~200ms/2s, null/4, ref, ref', "+
					"ref+20%% or ref!late",
					args[0])
			}
			o, err := refserverOptions(files, addr)
			if err != nil {
				return err
			}
			counted, err := control.Run(cmd.Context(), o)
			if err != nil || counted == nil {
				return err
			}
			return json.NewEncoder(cmd.ErrOrStderr()).Encode(counted)
		},
	}
	cmd.Flags().StringArrayVar(&files, "scenario", nil,
		"scenario file; may be repeated; without it GET / is answered with \"value\" as text/plain")
	cmd.Flags().StringVar(&addr, "addr", "", "address to listen on, host:port (default: DYNO_ADDR)")
	return cmd
}

// refserverOptions reads the scenarios and the environment.
func refserverOptions(files []string, addr string) (o refserver.Options, err error) {
	for _, file := range files {
		project, name := filepath.Dir(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".toml")
		s, err := scenario.Read(foreign.FS(project), name)
		if err != nil {
			return o, err
		}
		o.Scenarios = append(o.Scenarios, s)
	}
	if len(files) == 0 {
		o.Scenarios = []*scenario.Scenario{plainScenario()}
	}
	if o.Delay, err = time.ParseDuration("0" + os.Getenv("DYNO_DELAY")); err != nil {
		return o, usagef("DYNO_DELAY: %v", err)
	}
	o.Addrs = map[protocol.Listener]string{}
	for _, at := range protocol.Listeners(protocol.All) {
		if set := os.Getenv(string(at)); set != "" {
			o.Addrs[at] = set
		}
	}
	if addr != "" {
		o.Addrs[protocol.AtClear] = addr
	}
	if len(o.Addrs) == 0 {
		return o, usagef("no address to listen on; pass --addr or set DYNO_ADDR")
	}
	o.Cert, o.Key = os.Getenv(protocol.CertVariable), os.Getenv(protocol.KeyVariable)
	work := os.Getenv("DYNO_WORK")
	if o.Hash = work == result.CPUBound; work != "" && !o.Hash {
		return o, usagef("DYNO_WORK: unknown value %q; want %s", work, result.CPUBound)
	}
	return o, nil
}

// plainScenario has a single request, GET /, and a response of five bytes.
func plainScenario() *scenario.Scenario {
	body := "value"
	return &scenario.Scenario{Name: "value", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Body: &body, Headers: map[string]string{"Content-Type": "text/plain"}},
	}}}
}
