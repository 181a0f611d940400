package main

import (
	"fmt"
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
