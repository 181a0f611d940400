//go:build linux

package machine

import (
	"fmt"
	"net"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// The kernel's diagnostics and /proc/net agree about listening sockets.
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
			t.Skip("no socket diagnostics here: ", err)
		}
		file := map[byte]string{unix.AF_INET: "tcp", unix.AF_INET6: "tcp6"}[family]
		data, err := os.ReadFile("/proc/net/" + file)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(parseListeners(data), func(l listener) bool { return l.port != port })
		for i := range want {
			want[i].addresses = want[i].addresses[:1]
		}
		if len(got) != 1 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v; want %v", address, got, want)
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

// BenchmarkListeners looks for the process that listens on a port, by diagnostics and by /proc/net.
func BenchmarkListeners(b *testing.B) {
	for name, network := range map[string]string{"diagnostics": "", "files": "/proc/self"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := listening(network, 80); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
