package tcpstat

import (
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

const (
	snmp = "Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: RtoAlgorithm MaxConn InSegs OutSegs RetransSegs InErrs\n" +
		"Tcp: 1 -1 700 900 12 0\nUdp: InDatagrams\nUdp: 5\n"
	netstat = "TcpExt: SyncookiesSent TCPOFOQueue TCPOFODrop\nTcpExt: 0 34 1\n"
)

func TestRead(t *testing.T) {
	root := func(a, b string) fstest.MapFS {
		return fstest.MapFS{"proc/self/net/snmp": {Data: []byte(a)}, "proc/self/net/netstat": {Data: []byte(b)}}
	}
	if c, err := read(root(snmp, netstat)); err != nil || c != (Counters{900, 12, 700, 34}) {
		t.Errorf("%+v, %v", c, err)
	}
	for want, r := range map[string]fstest.MapFS{
		"snmp":                  {},
		"no Tcp: OutSegs":       root(strings.Replace(snmp, "OutSegs", "Else", 1), netstat),
		"no line TcpExt:":       root(snmp, "IpExt: A\nIpExt: 1\n"),
		"no Tcp: RetransSegs":   root("Tcp: InSegs OutSegs RetransSegs\nTcp: 1 2\n", netstat),
		`TCPOFOQueue: strconv.`: root(snmp, strings.Replace(netstat, "34", "x", 1)),
	} {
		if _, err := read(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// A listener whose backlog is full drops what asks for a connection, which is sent again.
func TestRetransmissionsAreCounted(t *testing.T) {
	before, err := Read()
	if err != nil {
		if runtime.GOOS == "linux" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}).String()
	for range 4 { // the first may be accepted
		go func() {
			if conn, err := net.DialTimeout("tcp", addr, 10*time.Second); err == nil {
				defer conn.Close()
			}
		}()
	}
	for range 200 { // the first is sent again after a second
		now, err := Read()
		if err != nil {
			t.Fatal(err)
		}
		if now.Retransmitted > before.Retransmitted && now.Sent > before.Sent {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("no segment that was sent again is counted")
}

func TestTo(t *testing.T) {
	if l, ok := To("127.0.0.1:80"); ok {
		t.Errorf("loopback leaves by %+v", l)
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs { // own addresses stay here, whatever card has them
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			if l, ok := To(net.JoinHostPort(n.IP.String(), "80")); ok {
				t.Errorf("%v leaves by %+v", n.IP, l)
			}
		}
	}
	if _, ok := To("no address"); ok {
		t.Error("nonsense has a link")
	}
	root := fstest.MapFS{"sys/class/net/eth0/speed": {Data: []byte("10000\n")},
		"sys/class/net/eth1/speed": {Data: []byte("-1\n")}}
	for device, want := range map[string]int64{"eth0": 10e9, "eth1": 0, "eth2": 0} {
		if got := speed(root, device); got != want {
			t.Errorf("%s: %d, want %d", device, got, want)
		}
	}
}
