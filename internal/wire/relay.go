package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// Relay passes connections to inherited listeners, descriptors from 3 on, on to addrs, host:port, in this
// order. It returns an error if there are no such listeners, and else never.
func Relay(addrs []string) error {
	for i, addr := range addrs {
		ln, err := net.FileListener(os.NewFile(uintptr(3+i), addr))
		if err != nil {
			return err
		}
		go relayAll(ln, addr)
	}
	select {}
}

// relayAll relays connections to ln until it is closed. Without free descriptors they wait.
func relayAll(ln net.Listener, addr string) {
	for {
		from, err := ln.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(time.Millisecond)
		default:
			go relay(from, addr)
		}
	}
}

// relay copies between a connection and a new one to addr until both ends have closed theirs.
func relay(from net.Conn, addr string) {
	defer from.Close()
	to, err := net.Dial("tcp", addr)
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
