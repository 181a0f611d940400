//go:build linux

package machine

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// The kernel names the sockets that listen, and no others on their port.
func TestDiagnosed(t *testing.T) {
	for address, family := range map[string]byte{"127.0.0.1:0": unix.AF_INET, "[::1]:0": unix.AF_INET6,
		":0": unix.AF_INET6} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("%s: %v", address, err) // no IPv6 here
			continue
		}
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String()) // its socket has the port too
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		port := l.Addr().(*net.TCPAddr).Port
		got, err := diagnosed(family, port)
		if err != nil {
			t.Fatal(err)
		}
		ap := l.Addr().(*net.TCPAddr).AddrPort()
		want := netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
		got = slices.DeleteFunc(got, func(l listener) bool { // other tests listen at other loopback addresses
			return netip.AddrPortFrom(l.address, uint16(l.port)) != want
		})
		if len(got) != 1 ||
			len(holds(os.Getpid(), []string{got[0].link})) != 1 {
			t.Fatalf("%s: %v; want %v", address, got, want)
		}
		all, err := diagnosed(family, 0)
		if err != nil || !slices.ContainsFunc(all, func(l listener) bool { return l.link == got[0].link }) {
			t.Errorf("%s: not among %v, %v", address, all, err)
		}
	}
	if _, err := diagnosed(unix.AF_APPLETALK, 0); err == nil {
		t.Error("the error of the kernel was not read")
	}
}

func TestParseDiagnosed(t *testing.T) {
	for _, bad := range []string{"", "short", "\x14\x00\x00\x00\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00abcd",
		"\x10\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
		var list []listener
		if more, err := parseDiagnosed([]byte(bad), &list); len(list) > 0 || more || err == nil {
			t.Errorf("%q: %v, %v, %v", bad, list, more, err)
		}
	}
}

// BenchmarkListeners looks for the process that listens on a port.
func BenchmarkListeners(b *testing.B) {
	for b.Loop() {
		if _, err := listening("", 80); err != nil {
			b.Fatal(err)
		}
	}
}
