//go:build linux

package machine

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ServerCPUs finds this process by its listening address, and the CPUs of all its threads.
func TestServerCPUs(t *testing.T) {
	var own unix.CPUSet
	if err := addAffinity(unix.Getpid(), &own); err != nil {
		t.Fatal(err)
	}
	for _, at := range [][2]string{{"tcp", "127.0.0.1:0"}, {"tcp", ":0"},
		{"unix", filepath.Join(t.TempDir(), "a socket")}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addr := l.Addr().String()
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			addr = fmt.Sprintf("127.0.0.1:%d", a.Port)
		}
		cpus, err := ServerCPUs(at[0], addr)
		if err != nil || len(cpus) != own.Count() || !own.IsSet(cpus[0]) {
			t.Errorf("%s: %v, %v", at, cpus, err)
		}
		l.Close()
		if cpus, err := ServerCPUs(at[0], addr); err == nil {
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

func TestParseUnixListeners(t *testing.T) {
	const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 11 /run/app.sock
0000000000000000: 00000003 00000000 00000000 0001 03 12 /run/app.sock
0000000000000000: 00000002 00000000 00010000 0001 01 13 /run/a b
0000000000000000: 00000002 00000000 00010000 0001 01 14
0000000000000000: 00000002 00000000 00010000 0001 01 15 /run/other/run/app.sock
`
	for path, want := range map[string]string{"/run/app.sock": "socket:[11]", "/run/a b": "socket:[13]",
		"/run/none": ""} {
		if got := strings.Join(parseUnixListeners([]byte(table), path), " "); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
