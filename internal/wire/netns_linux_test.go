package wire

import (
	"cmp"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Two servers listen on one port, each in another namespace; each is reachable there and not here.
func TestTwoOnOnePort(t *testing.T) {
	if err := NamespacesAllowed(); err != nil {
		t.Skip(err)
	}
	port := ""
	var networks []string
	for _, name := range []string{"one", "two"} {
		type made struct {
			ln   net.Listener
			file string
			err  error
		}
		done, end := make(chan made), make(chan struct{})
		t.Cleanup(func() { close(end) })
		go func() {
			runtime.LockOSThread()
			if err := NewNamespace(); err != nil {
				done <- made{err: err}
				return
			}
			ln, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(port, "0"))
			done <- made{ln, "/proc/self/task/" + strconv.Itoa(unix.Gettid()) + "/ns/net", err}
			<-end // keeps the thread, and so the file
		}()
		m := <-done
		if m.err != nil {
			t.Fatal(m.err)
		}
		defer m.ln.Close()
		_, port, _ = net.SplitHostPort(m.ln.Addr().String())
		networks = append(networks, NamespaceOf(m.file))
		go func() {
			for {
				conn, err := m.ln.Accept()
				if err != nil {
					return
				}
				io.WriteString(conn, name)
				conn.Close()
			}
		}()
	}
	before, _ := os.Readlink("/proc/thread-self/ns/net")
	for i, want := range []string{"one", "two"} {
		network, file := SplitNamespace(networks[i])
		var conn net.Conn
		if err := InNamespace(file, func() (err error) {
			conn, err = net.Dial(network, "127.0.0.1:"+port)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(conn)
		if conn.Close(); string(got) != want {
			t.Errorf("server %s answers %q", want, got)
		}
	}
	if after, _ := os.Readlink("/proc/thread-self/ns/net"); after != before {
		t.Errorf("the thread was in %s and is in %s", before, after)
	}
	if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
		conn.Close()
		t.Error("a server in another namespace is reached from here")
	}
	if err := InNamespace("/proc/self/nowhere", func() error { return nil }); err == nil {
		t.Error("a namespace that is not there was entered")
	}
}
