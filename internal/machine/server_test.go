//go:build linux

package machine

import (
	"fmt"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// ServerCPUs finds this process by its listening address, and the CPUs of all its threads.
func TestServerCPUs(t *testing.T) {
	var own unix.CPUSet
	if err := addAffinity(unix.Getpid(), &own); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"127.0.0.1:0", ":0"} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addr := fmt.Sprintf("127.0.0.1:%d", l.Addr().(*net.TCPAddr).Port)
		cpus, err := ServerCPUs(addr)
		if err != nil || len(cpus) != own.Count() || !own.IsSet(cpus[0]) {
			t.Errorf("%s: %v, %v", at, cpus, err)
		}
		l.Close()
		if cpus, err := ServerCPUs(addr); err == nil {
			t.Errorf("%s, closed: %v", at, cpus)
		}
	}
}

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		address, to string
		want        bool
	}{
		{"127.0.0.1", "127.0.0.1", true}, {"0.0.0.0", "127.0.0.1", true}, {"0.0.0.0", "192.168.0.1", true},
		{"192.168.0.1", "192.168.0.1", true}, {"127.0.0.1", "192.168.0.1", false}, {"192.168.0.1", "127.0.0.1", false},
		{"::", "192.168.0.1", true}, {"::1", "::1", true}, {"127.0.0.1", "::ffff:127.0.0.1", true},
	} {
		l := listener{address: netip.MustParseAddr(c.address)}
		if got := accepts(l, netip.MustParseAddr(c.to)); got != c.want {
			t.Errorf("%s to %s: %t", c.address, c.to, got)
		}
	}
}
