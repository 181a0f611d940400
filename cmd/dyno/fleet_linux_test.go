//go:build !nofleet

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno/internal/netns"
	"dyno/internal/proc"
)

// network is hosts in network namespaces of their own, joined by a bridge in one more.
type network struct {
	t     *testing.T
	dyno  string
	id    string
	locks string // a folder of each host below it: hosts do not lock each other out
}

var networks atomic.Int64

// newNetwork makes hosts with the addresses 10.9.0.1 and so on. It skips the test where it may not.
func newNetwork(t *testing.T, hosts ...string) *network {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip(err)
	}
	if err := netns.Allowed(); err != nil {
		t.Skip(err)
	}
	n := &network{t: t, dyno: program(t, "dyno"), id: fmt.Sprintf("dyno%d-%d", os.Getpid(), networks.Add(1)),
		locks: t.TempDir()}
	n.add("switch")
	n.ip("-n", n.id+"switch", "link", "add", "name", "br0", "type", "bridge")
	n.ip("-n", n.id+"switch", "link", "set", "br0", "up")
	for i, h := range hosts {
		n.add(h)
		n.ip("-n", n.id+"switch", "link", "add", "name", h, "type", "veth", "peer", "name", "eth0", "netns", n.id+h)
		n.ip("-n", n.id+"switch", "link", "set", h, "master", "br0")
		n.ip("-n", n.id+"switch", "link", "set", h, "up")
		n.ip("-n", n.id+h, "addr", "add", fmt.Sprintf("10.9.0.%d/24", i+1), "dev", "eth0")
		n.ip("-n", n.id+h, "link", "set", "eth0", "up")
		n.ip("-n", n.id+h, "link", "set", "lo", "up")
	}
	return n
}

func (n *network) add(host string) {
	n.ip("netns", "add", n.id+host)
	n.t.Cleanup(func() { exec.Command("ip", "netns", "del", n.id+host).Run() })
}

func (n *network) ip(args ...string) {
	n.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		n.t.Skipf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// cut takes a host's cable out: nothing is sent that would say so.
func (n *network) cut(host string) { n.ip("-n", n.id+"switch", "link", "set", host, "nomaster") }

// command returns dyno on a host.
func (n *network) command(host string, args ...string) *exec.Cmd {
	c := exec.Command("ip", append([]string{"netns", "exec", n.id + host, n.dyno}, args...)...)
	c.Env = append(os.Environ(), proc.RuntimeVariable+"="+filepath.Join(n.locks, host))
	return c
}

// logged is what a program wrote until now.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// has waits for a text.
func (l *logged) has(t *testing.T, text string, within time.Duration) {
	t.Helper()
	for end := time.Now().Add(within); !strings.Contains(l.String(), text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %q\n%s", within, text, l)
		}
	}
}

// start starts dyno on a host until the test ends.
func (n *network) start(host string, args ...string) *logged {
	n.t.Helper()
	c, l := n.command(host, args...), &logged{}
	c.Stdout, c.Stderr = l, l
	if err := c.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	return l
}

// TestHosts runs what needs hosts one after another, beside all other tests: mostly it waits.
func TestHosts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it waits for the kernel to give connections up, and measures for minutes")
	}
	for _, c := range []struct {
		name string
		test func(*testing.T)
	}{{"Fleet", fleetOfHosts}, {"Faults", faultsOfHosts}, {"AgentsInWindows", agentsInWindows}, {"Run", runOnFleet},
		{"Backend", backendOnFleet}, {"CompareURLs", compareURLsOnFleet}} {
		t.Run(c.name, c.test)
	}
}

// fleetOfHosts: a controller, two generators and a server, each with a network of its own. All
// together make the load that was asked for. A generator whose cable is taken out leaves no result, and
// ends its part by itself.
func fleetOfHosts(t *testing.T) {
	n := newNetwork(t, "ctl", "gen1", "gen2", "srv")
	file := filepath.Join(t.TempDir(), "fleet.toml")
	if err := os.WriteFile(file, []byte("controller = \"10.9.0.1:7447\"\n[[generator]]\nname = \"gen1\"\n"+
		"[[generator]]\nname = \"gen2\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := n.command("ctl", "fleet", "init", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	n.start("srv", "refserver", "null", "--addr", "10.9.0.4:80")
	keys := strings.TrimSuffix(file, ".toml") + ".keys/"
	agents := map[string]*logged{}
	for _, g := range []string{"gen1", "gen2"} {
		agents[g] = n.start(g, "agent", keys+g+".agent")
	}
	out, err := n.command("ctl", "fleet", "check", file).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\ngen2 ") {
		t.Fatalf("%v: %s", err, out)
	}

	summed := false
	for range 20 { // this machine may be too busy to begin on time
		var stdout, stderr bytes.Buffer
		c := n.command("ctl", "load", "--fleet", file, "--json", "-n", "1001", "-c", "6", "http://10.9.0.4/")
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Run(); err != nil && strings.Contains(stderr.String(), "did not start on time") {
			continue
		} else if err != nil {
			t.Fatalf("%v: %s", err, &stderr)
		}
		var s struct {
			Succeeded  int64
			Generators []struct {
				Name    string
				Started int64
			}
		}
		if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if g := s.Generators; s.Succeeded != 1001 || len(g) != 2 || g[0].Name != "gen1" || g[0].Started != 501 ||
			g[1].Started != 500 {
			t.Errorf("%+v", s)
		}
		summed = true
		break
	}
	if !summed {
		t.Skip("this machine is too busy to begin a load on time")
	}

	load := n.start("ctl", "load", "--fleet", file, "-r", "100", "-d", "10m", "-c", "6", "http://10.9.0.4/")
	load.has(t, "silent until then", 20*time.Second)
	time.Sleep(time.Second) // the window has begun
	lost := func() int { return strings.Count(agents["gen2"].String(), "the controller is gone") }
	before := lost()
	n.cut("gen2")
	for end := time.Now().Add(15 * time.Second); lost() == before; {
		if time.Now().After(end) {
			t.Fatalf("gen2 goes on without its controller\n%s", agents["gen2"])
		}
		time.Sleep(20 * time.Millisecond)
	}
}
