// Package tcpstat counts the TCP segments of this machine, and finds the link by which packets reach an
// address. It reads files of /proc and /sys alone; where there are none, nothing is known.
package tcpstat

import (
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Counters are the TCP segments of this process's network namespace since it was made (RFC 4022:
// tcpOutSegs, tcpRetransSegs, tcpInSegs). OutOfOrder came before another that was sent earlier: that
// one was lost or overtaken on its way here (TCPOFOQueue, kernel net/ipv4/tcp_input.c).
type Counters struct {
	Sent, Retransmitted, Received, OutOfOrder int64
}

// Read returns the counters; an error if this system does not show them.
func Read() (Counters, error) { return read(os.DirFS("/")) }

func read(root fs.FS) (c Counters, err error) {
	for _, f := range []struct {
		file, line string
		of         map[string]*int64
	}{
		{"proc/self/net/snmp", "Tcp:", map[string]*int64{"OutSegs": &c.Sent, "RetransSegs": &c.Retransmitted,
			"InSegs": &c.Received}},
		{"proc/self/net/netstat", "TcpExt:", map[string]*int64{"TCPOFOQueue": &c.OutOfOrder}},
	} {
		data, err := fs.ReadFile(root, f.file)
		if err != nil {
			return c, fmt.Errorf("count TCP segments: %w", err)
		}
		if err := pick(string(data), f.line, f.of); err != nil {
			return c, fmt.Errorf("count TCP segments: %s: %w", f.file, err)
		}
	}
	return c, nil
}

// pick reads the named columns of a line and the one with its names before it, as the kernel prints
// them (net/ipv4/proc.c).
func pick(text, line string, of map[string]*int64) error {
	var names []string
	for l := range strings.Lines(text) {
		words := strings.Fields(l)
		if len(words) == 0 || words[0] != line {
			continue
		}
		if names == nil {
			names = words
			continue
		}
		for name, n := range of {
			i := slices.Index(names, name)
			if i < 0 || i >= len(words) {
				return fmt.Errorf("no %s %s", line, name)
			}
			var err error
			if *n, err = strconv.ParseInt(words[i], 10, 64); err != nil {
				return fmt.Errorf("%s %s: %w", line, name, err)
			}
		}
		return nil
	}
	return fmt.Errorf("no line %s", line)
}

// Link is a network card.
type Link struct {
	Device     string
	BitsPerSec int64 // in each direction, as the card says; 0: it does not
}

// To returns the link by which packets to an address:port leave this machine; ok is false if they stay
// here, or cannot be sent. It sends nothing.
func To(addr string) (l Link, ok bool) {
	if _, err := netip.ParseAddrPort(addr); err != nil { // nothing is looked up
		return l, false
	}
	conn, err := net.Dial("udp", addr)
	if err != nil {
		return l, false
	}
	defer conn.Close()
	local, remote := conn.LocalAddr().(*net.UDPAddr).IP, conn.RemoteAddr().(*net.UDPAddr).IP
	if remote.IsLoopback() || remote.Equal(local) {
		return l, false
	}
	cards, err := net.Interfaces()
	if err != nil {
		return l, false
	}
	here := false
	for _, card := range cards {
		addrs, err := card.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addrs {
			n, isNet := a.(*net.IPNet)
			switch {
			case !isNet:
			case n.IP.Equal(remote):
				here = true
			case n.IP.Equal(local):
				l = Link{card.Name, speed(os.DirFS("/"), card.Name)}
			}
		}
	}
	return l, l.Device != "" && !here
}

// speed returns what the card says, in Mbit/s (kernel Documentation/ABI/testing/sysfs-class-net); 0 if
// it says nothing or -1.
func speed(root fs.FS, device string) int64 {
	data, err := fs.ReadFile(root, "sys/class/net/"+device+"/speed")
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	if err != nil || n <= 0 {
		return 0
	}
	return n * 1e6
}
