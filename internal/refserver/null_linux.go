package refserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"dyno/internal/record"
)

// Serve answers every request at addr until ctx ends. addr is "host:port", or the path of a unix socket if
// network is "unix". Serve is one event loop on the calling goroutine. It counts complete requests (an empty
// line, then a body of Content-Length) and parses only what Answers require. The Tally is complete if there
// is no error. A timed server needs Linux 5.11.
//
// A HEAD request gets only the header section. A connection that sends a chunked body is closed.
//
// Unless the server is timed, it closes the connection after a response to "Connection: close", and to
// HTTP/1.0 without "Connection: keep-alive". With keep-alive, which ab requests, the response repeats that
// header (RFC 9112, 9.3).
func (n *Null) Serve(ctx context.Context, network, addr string) (Tally, error) {
	base, err := served(Answer{Bytes: n.Response})
	if err != nil {
		return Tally{}, err
	}
	s := nullServer{
		base: base, manner: n.Manner,
		in: make([]byte, 64<<10), start: time.Now(), service: record.NewHistogram(),
	}
	for _, a := range n.Answers {
		one, err := served(a)
		if err != nil {
			return Tally{}, err
		}
		s.others = append(s.others, one)
	}
	if n.Manner.Timed {
		if len(s.others) > 0 {
			return Tally{}, errors.New("serve null: a server with delays can have only one response")
		}
		timed, digits := withTime(n.Response, len(base.head)-len(nullBlank))
		s.base, _ = served(Answer{Bytes: timed})
		s.digits = digits
	}
	lc := net.ListenConfig{}
	ln, err := lc.Listen(ctx, network, addr)
	if err != nil {
		return Tally{}, fmt.Errorf("serve null: %w", err)
	}
	defer ln.Close()
	file, err := ln.(interface {
		SyscallConn() (syscall.RawConn, error)
	}).SyscallConn()
	if err != nil {
		return Tally{}, fmt.Errorf("serve null: %w", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var inner error
	err = file.Control(func(fd uintptr) { inner = s.serve(ctx, int(fd)) }) // keeps the listener open meanwhile
	if err = errors.Join(err, inner); err != nil {
		return Tally{}, fmt.Errorf("serve null: %w", err)
	}
	return s.report(), nil
}

var (
	nullBlank      = []byte("\r\n\r\n")
	nullLength     = []byte("content-length:")
	nullCoding     = []byte("transfer-encoding:")
	nullConnection = []byte("connection:")
	nullCookie     = []byte("cookie:")
	nullKept       = []byte("Connection: keep-alive\r\n")
)

// nullTick limits a sleep in the loop, so that the loop notices the end of its context.
const nullTick = 50 * time.Millisecond

// nullServer is one event loop and its state. Only one goroutine uses it.
type nullServer struct {
	base   *servedAnswer
	others []*servedAnswer
	in     []byte
	conns  []*nullConn // connections by fd
	ep     int
	tally  Tally

	manner  Manner
	start   time.Time
	read    time.Duration // the clock at the last read, if timed
	held    held
	digits  []byte // timeHeader's digits in base's response
	service *record.Histogram
}

// nullConn is a connection's state: only input that a read has cut in two, and output that the socket did not
// accept.
type nullConn struct {
	rest   []byte        // beginning of a request's head
	body   int           // bytes missing in a request's body
	answer *servedAnswer // response to that request
	last   bool          // the last request has been read except its body
	unsent []byte
}

// over reports whether the connection's last request has been answered.
func (c *nullConn) over() bool { return c.last && c.body == 0 && len(c.unsent) == 0 }

// serve runs the event loop on the listening socket ln until ctx ends, and closes all connections.
func (s *nullServer) serve(ctx context.Context, ln int) (err error) {
	if s.ep, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(s.ep)
	defer func() {
		for fd, c := range s.conns {
			if c != nil {
				unix.Close(fd)
			}
		}
	}()
	listening := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(ln)}
	if err = unix.EpollCtl(s.ep, unix.EPOLL_CTL_ADD, ln, &listening); err != nil {
		return err
	}
	var events [256]unix.EpollEvent
	for ctx.Err() == nil {
		n, errno := s.wait(events[:])
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		if s.manner.Timed {
			s.act()
		}
		for _, e := range events[:n] {
			if e.Fd == int32(ln) {
				s.accept(ln)
			} else if c := s.conns[e.Fd]; c != nil && !s.turn(int(e.Fd), c, e.Events) {
				s.close(int(e.Fd))
			}
			if s.manner.Timed {
				s.act()
			}
		}
	}
	return nil
}

// wait polls first, which costs less than a sleep that ends at once.
func (s *nullServer) wait(events []unix.EpollEvent) (uintptr, syscall.Errno) {
	if s.manner.Timed {
		return s.await(events)
	}
	n, errno := s.poll(events)
	if n == 0 && errno == 0 {
		n, _, errno = syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(s.ep),
			uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)),
			uintptr(nullTick.Milliseconds()), 0, 0)
	}
	return n, errno
}

// poll asks for events without waiting. A raw system call does not tell the Go scheduler, which saves time;
// it must not block.
func (s *nullServer) poll(events []unix.EpollEvent) (uintptr, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(s.ep),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	return n, errno
}

func (s *nullServer) close(fd int) {
	unix.Close(fd)
	s.conns[fd] = nil
}

// accept accepts all new connections. They are edge-triggered, so turn must read until the socket is empty.
func (s *nullServer) accept(ln int) {
	for {
		fd, _, err := unix.Accept4(ln, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err == unix.EINTR || err == unix.ECONNABORTED {
			continue
		}
		if err != nil {
			return
		}
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) // fails for a unix socket
		if s.watch(unix.EPOLL_CTL_ADD, fd, 0) != nil {
			unix.Close(fd)
			continue
		}
		for len(s.conns) <= fd {
			s.conns = append(s.conns, nil)
		}
		s.conns[fd] = &nullConn{}
	}
}

// turn reads until the socket is empty and answers. It reports whether the connection stays open.
func (s *nullServer) turn(fd int, c *nullConn, events uint32) bool {
	const over = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	if len(c.unsent) > 0 && events&unix.EPOLLOUT != 0 {
		b := c.unsent
		if c.unsent = c.unsent[:0]; !s.send(fd, c, b) || c.over() {
			return false
		}
		if len(c.unsent) == 0 {
			_ = s.watch(unix.EPOLL_CTL_MOD, fd, 0)
		}
	}
	for {
		kept := copy(s.in, c.rest)
		room := s.in[kept:]
		n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(room))), uintptr(len(room)), 0, 0, 0)
		switch {
		case errno == syscall.EINTR:
			continue
		case errno == syscall.EAGAIN:
			return true
		case errno != 0 || n == 0:
			return false
		}
		if s.manner.Timed {
			s.read = s.clock()
		}
		if !s.requests(fd, c, s.in[:kept+int(n)]) {
			return false
		}
		if int(n) < len(room) && events&over == 0 {
			return true
		}
	}
}

// requests counts the complete requests in b and answers them. Consecutive requests with the same response
// are answered in one write.
func (s *nullServer) requests(fd int, c *nullConn, b []byte) bool {
	c.rest = c.rest[:0]
	last, owed := s.base, 0
	owe := func(a *servedAnswer) bool {
		if a != last && owed > 0 {
			if !s.answer(fd, c, owed, last, false) {
				return false
			}
			owed = 0
		}
		last = a
		owed++
		return true
	}
	for len(b) > 0 && !(c.last && c.body == 0) {
		if c.body > 0 {
			k := min(c.body, len(b))
			if b, c.body = b[k:], c.body-k; c.body == 0 && !owe(c.answer) {
				return false
			}
			continue
		}
		end := bytes.Index(b, nullBlank)
		if end < 0 {
			if c.rest = append(c.rest, b...); len(c.rest) > len(s.in)/2 {
				return false
			}
			break
		}
		h := b[:end+2]
		b = b[end+len(nullBlank):]
		ask := readNullHead(h)
		a := s.base
		if len(s.others) > 0 {
			a = s.fitting(h, ask.cookie)
		}
		if !s.manner.Timed {
			c.last = ask.close
			if ask.old && !ask.close {
				a = a.kept
			}
		}
		switch {
		case ask.chunked:
			return false
		case h[0] == 'H':
			if !s.answer(fd, c, owed, last, false) || !s.answer(fd, c, 1, a, true) {
				return false
			}
			owed = 0
		case ask.length > 0:
			c.body, c.answer = ask.length, a
		case !owe(a):
			return false
		}
	}
	return s.answer(fd, c, owed, last, false) && !c.over()
}

// answer sends the response a, or only its header section, to the last n requests: now, or when it is due. It
// reports whether the connection stays open.
func (s *nullServer) answer(fd int, c *nullConn, n int, a *servedAnswer, headOnly bool) bool {
	many, size := a.many, len(a.Bytes)
	if headOnly {
		many, size = a.head, len(a.head)
	}
	s.tally.Requests += int64(n)
	for n > 0 {
		if s.manner.Timed {
			s.held.push(heldAnswer{c: c, fd: fd, size: size, read: s.read})
			n--
			continue
		}
		k := min(n, len(many)/size)
		if a.number > 0 {
			a.count(many, k, size)
		}
		if !s.send(fd, c, many[:k*size]) {
			return false
		}
		n -= k
	}
	return true
}

// send writes b, and keeps the bytes that the socket does not accept now. It reports whether the connection
// stays open.
func (s *nullServer) send(fd int, c *nullConn, b []byte) bool {
	if len(c.unsent) > 0 {
		c.unsent = append(c.unsent, b...)
		return true
	}
	for len(b) > 0 {
		n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case 0:
			b = b[n:]
		case syscall.EINTR:
		case syscall.EAGAIN:
			c.unsent = append(c.unsent[:0], b...)
			return s.watch(unix.EPOLL_CTL_MOD, fd, unix.EPOLLOUT) == nil
		default:
			return false
		}
	}
	return true
}

// watch requests events for a connection: of input, its end, and more. EPOLLOUT is requested only while bytes
// are unsent, because a unix socket raises it after each read of its peer.
func (s *nullServer) watch(op, fd int, more uint32) error {
	e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET | more, Fd: int32(fd)}
	return unix.EpollCtl(s.ep, op, fd, &e)
}
