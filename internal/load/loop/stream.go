package loop

import "syscall"

// stream is a connection's socket, its encryption, and the data still to be written.
//
// Note: TLS is a branch on a plain field, not an implementation of an interface, so that calls on
// the kernel's clear sockets stay direct.
type stream struct {
	fd     socket
	tls    *secure // nil: in the clear
	unsent []byte  // data that is not sent yet, after a short write
	tail   string  // data to be sent after unsent; the scenario's memory
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
			s.unsent, s.tail = append(s.unsent[:0], b...), tail // b may lie in unsent
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
	s.unsent, s.tail = b[:0], ""
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
	if s.fd != noSocket {
		closeFile(s.fd)
	}
	s.fd, s.unsent, s.tail = noSocket, s.unsent[:0], ""
}

// linked reports whether a dial under way has made a connection, or why it has not.
func (s *stream) linked(events uint32) (bool, error) { return linked(s.fd, events) }

// isOwn reports whether the stream is connected to itself. A dial to an unused port of this machine
// can succeed this way, by simultaneous open (RFC 9293 3.5), if the kernel chooses the same port as
// the source. The connection would then keep the port from the server that comes back.
func (s *stream) isOwn() bool { return isOwn(s.fd) }
