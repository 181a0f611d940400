package machine

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/wire"
)

// A program that connects in a network of its own is given connections of this program's network, with its own flags
// and options, and needs no relay. A socket that an epoll watches is left to the relay; a refused connection stays so.
func TestSparedConnections(t *testing.T) {
	if err := wire.NamespacesAllowed(); err != nil {
		t.Skip(err)
	}
	gone, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip(err)
	}
	gone.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	addr, closed, log := echoes(t), gone.Addr().String(), t.TempDir()+"/log"
	p, err := Start(Command{Argv: []string{self, addr, closed}, Env: []string{"PROC_ROLE=dials"}, Log: log,
		OwnNetwork: true, Relay: &Relay{Argv: []string{self, "relay:" + addr}, Addrs: []string{addr, closed}, Spared: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop(0)
	said := func(line string) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if b, _ := os.ReadFile(log); strings.Contains(string(b), line+"\n") {
				return
			}
		}
		b, _ := os.ReadFile(log)
		t.Fatalf("it does not say %q: %s", line, b)
	}
	said("watched: hello")
	if exec.Command("kill", "-9", fmt.Sprint(p.relay.Pid())).Run() != nil {
		t.Fatal("the relay has ended")
	}
	<-p.relay.Done()
	said("dialed 1000: hello")
	said("flags: true true true true")
	said("mapped: <nil>")
	said("closed: connection refused")
	said("watched later: connection refused")
	said("elsewhere: connection refused")
}

// beDialer connects in the ways of TestSparedConnections.
func beDialer() {
	echo := func(conn net.Conn, err error) string {
		if err != nil {
			return err.Error()[strings.LastIndex(err.Error(), ": ")+2:]
		}
		defer conn.Close()
		io.WriteString(conn, "hello")
		conn.(*net.TCPConn).CloseWrite()
		b, _ := io.ReadAll(conn)
		return string(b)
	}
	addr, err := net.ResolveTCPAddr("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	raw := func(prepare func(fd int), flags int) (int, error) {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|flags, 0)
		if err != nil {
			panic(err)
		}
		prepare(fd)
		return fd, unix.Connect(fd, &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(addr.IP.To4())})
	}
	watched := func() string {
		epoll, err := unix.EpollCreate1(0)
		if err != nil {
			panic(err)
		}
		fd, err := raw(func(fd int) {
			unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
		}, 0)
		if err != nil {
			return err.Error()
		}
		unix.Write(fd, []byte("hello"))
		if n, err := unix.EpollWait(epoll, make([]unix.EpollEvent, 1), 10_000); n != 1 || err != nil {
			return fmt.Sprint("no event: ", n, err)
		}
		b := make([]byte, 10)
		n, _ := unix.Read(fd, b)
		return string(b[:max(0, n)]) // -1 if the relay was just killed
	}
	fmt.Println("watched:", watched())
	later := ""
	for later != "connection refused" { // the relay ends meanwhile
		time.Sleep(5 * time.Millisecond)
		later = watched()
	}
	fmt.Println("watched later:", later)
	n := 0
	for n < 1000 && echo(net.Dial("tcp", os.Args[1])) == "hello" {
		n++
	}
	fmt.Printf("dialed %d: %s\n", n, echo(net.Dial("tcp", os.Args[1])))
	fd, err := raw(func(fd int) {
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 77)
	}, unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK)
	if err != nil && err != unix.EINPROGRESS {
		panic(err)
	}
	status, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	closed, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	nodelay, _ := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY)
	idle, _ := unix.GetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE)
	fmt.Println("flags:", status&unix.O_NONBLOCK != 0, closed == unix.FD_CLOEXEC, nodelay == 1, idle == 77)
	six, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err == nil {
		to := &unix.SockaddrInet6{Port: addr.Port, Addr: [16]byte(addr.IP.To16())}
		fmt.Println("mapped:", unix.Connect(six, to))
	} else {
		fmt.Println("mapped: <nil>") // no IPv6 here
	}
	fmt.Println("closed:", echo(net.Dial("tcp", os.Args[2])))
	fmt.Println("elsewhere:", echo(net.Dial("tcp", "127.0.0.1:1")))
	select {}
}
