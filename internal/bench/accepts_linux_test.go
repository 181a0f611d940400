package bench

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"dyno/internal/endpoint"
)

// A server with a short queue that accepts nobody takes as many connections as the queue holds.
func TestAccepts(t *testing.T) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = syscall.Listen(fd, 9)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	err = accepts(t.Context(), Direct{}, endpoint.TCP(addr), 40, "dyno compare a b --connections 40 --seed 1")
	if err == nil {
		t.Fatal("it took 40 connections")
	}
	want := regexp.MustCompile(`(?s)of 40 connections opened at once, \d+ .*\n` +
		`  dyno compare a b --seed 1 --connections (\d+)$`)
	found := want.FindStringSubmatch(err.Error())
	if found == nil {
		t.Fatal(err)
	}
	if n, _ := strconv.Atoi(found[1]); n < 1 || n > 10 {
		t.Error(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if err := accepts(t.Context(), Direct{}, endpoint.TCP(ln.Addr().String()), 40, ""); err != nil {
		t.Error(err)
	}
}
