package wire

import (
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// Link is a network card.
type Link struct {
	Device     string
	BitsPerSec int64 // bandwidth in each direction, as the card reports it; 0: unknown
}

// LinkTo returns the link by which packets to an address:port leave this machine; ok is false if they
// stay here, or cannot be sent. To sends nothing.
func LinkTo(addr string) (l Link, ok bool) {
	if _, err := netip.ParseAddrPort(addr); err != nil { // no name is looked up
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

// speed returns the card's reported speed in bit/s; the file holds Mbit/s (kernel
// Documentation/ABI/testing/sysfs-class-net). It returns 0 if the card reports nothing or -1.
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
