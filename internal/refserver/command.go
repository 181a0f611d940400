package refserver

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dyno/internal/conf"
	"dyno/internal/foreign"
	"dyno/internal/record"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Relay, with addresses host:port and commas between them, is the name of a wire.Relay.
const Relay = "relay:"

// Command runs the named reference server until ctx is done, configured by the contestants' environment
// variables. files are scenarios; without any it serves PlainScenario. addr replaces DYNO_ADDR unless it is
// "". At the end Command writes the counts to w as one line of JSON: a null server's Tally, or a reference's
// Added.
func Command(ctx context.Context, name string, files []string, addr string, w io.Writer) error {
	if addrs, relay := strings.CutPrefix(name, Relay); relay {
		return wire.Relay(strings.Split(addrs, ","))
	}
	control, ok, err := ParseControl(name)
	switch {
	case err != nil:
		return conf.Usage(err)
	case !ok:
		return conf.Usagef("no reference server %q: want null, null+5ms, ref, ref' or ref+20%%", name)
	}
	o, err := environment(files, addr)
	if err != nil {
		return err
	}
	counted, err := control.Run(ctx, o)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(counted)
}

// environment reads the scenarios and the environment.
func environment(files []string, addr string) (o Options, err error) {
	for _, file := range files {
		project, name := filepath.Dir(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".toml")
		s, err := scenario.Read(foreign.FS(project), name)
		if err != nil {
			return o, err
		}
		o.Scenarios = append(o.Scenarios, s)
	}
	if len(files) == 0 {
		o.Scenarios = []*scenario.Scenario{PlainScenario()}
	}
	if o.Delay, err = time.ParseDuration("0" + os.Getenv("DYNO_DELAY")); err != nil {
		return o, conf.Usagef("DYNO_DELAY: %v", err)
	}
	o.Addrs = map[wire.Listener]string{}
	for _, at := range wire.Listeners(wire.Protocols) {
		if set := os.Getenv(string(at)); set != "" {
			o.Addrs[at] = set
		}
	}
	if addr != "" {
		o.Addrs[wire.AtClear] = addr
	}
	if len(o.Addrs) == 0 {
		return o, conf.Usagef("no address to listen on; pass --addr or set DYNO_ADDR")
	}
	o.Cert, o.Key = os.Getenv(wire.CertVariable), os.Getenv(wire.KeyVariable)
	work := os.Getenv("DYNO_WORK")
	if o.Hash = work == record.CPUBound; work != "" && !o.Hash {
		return o, conf.Usagef("DYNO_WORK: unknown value %q; want %s", work, record.CPUBound)
	}
	return o, nil
}

// PlainScenario has a single request, GET /, and a response body of five bytes.
func PlainScenario() *scenario.Scenario {
	body := "value"
	return &scenario.Scenario{Name: "value", Requests: []scenario.Request{{
		Name: "get", Method: "GET", Path: "/", Weight: 1,
		Expect: scenario.Expect{Status: 200, Body: &body, Headers: map[string]string{"Content-Type": "text/plain"}},
	}}}
}
