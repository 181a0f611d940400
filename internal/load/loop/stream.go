package loop

import (
	"syscall"
	"unsafe"
)

// stream is a connection's socket, its encryption, and the data still to be written.
//
// Note: TLS and package net are branches on plain fields, not implementations of an interface, so
// that calls on the kernel's clear sockets stay direct.
type stream struct {
	fd     int     // -1: none
	pipe   *pipe   // in place of fd, by package net; nil: none
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
	n, errno = s.recv(b)
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
			k, errno = s.send(b)
		} else {
			k, errno = s.sendBoth(b, tail)
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
	if s.fd >= 0 {
		closeFile(s.fd)
	}
	if s.pipe != nil {
		s.pipe.close()
	}
	s.fd, s.pipe, s.unsent, s.tail = -1, nil, s.unsent[:0], ""
}

// recv receives into b, without TLS.
func (s *stream) recv(b []byte) (int, syscall.Errno) {
	if s.pipe != nil {
		return s.pipe.recv(b)
	}
	return recv(s.fd, b)
}

// send sends b, without TLS.
func (s *stream) send(b []byte) (int, syscall.Errno) {
	if s.pipe != nil {
		return s.pipe.send(b)
	}
	return send(s.fd, b)
}

// sendBoth sends b and then tail, without copying tail.
func (s *stream) sendBoth(b []byte, tail string) (int, syscall.Errno) {
	switch {
	case s.pipe == nil:
		return sendBoth(s.fd, b, tail)
	case len(b) > 0:
		return s.pipe.send(b)
	}
	return s.pipe.send(unsafe.Slice(unsafe.StringData(tail), len(tail))) // it only reads
}

// linked reports whether a dial under way has made a connection, or why it has not.
func (s *stream) linked(events uint32) (bool, error) {
	if s.pipe != nil {
		return s.pipe.linked()
	}
	if err := socketError(s.fd); err != nil {
		return false, err
	}
	return events&eventOut != 0, nil
}

// isOwn reports whether the stream is connected to itself. A dial to an unused port of this machine
// can succeed this way, by simultaneous open (RFC 9293 3.5), if the kernel chooses the same port as
// the source. The connection would then keep the port from the server that comes back.
func (s *stream) isOwn() bool {
	if s.pipe != nil {
		return s.pipe.isOwn()
	}
	return isOwn(s.fd)
}
