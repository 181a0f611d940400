package loop

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// A window counts only its own connections' segments: those it began with, from then on, and those
// dialled and closed in it.
func TestSegments(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "value")
	}))
	defer server.Close()
	s := twoRequests()
	s.Requests = s.Requests[:1]
	for each, connections := range map[int]int64{0: 4, 1: 100} {
		session := connect(t, load.Job{Endpoint: wire.TCP(server.Listener.Addr().String()), Scenario: s, Connections: 4,
			Workers: 2, PerConnection: each})
		for range 2 {
			l, err := session.Run(t.Context(), load.Window{Requests: 100})
			if err != nil || l.Succeeded != 100 {
				t.Fatalf("%v: %+v", err, l)
			}
			n := l.Network
			if n == nil || n.Connections < connections || n.Connections > connections+4 || n.Sent < 100 || n.Received < 100 ||
				n.Sent > 1500 || n.Received > 1500 || n.Lost() > n.Sent/2 {
				t.Fatalf("%d requests each: %+v", each, n)
			}
		}
		session.Close()
	}
}

// If a full backlog drops connection requests, the error says so; if nobody listens, it does not.
func TestLossError(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}),
		unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	full := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*unix.SockaddrInet4).Port}).String()
	first, err := net.Dial("tcp", full)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for addr, want := range map[string]bool{full: true, closed.Addr().String(): false} {
		_, err := Engine{}.Open(t.Context(), load.Job{Endpoint: wire.TCP(addr), Scenario: twoRequests(), Connections: 1,
			ConnectTimeout: 2500 * time.Millisecond})
		var lost *load.LossError
		if err == nil || errors.As(err, &lost) != want {
			t.Errorf("%s: %v, lost %v", addr, err, lost != nil)
		}
	}
}
