package loop

import (
	"crypto/tls"
	"errors"
	"io"
	"iter"
	"net"
	"os"
	"syscall"
	"time"
	"unsafe"

	"dyno/internal/load"
	"dyno/internal/record"
	"dyno/internal/wire"
)

// secure is a stream's TLS: crypto/tls over a shim for the socket.
//
// The handshake is a coroutine of the event loop (iter.Pull): when the socket would block, it
// yields to the loop, which continues it at the socket's next event. Handshakes therefore wait for
// the network side by side, on the loop's thread, and their cost counts as the loop's time.
//
// Note: crypto/tls gives up a handshake after any error, so it cannot be called again when the
// socket has more, as Read can. Goroutines with a blocking socket would need a thread each, and
// would escape the loop's CPU and its clock.
type secure struct {
	shim
	job   *load.Job
	conn  *tls.Conn
	next  func() (struct{}, bool) // continues the handshake
	stop  func()                  // gives it up, and frees the coroutine
	fault error                   // handshake error; later the system's or TLS's, if read returned EPROTO
	done  bool                    // the handshake succeeded
	bye   bool                    // the peer sent close_notify
	with  record.TLSSession       // the negotiated session
}

// shim is a stream in the form that crypto/tls needs.
type shim struct {
	stream  *stream
	wait    func(struct{}) bool // returns when the socket has more, false to give up; nil: never wait
	records                     // TLS records in received data
	empty   bool                // the socket has no more until its next event
	drain   bool                // read until the socket has no more: its peer has closed its side
	ended   bool                // the socket reported the end
	in      int64               // bytes received, until taken
	out     int64               // bytes sent
	held    []byte              // memory behind the stream's unsent
}

// again is the error for a read that would block. crypto/tls can continue after it (net.Error).
type again struct{}

var errAgain net.Error = again{}

func (again) Error() string   { return "would block" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }

// Read receives available data. During the handshake it waits for data.
func (s *shim) Read(b []byte) (int, error) {
	if s.whole() { // else crypto/tls would not ask
		s.begun = 0
	}
	for {
		n, errno := 0, syscall.EAGAIN
		if !s.empty {
			n, errno = recv(s.stream.fd, b)
		}
		switch {
		case errno == syscall.EINTR:
		case errno == syscall.EAGAIN && s.wait == nil:
			s.empty = true
			return 0, errAgain
		case errno == syscall.EAGAIN:
			if _, errno := s.push(); errno != 0 && errno != syscall.EAGAIN {
				return 0, errno
			}
			if !s.wait(struct{}{}) {
				return 0, os.ErrDeadlineExceeded
			}
		case errno != 0:
			return 0, errno
		case n == 0:
			s.ended = true
			return 0, io.EOF
		default:
			s.in += int64(n)
			s.receive(b[:n])
			s.empty = n < len(b) && !s.drain
			return n, nil
		}
	}
}

// Write keeps b until push.
func (s *shim) Write(b []byte) (int, error) {
	t := s.stream
	if len(t.unsent) == 0 {
		t.unsent = s.held[:0]
	}
	if t.unsent = append(t.unsent, b...); cap(t.unsent) > cap(s.held) {
		s.held = t.unsent[:0]
	}
	return len(b), nil
}

func (s *shim) Close() error                     { return nil }
func (s *shim) LocalAddr() net.Addr              { return &net.UnixAddr{} }
func (s *shim) RemoteAddr() net.Addr             { return &net.UnixAddr{} }
func (s *shim) SetDeadline(time.Time) error      { return nil }
func (s *shim) SetReadDeadline(time.Time) error  { return nil }
func (s *shim) SetWriteDeadline(time.Time) error { return nil }

// push sends written data, as far as the socket accepts it.
func (s *shim) push() (n int, errno syscall.Errno) {
	for t := s.stream; len(t.unsent) > 0; {
		k, errno := send(t.fd, t.unsent)
		switch {
		case errno == 0:
			n += k
			s.out += int64(k)
			t.unsent = t.unsent[k:]
		case errno != syscall.EINTR:
			return n, errno
		}
	}
	return n, 0
}

// encrypt prepares the handshake on a connected stream. shake begins it.
func (s *stream) encrypt(job *load.Job) {
	t := &secure{shim: shim{stream: s}, job: job}
	t.conn = tls.Client(&t.shim, job.TLS)
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.wait = yield
		t.fault = t.conn.Handshake()
		t.wait = nil
	})
	s.tls = t
}

// shake continues the handshake, after a socket event. It reports whether the handshake is over;
// then t.fault says how.
func (t *secure) shake() (over bool) {
	if _, waits := t.next(); waits {
		return false
	}
	if _, errno := t.push(); t.fault == nil && errno != 0 && errno != syscall.EAGAIN { // else this sent an alert
		t.fault = errno
	}
	if t.fault != nil {
		t.fault = &wire.HandshakeError{Err: t.fault}
		return true
	}
	state := t.conn.ConnectionState()
	t.with, t.fault = t.job.Negotiated(&state)
	t.done = true
	return true
}

// giveUp ends a handshake that is under way, for a reason, and returns its error.
func (t *secure) giveUp(reason error) error {
	t.stop()
	return &wire.HandshakeError{Err: reason}
}

// event prepares t for a new socket event. over says that the peer has closed its side.
func (t *secure) event(over bool) { t.empty, t.drain = false, t.drain || over }

// read decrypts into b, like stream.read.
func (t *secure) read(b []byte) (n int, more bool, errno syscall.Errno) {
	n, err := t.conn.Read(b)
	var system syscall.Errno
	switch {
	case n > 0 || err == errAgain: // another error returns at the next read
		if n == 0 {
			errno = syscall.EAGAIN
		}
	case err == io.EOF:
		t.bye = !t.ended
	case errors.As(err, &system):
		return 0, false, system
	default:
		t.fault, errno = err, syscall.EPROTO
	}
	if len(t.stream.unsent) > 0 { // TLS's own answers: a key update, an alert
		t.push()
	}
	return n, n == len(b) || !t.empty || t.begun != 1 || !t.whole(), errno
}

// taken returns the bytes received since the last call.
func (t *secure) taken() int64 {
	n := t.in
	t.in = 0
	return n
}

// piece is the number of bytes of a long body that are encrypted at a time. Each connection keeps
// encrypted data that the socket does not accept, while the body itself exists once.
const piece = 64 << 10

// write encrypts b and tail, and sends them, like stream.write.
func (t *secure) write(b []byte, tail string) (n int, errno syscall.Errno) {
	if len(b) > 0 {
		if _, err := t.conn.Write(b); err != nil { // TLS has ended; the next read returns the reason
			return 0, syscall.EPIPE
		}
	}
	t.stream.tail = tail
	return t.flush()
}

// flush sends encrypted data, and encrypts the tail behind it piece by piece.
func (t *secure) flush() (n int, errno syscall.Errno) {
	for s := t.stream; ; {
		if tail := s.tail; tail != "" && len(s.unsent) < piece {
			k := min(len(tail), piece)
			if _, err := t.conn.Write(unsafe.Slice(unsafe.StringData(tail), k)); err != nil { // Write only reads it
				return n, syscall.EPIPE
			}
			s.tail = tail[k:]
		}
		k, errno := t.push()
		if n += k; errno != 0 || s.tail == "" {
			return n, errno
		}
	}
}

// end gives up a handshake that is under way, or tells the peer that nothing more will come (RFC
// 8446, section 6.1), if the socket takes that at once.
func (t *secure) end() {
	switch {
	case !t.done:
		t.stop()
	case t.fault == nil && !t.ended && !t.bye && !t.stream.owes():
		t.conn.Close()
		t.push()
	}
}
