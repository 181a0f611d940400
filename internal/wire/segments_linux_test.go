package wire

import (
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Needlessly retransmitted segments are no loss; counts that a kernel lacks are unknown, not zero.
func TestSocketOf(t *testing.T) {
	i := unix.TCPInfo{Options: optSACK, Segs_out: 900, Segs_in: 700, Data_segs_out: 800, Total_retrans: 12, Dsack_dups: 9,
		Rcv_ooopack: 4}
	blind := i
	blind.Options = 0
	for _, c := range []struct {
		name string
		info unix.TCPInfo
		size uintptr
		ok   bool
		want Segments
		lost int64
	}{
		{"Linux 6", i, unsafe.Sizeof(i), true, Segments{1, 900, 12, 9, 700, 4, false, false}, 3},
		{"Linux 4.19", i, unsafe.Offsetof(i.Rcv_ooopack), true, Segments{1, 900, 12, 9, 700, 4, false, true}, 3},
		{"Linux 4.18", i, unsafe.Offsetof(i.Dsack_dups), true, Segments{1, 900, 12, 9, 700, 4, true, true}, 0},
		{"Linux 4.2", i, unsafe.Offsetof(i.Notsent_bytes), false, Segments{}, 0},
		{"no SACK", blind, unsafe.Sizeof(i), true, Segments{1, 900, 12, 9, 700, 4, true, false}, 0},
	} {
		s, ok := socketOf(&c.info, c.size)
		var sum Segments
		if ok {
			sum.add(s, Socket{})
		}
		if ok != c.ok || sum != c.want || sum.Lost() != c.lost {
			t.Errorf("%s: %+v, %v, lost %d", c.name, sum, ok, sum.Lost())
		}
	}
	var sum Segments
	sum.add(Socket{sent: 5, noDuplicates: true}, Socket{sent: ^uint32(4)}) // its count wrapped around
	if sum.Merge(&Segments{Connections: 2, Sent: 3, NoOrder: true}); sum != (Segments{Connections: 3, Sent: 13,
		NoOrder: true}) {
		t.Errorf("%+v", sum)
	}
}

// A listener with a full backlog drops a connection's SYN, which is sent again. The connection's
// own socket shows this.
func TestLostSYN(t *testing.T) {
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(listener)
	if err := unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(listener, 0); err != nil {
		t.Fatal(err)
	}
	to, err := unix.Getsockname(listener)
	if err != nil {
		t.Fatal(err)
	}
	var fds []int
	for range 4 { // the first may be accepted
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := unix.Connect(fd, to); err != nil && err != unix.EINPROGRESS {
			t.Fatal(err)
		}
		fds = append(fds, fd)
	}
	for range 400 { // the first is sent again after a second
		var s Segments
		for _, fd := range fds {
			s.Add(fd, Socket{})
		}
		if s.Add(listener, Socket{}); s.Lost() > 0 && s.Sent > s.Lost() && s.Connections >= 4 && !s.NoDuplicates {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("no segment that was lost is counted")
}

func TestOtherFiles(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[1])
	defer unix.Close(fds[0])
	var s Segments
	if s.Add(fds[0], Socket{}); s != (Segments{}) {
		t.Errorf("%+v", s)
	}
	if s.Add(-1, Socket{}); s != (Segments{}) {
		t.Errorf("%+v", s)
	}
}
