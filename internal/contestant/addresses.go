package contestant

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"dyno/internal/wire"
)

// statsListener is the environment variable with the address for heap figures.
const statsListener wire.Listener = "DYNO_STATS"

// addresses returns the contestant's listening addresses by environment variable. A program that follows the
// contract has one for each listener that its protocols need; a user's command has one port alone, AtClear,
// for whatever protocol.
func (o *LaunchOptions) addresses(port int, follows bool) (map[wire.Listener]string, error) {
	all := map[wire.Listener]string{wire.AtClear: net.JoinHostPort(o.address(), strconv.Itoa(port))}
	var more []wire.Listener
	if follows {
		more = wire.Listeners(o.Protocols)[1:]
	}
	if o.Stats {
		more = append(more, statsListener)
	}
	taken := []int{port}
	for _, at := range more {
		other := port
		for slices.Contains(taken, other) {
			var err error
			if other, err = freePort(o.address()); err != nil {
				return nil, err
			}
		}
		taken = append(taken, other)
		all[at] = net.JoinHostPort(o.address(), strconv.Itoa(other))
		if at == statsListener { // dyno reads it from this machine
			all[at] = net.JoinHostPort(loopback, strconv.Itoa(other))
		}
	}
	return all, nil
}

// At returns the endpoint for form h of HTTP.
func (i *Instance) At(h wire.HTTP) wire.Endpoint {
	to := i.Endpoint
	if addr := i.also[h.Listener()]; h.Listener() != wire.AtClear && addr != "" {
		to.Addr = addr
	}
	return to.Speaking(h, i.identity)
}

// env returns the environment variables that configure a contestant listening at addrs.
func (o *LaunchOptions) env(addrs map[wire.Listener]string) map[string]string {
	env := map[string]string{}
	maps.Copy(env, o.Env)
	for variable, addr := range addrs {
		env[string(variable)] = addr
	}
	if slices.ContainsFunc(o.Protocols, wire.HTTP.TLS) {
		env[wire.CertVariable], env[wire.KeyVariable] = o.Identity.Cert, o.Identity.Key
	}
	for key, value := range map[string]string{
		"DYNO_WORK":   o.Work,
		"DYNO_ROUTES": strings.Join(o.Routes, string(os.PathListSeparator)),
	} {
		if value != "" {
			env[key] = value
		}
	}
	if o.Delay > 0 {
		env["DYNO_DELAY"] = o.Delay.String()
	}
	return env
}

// processors are the variables that tell Go (package runtime) and .NET (DOTNET_PROCESSOR_COUNT) the number of
// CPUs. Both would otherwise use their affinity, as Node.js, nproc and most others do, which is why a process
// is pinned from the start; but they also use a cgroup's quota, which may apply to a larger group.
var processors = []string{"GOMAXPROCS", "DOTNET_PROCESSOR_COUNT"}

// counted adds the number of pinned CPUs to env, if Count is set, and returns the variables that tell it. It
// keeps a variable that the manifest sets, but replaces one that a command merely inherits from dyno's
// environment.
func (o *LaunchOptions) counted(env map[string]string, inherited bool) map[string]string {
	if !o.Count || len(o.CPUs) == 0 {
		return nil
	}
	all := map[string]string{}
	for _, variable := range processors {
		if env[variable] == "" || inherited {
			env[variable] = strconv.Itoa(len(o.CPUs))
		}
		all[variable] = env[variable]
	}
	return all
}

// address returns the IP address on which a contestant should listen.
func (o *LaunchOptions) address() string { return cmp.Or(o.Address, loopback) }

const loopback = "127.0.0.1"

// freePort asks the kernel for an unused port on an address of this machine.
func freePort(address string) (int, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}
