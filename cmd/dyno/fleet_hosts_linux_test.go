package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hosts is a fleet in network namespaces: the host ctl with the controller, and others whose agents and
// cables have faults.
type hosts struct {
	*network
	file, keys string              // fleet.toml, and the folder beside it
	divided    bool                // the server's host has the first CPU of this machine, and the others have the rest
	calls      map[string][]string // how agents are started, by host
	agents     map[string]*exec.Cmd
	logs       map[string]*logged
}

// newFleet makes hosts of these names. machines is fleet.toml without the controller.
func newFleet(t *testing.T, machines string, divided bool, names ...string) *hosts {
	t.Helper()
	dir := t.TempDir()
	h := &hosts{network: newNetwork(t, names...), file: filepath.Join(dir, "fleet.toml"),
		keys: filepath.Join(dir, "fleet.keys"), divided: divided, agents: map[string]*exec.Cmd{},
		logs: map[string]*logged{}}
	h.init(machines)
	t.Cleanup(func() {
		for host := range h.agents {
			h.kill(host, syscall.SIGKILL)
		}
	})
	return h
}

// init writes fleet.toml, makes the keys, and reads how the agents are started.
func (h *hosts) init(machines string) {
	h.t.Helper()
	if err := os.WriteFile(h.file, []byte("controller = \"10.9.0.1:7447\"\n"+machines), 0o600); err != nil {
		h.t.Fatal(err)
	}
	out, err := h.command("ctl", "fleet", "init", h.file).CombinedOutput()
	if err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	h.calls = map[string][]string{}
	for line := range strings.Lines(string(out)) {
		if name, call, ok := strings.Cut(line, ": copy dyno"); ok {
			_, call, _ = strings.Cut(call, "start: dyno ")
			args := strings.Fields(call)
			args[len(args)-1] = filepath.Join(h.keys, args[len(args)-1])
			h.calls[name] = args
		}
	}
}

// agent starts the agents of hosts, in place of those that were started before. Machines that are generators alone
// are in time namespaces of their own where that is allowed: their clocks are seconds ahead of this machine's
// (time_namespaces(7)).
func (h *hosts) agent(names ...string) {
	h.t.Helper()
	for _, host := range names {
		if h.agents[host] != nil {
			h.kill(host, syscall.SIGKILL)
		}
		c := h.command(host, h.calls[host]...)
		if !slices.Contains(h.calls[host], "--role") {
			number, _ := strconv.Atoi(strings.TrimPrefix(host, "gen"))
			ahead := strconv.Itoa(7*number - 10) // -3 and 4 s
			clock := []string{"unshare", "--time", "--monotonic", ahead, "--boottime", ahead}
			if out, err := exec.Command(clock[0], append(clock[1:], "true")...).CombinedOutput(); err != nil {
				h.t.Logf("%s has this machine's clock: %v: %s", host, err, out)
			} else {
				c.Args = slices.Insert(c.Args, slices.Index(c.Args, h.dyno), clock...)
			}
		}
		h.divide(c, host)
		if h.logs[host] == nil {
			h.logs[host] = &logged{}
		}
		c.Stdout, c.Stderr = h.logs[host], h.logs[host]
		if err := c.Start(); err != nil {
			h.t.Fatal(err)
		}
		h.agents[host] = c
	}
}

// divide lets a command run on the CPUs of its host alone.
func (h *hosts) divide(c *exec.Cmd, host string) {
	if !h.divided {
		return
	}
	cpus := fmt.Sprintf("1-%d", runtime.NumCPU()-1)
	if strings.HasPrefix(host, "srv") {
		cpus = "0"
	}
	taskset, err := exec.LookPath("taskset")
	if err != nil || runtime.NumCPU() < 2 {
		h.t.Skip("two CPUs and taskset are needed")
	}
	c.Path, c.Args = taskset, append([]string{"taskset", "-c", cpus}, c.Args...)
}

// kill ends an agent and waits for it.
func (h *hosts) kill(host string, by syscall.Signal) {
	h.agents[host].Process.Signal(by)
	h.agents[host].Wait()
}

// left returns the processes on a host but its agent.
func (h *hosts) left(host string) (all []string) {
	out, err := exec.Command("ip", "netns", "pids", h.id+host).Output()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, pid := range strings.Fields(string(out)) {
		if c := h.agents[host]; c == nil || pid != fmt.Sprint(c.Process.Pid) {
			name, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			all = append(all, pid+" "+strings.ReplaceAll(string(name), "\x00", " "))
		}
	}
	return all
}

// gone waits until no process is left on hosts but their agents.
func (h *hosts) gone(what string, within time.Duration, hosts ...string) {
	h.t.Helper()
	for _, host := range hosts {
		for end := time.Now().Add(within); len(h.left(host)) > 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				h.t.Fatalf("%s: after %v %s still has %v\n%s", what, within, host, h.left(host), h.logs[host])
			}
		}
	}
}

// names are the hosts with agents.
func (h *hosts) names() (all []string) {
	for host := range h.agents {
		all = append(all, host)
	}
	slices.Sort(all)
	return all
}

// all are the hosts with agents, and the controller's.
func (h *hosts) all() []string { return append(h.names(), "ctl") }

// hostFault is what happens to a host or to the controller while that carries out a command. Agents and
// cables are as before when do returns.
type hostFault struct {
	name string
	on   string // what has it: an agent, a cable or the controller
	do   func(h *hosts, rng *rand.Rand, host string, controller *exec.Cmd)
}

// An idle connection whose other side does not answer ends within 8 s.
const shorter, longer = 4 * time.Second, 9 * time.Second

var hostFaults = []hostFault{
	{"is killed", "agent", func(h *hosts, rng *rand.Rand, host string, _ *exec.Cmd) {
		h.kill(host, syscall.SIGKILL)
		naps(rng, 2*time.Second)
		h.agent(host)
	}},
	{"is restarted", "agent", func(h *hosts, _ *rand.Rand, host string, _ *exec.Cmd) {
		h.kill(host, syscall.SIGTERM)
		h.agent(host)
	}},
	{"pauses", "agent", func(h *hosts, rng *rand.Rand, host string, _ *exec.Cmd) {
		pause(h.agents[host], rng, 0, shorter)
	}},
	{"pauses for long", "agent", func(h *hosts, rng *rand.Rand, host string, _ *exec.Cmd) {
		pause(h.agents[host], rng, longer, longer+shorter)
	}},
	{"is out for a while", "cable", func(h *hosts, rng *rand.Rand, host string, _ *exec.Cmd) {
		h.unplugged(host, rng, 0, shorter)
	}},
	{"is out for long", "cable", func(h *hosts, rng *rand.Rand, host string, _ *exec.Cmd) {
		h.unplugged(host, rng, longer, longer+shorter)
	}},
	{"is killed", "controller", func(_ *hosts, _ *rand.Rand, _ string, c *exec.Cmd) { c.Process.Kill() }},
	{"is interrupted", "controller", func(_ *hosts, _ *rand.Rand, _ string, c *exec.Cmd) {
		c.Process.Signal(syscall.SIGINT)
	}},
	{"pauses", "controller", func(_ *hosts, rng *rand.Rand, _ string, c *exec.Cmd) { pause(c, rng, 0, shorter) }},
	{"pauses for long", "controller", func(_ *hosts, rng *rand.Rand, _ string, c *exec.Cmd) {
		pause(c, rng, longer, longer+shorter)
	}},
}

func pause(c *exec.Cmd, rng *rand.Rand, least, most time.Duration) {
	c.Process.Signal(syscall.SIGSTOP)
	time.Sleep(least)
	naps(rng, most-least)
	c.Process.Signal(syscall.SIGCONT)
}

// unplugged takes a host's cable out for a while: so that nothing says so, or so that its card does.
func (h *hosts) unplugged(host string, rng *rand.Rand, least, most time.Duration) {
	out, in := []string{"nomaster"}, []string{"master", "br0"}
	if rng.IntN(2) == 0 {
		out, in = []string{"down"}, []string{"up"}
	}
	set := []string{"-n", h.id + "switch", "link", "set", host}
	h.ip(append(set, out...)...)
	time.Sleep(least)
	naps(rng, most-least)
	h.ip(append(set, in...)...)
}

func naps(rng *rand.Rand, most time.Duration) { time.Sleep(time.Duration(rng.Int64N(int64(most)))) }

// trouble is a fault of one host.
type trouble struct {
	hostFault
	host string
}

func (f trouble) String() string { return fmt.Sprintf("the %s of %s %s", f.on, f.host, f.name) }

// troubles are all faults of all hosts.
func (h *hosts) troubles() (all []trouble) {
	for _, f := range hostFaults {
		switch f.on {
		case "agent":
			for _, host := range h.names() {
				all = append(all, trouble{f, host})
			}
		case "cable":
			for _, host := range h.all() {
				all = append(all, trouble{f, host})
			}
		default:
			all = append(all, trouble{f, "ctl"})
		}
	}
	return all
}
