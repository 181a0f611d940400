package epoll

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stream is a connection's socket, its encryption, and the data still to be written.
//
// Note: TLS is a branch on a plain field, not another implementation of an interface, so that calls
// on a clear connection stay direct.
type stream struct {
	fd     int     // -1: none
	tls    *secure // nil: in the clear
	unsent []byte  // after a short write; it lies in held
	tail   string  // to be sent after unsent; the scenario's memory
	held   []byte
}

// read receives into b. more says that there may be more to read now. 0 bytes without an error are
// the stream's end. For EPROTO the TLS error is in s.tls.fault.
func (s *stream) read(b []byte) (n int, more bool, errno syscall.Errno) {
	if s.tls != nil {
		return s.tls.read(b)
	}
	n, errno = recv(s.fd, b)
	return n, n == len(b), errno // a shorter read has emptied the socket (epoll(7), Q9)
}

// wire returns how many bytes on the wire a read of n bytes took.
func (s *stream) wire(n int) int64 {
	if s.tls != nil {
		return s.tls.taken()
	}
	return int64(n)
}

// write sends b, then tail, without copying it, as far as the socket accepts them. With EAGAIN it
// keeps the rest for flush. It returns the number of bytes sent, on the wire.
func (s *stream) write(b []byte, tail string) (n int, errno syscall.Errno) {
	if s.tls != nil {
		return s.tls.write(b, tail)
	}
	for {
		var k int
		if tail == "" {
			k, errno = send(s.fd, b)
		} else {
			k, errno = sendBoth(s.fd, b, tail)
		}
		switch errno {
		case 0:
			n += k
			head := min(k, len(b))
			b, tail = b[head:], tail[k-head:]
			if len(b)+len(tail) == 0 {
				return n, 0
			} // else the kernel says EAGAIN next, and arms EPOLLOUT by it
		case syscall.EINTR:
		case syscall.EAGAIN:
			s.held = append(s.held[:0], b...)
			s.unsent, s.tail = s.held, tail
			return n, errno
		default:
			return n, errno
		}
	}
}

// flush continues a short write.
func (s *stream) flush() (n int, errno syscall.Errno) {
	if s.tls != nil {
		return s.tls.flush()
	}
	b, tail := s.unsent, s.tail
	s.unsent, s.tail = nil, ""
	return s.write(b, tail)
}

// owes reports whether something remains to be written.
func (s *stream) owes() bool { return len(s.unsent)+len(s.tail) > 0 }

// close closes the socket, which removes it from epoll, and forgets unwritten data.
func (s *stream) close() {
	if s.tls != nil {
		s.tls.end()
		s.tls = nil
	}
	if s.fd >= 0 {
		unix.Close(s.fd)
	}
	s.fd, s.unsent, s.tail = -1, nil, ""
}

// The hot calls are raw: they never block, so the scheduler need not know, and its entersyscall and
// exitsyscall would cost some 40 ns each. recvfrom and sendto avoid the work that read and write do
// for files. All return EINTR to the caller.

func recv(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), 0, 0, 0)
	return int(n), errno
}

func send(fd int, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	return int(n), errno
}

// sendBoth sends b and then tail in one call, without copying tail.
func sendBoth(fd int, b []byte, tail string) (int, syscall.Errno) {
	pieces := [2]unix.Iovec{{Base: unsafe.SliceData(b)}, {Base: unsafe.StringData(tail)}}
	pieces[0].SetLen(len(b))
	pieces[1].SetLen(len(tail))
	m := unix.Msghdr{Iov: &pieces[0]}
	m.SetIovlen(len(pieces))
	n, _, errno := syscall.RawSyscall6(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&m)), unix.MSG_NOSIGNAL,
		0, 0, 0)
	return int(n), errno
}
