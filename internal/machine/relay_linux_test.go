package machine

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"dyno/internal/wire"
)

// echoes starts a service that sends back what it is sent, and returns its address.
func echoes(t *testing.T) string {
	service, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	go func() {
		for {
			conn, err := service.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return service.Addr().String()
}

// A program in a network namespace of its own reaches a service at the service's own address, on many
// connections. The relay ends with the program.
func TestRelay(t *testing.T) {
	if err := wire.NamespacesAllowed(); err != nil {
		t.Skip(err)
	}
	addr := echoes(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(Command{Argv: []string{"/bin/sleep", "600"}, OwnNetwork: true,
		Relay: &Relay{Argv: []string{self, "relay:" + addr}, Addrs: []string{addr}}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(0)
	var all []*net.TCPConn
	for range 300 {
		conn, err := wire.Endpoint{Network: p.Network(), Addr: addr}.Dial(t.Context(), &net.Dialer{})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		all = append(all, conn.(*net.TCPConn))
	}
	for _, conn := range all {
		io.WriteString(conn, "hello")
		conn.CloseWrite()
	}
	for _, conn := range all {
		if text, err := io.ReadAll(conn); string(text) != "hello" || err != nil {
			t.Fatalf("%q, %v", text, err)
		}
	}
	if cpu, err := p.RelayCPU(); cpu <= 0 || err != nil {
		t.Errorf("the relay used %v, %v", cpu, err)
	}
	relay := p.relay.Pid()
	if err := p.RelayEnded(); err != nil {
		t.Errorf("a relay that runs has ended: %v", err)
	}
	unix.Kill(relay, unix.SIGKILL)
	<-p.relay.Done()
	if err := p.RelayEnded(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the relay was killed: %v", err)
	}
	if err := p.Stop(0); err != nil {
		t.Error(err)
	}
	if err := unix.Kill(relay, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("the relay is left: %v", err)
	}

	_, err = Start(Command{Argv: []string{"/bin/sleep", "600"}, OwnNetwork: true,
		Relay: &Relay{Argv: []string{self, "relay:192.0.2.1:80"}, Addrs: []string{"192.0.2.1:80"}}})
	if err == nil {
		t.Error("an address that does not exist in the namespace is relayed")
	}
}
