package wire

import (
	"net"
	"testing"
)

func TestAuthority(t *testing.T) {
	for want, e := range map[string]Endpoint{
		"127.0.0.1:80": TCP("127.0.0.1:80"),
		"localhost":    {Network: "unix", Addr: "/tmp/s"},
		"a:1":          {Network: "unix", Addr: "/tmp/s", Host: "a:1"},
		"b":            {Network: "tcp", Addr: "127.0.0.1:80", Host: "b"},
	} {
		if got := e.Authority(); got != want {
			t.Errorf("%+v: %q; want %q", e, got, want)
		}
	}
}

func TestDial(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := TCP(ln.Addr().String()).Dial(t.Context(), &net.Dialer{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got := conn.RemoteAddr().String(); got != ln.Addr().String() {
		t.Errorf("connected to %s", got)
	}
	if _, err := (Endpoint{Network: "tcp@/nowhere/net", Addr: ln.Addr().String()}).Dial(t.Context(),
		&net.Dialer{}); err == nil {
		t.Error("connected through a namespace that does not exist")
	}
}
