package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dyno/internal/machine"
	"dyno/internal/wire"
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
	if err := wire.NamespacesAllowed(); err != nil {
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

// command returns dyno on a host.
func (n *network) command(host string, args ...string) *exec.Cmd {
	c := exec.Command("ip", append([]string{"netns", "exec", n.id + host, n.dyno}, args...)...)
	c.Env = append(os.Environ(), machine.RuntimeVariable+"="+filepath.Join(n.locks, host))
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
	}{{"AgentsInWindows", agentsInWindows}, {"Run", runOnFleet}, {"CompareURLs", compareURLsOnFleet}} {
		t.Run(c.name, c.test)
	}
}
