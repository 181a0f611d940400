package wire

import (
	"net"
	"testing"
	"testing/fstest"
)

func TestTo(t *testing.T) {
	if l, ok := LinkTo("127.0.0.1:80"); ok {
		t.Errorf("loopback leaves by %+v", l)
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs { // own addresses stay here, whatever card has them
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			if l, ok := LinkTo(net.JoinHostPort(n.IP.String(), "80")); ok {
				t.Errorf("%v leaves by %+v", n.IP, l)
			}
		}
	}
	if _, ok := LinkTo("no address"); ok {
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
