//go:build !nofleet

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hosts is a fleet in network namespaces: the host ctl with the controller, gen1 and gen2 with agents,
// srv with a server.
type hosts struct {
	*network
	file   string // fleet.toml
	agents map[string]*exec.Cmd
	logs   map[string]*logged
	server *exec.Cmd
}

const generators = 2

func newHosts(t *testing.T) *hosts {
	t.Helper()
	h := &hosts{network: newNetwork(t, "ctl", "gen1", "gen2", "srv"), file: filepath.Join(t.TempDir(), "fleet.toml"),
		agents: map[string]*exec.Cmd{}, logs: map[string]*logged{}}
	if err := os.WriteFile(h.file, []byte("controller = \"10.9.0.1:7447\"\n[[generator]]\nname = \"gen1\"\n"+
		"[[generator]]\nname = \"gen2\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := h.command("ctl", "fleet", "init", h.file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h.server = h.command("srv", "refserver", "null", "--addr", "10.9.0.4:80")
	if err := h.server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.server.Process.Kill(); h.server.Wait() })
	for i := range generators {
		host := fmt.Sprintf("gen%d", i+1)
		h.logs[host] = &logged{}
		h.agent(host)
		t.Cleanup(func() { h.kill(host, syscall.SIGKILL) })
	}
	return h
}

// agent starts the agent of a host, in a time namespace of its own where that is allowed: its clock is
// seconds ahead of this machine's (time_namespaces(7)).
func (h *hosts) agent(host string) {
	h.t.Helper()
	c := h.command(host, "agent", strings.TrimSuffix(h.file, ".toml")+".keys/"+host+".agent")
	number, _ := strconv.Atoi(strings.TrimPrefix(host, "gen"))
	ahead := strconv.Itoa(7*number - 10) // -3 and 4 s
	clock := []string{"unshare", "--time", "--monotonic", ahead, "--boottime", ahead}
	if out, err := exec.Command(clock[0], append(clock[1:], "true")...).CombinedOutput(); err != nil {
		h.t.Logf("%s has this machine's clock: %v: %s", host, err, out)
	} else {
		at := len(c.Args) - 3 // before dyno agent FILE
		c.Args = append(append(append([]string(nil), c.Args[:at]...), clock...), c.Args[at:]...)
	}
	c.Stdout, c.Stderr = h.logs[host], h.logs[host]
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.agents[host] = c
}

// kill ends an agent and waits for it.
func (h *hosts) kill(host string, by syscall.Signal) {
	h.agents[host].Process.Signal(by)
	h.agents[host].Wait()
}

// plug puts a host's cable in again.
func (n *network) plug(host string) {
	n.ip("-n", n.id+"switch", "link", "set", host, "master", "br0")
}

// pids returns the processes in the network of a host.
func (n *network) pids(host string) []string {
	out, err := exec.Command("ip", "netns", "pids", n.id+host).Output()
	if err != nil {
		n.t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// loads is the number of connections that the server has.
func (h *hosts) loads() (open int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", h.server.Process.Pid))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		const established = "01"
		if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], ":0050") && f[3] == established {
			open++
		}
	}
	return open
}

// fleetLoad is dyno load of 200 requests.
type fleetLoad struct {
	*exec.Cmd
	stdout, stderr *bytes.Buffer
	began          time.Time
}

const (
	planned   = 200
	serverURL = "http://10.9.0.4/"
)

func (h *hosts) load(url string) *fleetLoad {
	h.t.Helper()
	c := h.command("ctl", "load", "--fleet", h.file, "--json", "-r", fmt.Sprint(planned), "-d", "1s", "-c", "4",
		"--timeout", "2s", url)
	l := &fleetLoad{c, &bytes.Buffer{}, &bytes.Buffer{}, time.Now()}
	c.Stdout, c.Stderr = l.stdout, l.stderr
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	return l
}

// wait waits for the end of a load. The error says what is not as it must be: a right result, or one of
// the reasons, or the signal that ended it. end names the end.
func (l *fleetLoad) wait() (end string, err error) {
	timer := time.AfterFunc(time.Minute, func() { l.Process.Kill() })
	err = l.Wait()
	if !timer.Stop() {
		return "", fmt.Errorf("it did not end within a minute\n%s", l.stderr)
	}
	told := l.stderr.String()
	switch status := l.ProcessState.Sys().(syscall.WaitStatus); {
	case status.Signaled():
		return "killed", nil
	case l.stdout.Len() == 0 && err != nil:
		last := told[strings.LastIndex(strings.TrimSpace("\n"+told), "\n")+1:]
		if status.ExitStatus() != 1 || !strings.Contains(last, "gen") && !strings.Contains(last, "interrupted") ||
			strings.Contains(told, "bug in dyno") {
			return "", fmt.Errorf("it ended with %d, which is not clear:\n%s", status.ExitStatus(), told)
		}
		return "no result: " + strings.TrimSpace(last), nil
	}
	var s struct {
		Planned      int64 `json:"planned"`
		NeverStarted int64 `json:"never_started"`
		Started      int64 `json:"started"`
		Interrupted  bool  `json:"interrupted"`
		Generators   []struct {
			Name    string `json:"name"`
			Started int64  `json:"started"`
			BeganNS int64  `json:"began_ns"`
			BoundNS int64  `json:"bound_ns"`
		} `json:"generators"`
	}
	if err := json.Unmarshal(l.stdout.Bytes(), &s); err != nil {
		return "", fmt.Errorf("its result: %w", err)
	}
	sum := int64(0)
	for _, g := range s.Generators {
		sum += g.Started
		if off := max(g.BeganNS, -g.BeganNS) + g.BoundNS; off > 10e6 {
			return "", fmt.Errorf("%s began up to %d ns off", g.Name, off)
		}
	}
	if len(s.Generators) != generators || sum != s.Started || !s.Interrupted &&
		(s.Planned != planned || s.Started+s.NeverStarted != planned) {
		return "", fmt.Errorf("a wrong result: %+v", s)
	}
	if s.Interrupted {
		return "a result until it was interrupted", nil
	}
	return "a result", nil
}

// hostFaults are what happens to a host or to the controller while a load runs.
var hostFaults = []struct {
	name string
	do   func(h *hosts, rng *rand.Rand, host string, load *fleetLoad)
}{
	{"an agent is killed", func(h *hosts, rng *rand.Rand, host string, _ *fleetLoad) {
		h.kill(host, syscall.SIGKILL)
		naps(rng, 2*time.Second)
		h.agent(host)
	}},
	{"an agent is restarted", func(h *hosts, _ *rand.Rand, host string, _ *fleetLoad) {
		h.kill(host, syscall.SIGTERM)
		h.agent(host)
	}},
	{"an agent pauses", func(h *hosts, rng *rand.Rand, host string, _ *fleetLoad) {
		h.agents[host].Process.Signal(syscall.SIGSTOP)
		naps(rng, 3*time.Second)
		h.agents[host].Process.Signal(syscall.SIGCONT)
	}},
	{"a cable is out for a while", func(h *hosts, rng *rand.Rand, host string, _ *fleetLoad) {
		h.cut(host)
		naps(rng, 4*time.Second)
		h.plug(host)
	}},
	{"a cable is out for long", func(h *hosts, _ *rand.Rand, host string, _ *fleetLoad) {
		h.cut(host)
		time.Sleep(12 * time.Second)
		h.plug(host)
	}},
	{"the controller's cable is out for a while", func(h *hosts, rng *rand.Rand, _ string, _ *fleetLoad) {
		h.cut("ctl")
		naps(rng, 4*time.Second)
		h.plug("ctl")
	}},
	{"the controller is killed", func(_ *hosts, _ *rand.Rand, _ string, load *fleetLoad) {
		load.Process.Kill()
	}},
	{"the controller pauses", func(_ *hosts, rng *rand.Rand, _ string, load *fleetLoad) {
		load.Process.Signal(syscall.SIGSTOP)
		naps(rng, 3*time.Second)
		load.Process.Signal(syscall.SIGCONT)
	}},
	{"the controller is interrupted", func(_ *hosts, _ *rand.Rand, _ string, load *fleetLoad) {
		load.Process.Signal(syscall.SIGINT)
	}},
}

func naps(rng *rand.Rand, most time.Duration) { time.Sleep(time.Duration(rng.Int64N(int64(most)))) }

// number returns the number in a variable of the environment, or other.
func number(t *testing.T, name string, other int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return other
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestFaultsOfHosts: whatever happens to an agent, a cable or the controller while a load runs, at a time
// drawn from DYNO_SEED, the load has a right result or says why there is none, nothing of it goes on, and
// the next one works with the same agents. DYNO_FAULTS is how many faults there are.
func TestFaultsOfHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for connections to end")
	}
	h := newHosts(t)
	seed := uint64(number(t, "DYNO_SEED", 1))
	rng := rand.New(rand.NewPCG(seed, 0))
	h.works(t)
	for i := range number(t, "DYNO_FAULTS", 5) {
		fault, host := hostFaults[rng.IntN(len(hostFaults))], fmt.Sprintf("gen%d", 1+rng.IntN(generators))
		after := time.Duration(rng.Int64N(int64(4 * time.Second)))
		what := fmt.Sprintf("fault %d of seed %d: after %v %s (%s)", i, seed, after.Round(time.Millisecond), fault.name, host)
		load := h.load(serverURL)
		time.Sleep(after)
		fault.do(h, rng, host, load)
		end, err := load.wait()
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, h.logs[host])
		}
		t.Logf("%s: %s", what, end)
		h.idle(t, what)
		h.works(t)
	}
	for host := range h.agents {
		h.kill(host, syscall.SIGTERM)
		if left := h.pids(host); len(left) > 0 {
			t.Errorf("%s has processes left: %v", host, left)
		}
	}
}

// idle waits until the server has no connections, and checks that no process is left but the agents. The
// kernel tries to end a connection again after up to some seconds, if its cable was out.
func (h *hosts) idle(t *testing.T, what string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); h.loads() > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: the load goes on: %d connections", what, h.loads())
		}
	}
	if left := h.pids("ctl"); len(left) > 0 {
		t.Fatalf("%s: the controller's host has processes left: %v", what, left)
	}
	for host, c := range h.agents {
		if left := h.pids(host); len(left) != 1 || left[0] != strconv.Itoa(c.Process.Pid) {
			t.Fatalf("%s: %s has the processes %v; want %d alone", what, host, left, c.Process.Pid)
		}
	}
}

// works makes a load, and again if this machine is too busy to begin it on time.
func (h *hosts) works(t *testing.T) {
	t.Helper()
	end := ""
	for range 20 {
		var err error
		if end, err = h.load(serverURL).wait(); err != nil {
			t.Fatal(err)
		}
		if end == "a result" {
			return
		}
		if !strings.Contains(end, "did not start on time") && !strings.Contains(end, "came") {
			t.Fatalf("a load without a fault: %s", end)
		}
	}
	t.Skipf("this machine is too busy to begin a load on time: %s", end)
}
