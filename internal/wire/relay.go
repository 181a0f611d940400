package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"time"
)

// Relayed returns the address of a server for Relay: host:port, with @FILE behind it if the server is in
// the network namespace of that file.
func (e Endpoint) Relayed() string { return strings.Replace(e.Network, "tcp", e.Addr, 1) }

// Relay passes connections to inherited listeners, descriptors from 3 on, on to addrs in this order. It returns an error
// if there are no such listeners, and else never.
func Relay(addrs []string) error {
	for i, addr := range addrs {
		ln, err := net.FileListener(os.NewFile(uintptr(3+i), addr))
		if err != nil {
			return err
		}
		at, space, _ := strings.Cut(addr, "@")
		to := TCP(at)
		if space != "" {
			to.Network = NamespaceOf(space)
		}
		go relayAll(ln, to)
	}
	select {}
}

// relayAll relays connections to ln until it is closed. Without free descriptors they wait.
func relayAll(ln net.Listener, server Endpoint) {
	for {
		from, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(time.Millisecond)
		default:
			go relay(from, server)
		}
	}
}

// relay copies between a connection and a new one to a server until both ends have closed theirs.
func relay(from net.Conn, server Endpoint) {
	defer from.Close()
	to, err := server.Connect(context.Background(), &net.Dialer{})
	if err != nil {
		return
	}
	defer to.Close()
	back := make(chan struct{})
	go func() {
		defer close(back)
		pass(from, to)
	}()
	pass(to, from)
	<-back
}

// pass copies what from sends, by read and write: for short messages splice(2) costs more. When from has closed
// its end, pass closes to's.
func pass(to, from net.Conn) {
	io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	to.(*net.TCPConn).CloseWrite()
}
