package loadtest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"dyno/internal/load"
)

// names are about servers that are given by name.
var names = map[string]func(*testing.T, load.Engine){"name of two addresses": twoAddresses,
	"name that nobody finds": cancelLookUp}

// twoAddresses: whichever of a name's addresses the server listens on, all connections go there.
func twoAddresses(t *testing.T, e load.Engine) {
	resolve(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, server := net.Pipe()
		go twoNames(server)
		return client, nil
	})
	for _, ip := range []string{"127.0.0.1", "127.0.0.2"} {
		ln, err := net.Listen("tcp", ip+":0")
		if err != nil {
			t.Skipf("this system has no %s", ip)
		}
		s := serveOn(t, ln, each(value))
		j := job(s)
		_, port, _ := net.SplitHostPort(j.Addr)
		j.Addr = "two.test:" + port
		l := run(t, open(t, e, j), load.Window{Requests: 40})
		if l.Succeeded != 40 || l.Established != 4 {
			t.Errorf("at %s: %+v", ip, l)
		}
	}
}

// cancelLookUp: a name server that never answers does not keep Open from its context.
func cancelLookUp(t *testing.T, e load.Engine) {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	resolve(t, func(context.Context, string, string) (net.Conn, error) {
		cancel()
		<-over
		return nil, errors.New("over")
	})
	defer close(over)
	s := serve(t, "tcp", each(value))
	j := job(s)
	j.Addr = "two.test:80"
	if _, err := e.Open(ctx, j); err == nil {
		t.Error("opened")
	}
}

// dialDNS connects to a name server.
type dialDNS = func(ctx context.Context, network, addr string) (net.Conn, error)

// nameServer replaces the system's name servers while it is set. The resolver that asks it is set
// once: connections that a test has given up still read it.
var nameServer atomic.Pointer[dialDNS]

func init() {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if dial := nameServer.Load(); dial != nil {
			return (*dial)(ctx, network, addr)
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
}

// resolve lets names be looked up at what dial connects to, for the test.
func resolve(t *testing.T, dial dialDNS) {
	nameServer.Store(&dial)
	t.Cleanup(func() { nameServer.Store(nil) })
}

// twoNames answers questions of DNS over a stream (RFC 1035 4): a name has the addresses 127.0.0.1
// and 127.0.0.2, and none of IPv6.
func twoNames(c net.Conn) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		q := make([]byte, int(size[0])<<8|int(size[1]))
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		end := 12
		for end < len(q) && q[end] != 0 {
			end += 1 + int(q[end])
		}
		end += 5 // the end of the name, type and class
		if end > len(q) {
			return
		}
		a := append([]byte{q[0], q[1], 0x84, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
		if q[end-3] == 1 { // type A
			a[7] = 2
			for _, last := range []byte{1, 2} {
				a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, last)
			}
		}
		if _, err := c.Write(append([]byte{byte(len(a) >> 8), byte(len(a))}, a...)); err != nil {
			return
		}
	}
}
