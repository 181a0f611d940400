//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/internal/record"
	"dyno/internal/refserver"
	"dyno/internal/wire"
)

// timedCommand is the hidden first argument that makes this program a timed server:
//
//	loadgen-benchmark timed DELAY CERTIFICATE PROTOCOL ADDR …
//
// It listens at each ADDR and, on SIGTERM, prints one refserver.Tally per ADDR on stderr, as a JSON array.
// CERTIFICATE is a file with certificate and key for protocols over TLS.
const timedCommand = "timed"

func timed(args []string, stderr io.Writer) error {
	if len(args) < 4 || len(args)%2 > 0 {
		return fmt.Errorf("%s: want DELAY CERTIFICATE PROTOCOL ADDR …", timedCommand)
	}
	delay, err := time.ParseDuration(args[0])
	if err != nil {
		return err
	}
	s := &timedServer{delay: delay}
	for i := 2; i < len(args); i += 2 {
		if err := s.listen(protocol(args[i]), args[i+1], args[1]); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	debug.SetGCPercent(-1) // a window allocates some MB
	tallies, err := s.serve(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(stderr).Encode(tallies)
}

// timedServer answers each GET a known delay after reading it, and records the true times: from receiving the
// request's bytes until the response's are handed to the socket, including encryption. It is one loop that
// never sleeps: waking a CPU for a request would take additional time that the server could not measure.
type timedServer struct {
	delay time.Duration
	sides []*timedSide

	start time.Time
	ep    int
	conns map[int]*timedConn
	held  []heldAnswer // in order of their due times
}

// timedSide is the part of a timed server that speaks one protocol.
type timedSide struct {
	protocol protocol
	config   *tls.Config
	ln       *net.TCPListener
	fd       int // ln's descriptor
	excess   *record.Histogram
}

type heldAnswer struct {
	c      *timedConn
	stream uint32 // in HTTP/2
	read   time.Duration
}

// listen adds a side. certificate is a file with certificate and key for a protocol over TLS.
func (s *timedServer) listen(p protocol, addr, certificate string) error {
	side := &timedSide{protocol: p, excess: record.NewHistogram()}
	if p.tls() {
		if err := side.certify(certificate); err != nil {
			return err
		}
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	side.ln = ln.(*net.TCPListener)
	raw, err := side.ln.SyscallConn()
	if err != nil {
		return err
	}
	s.sides = append(s.sides, side)
	return raw.Control(func(fd uintptr) { side.fd = int(fd) }) // ln keeps it open
}

func (s *timedSide) certify(file string) error {
	pair, err := tls.LoadX509KeyPair(file, file)
	if err != nil {
		return fmt.Errorf("the timed server's certificate: %w", err)
	}
	s.config = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13,
		CurvePreferences: []tls.CurveID{tls.X25519}, NextProtos: []string{"http/1.1"}}
	if s.protocol.http2() {
		s.config.NextProtos = []string{"h2"}
	}
	return nil
}

func (s *timedServer) clock() time.Duration { return time.Since(s.start) }

// serve answers until ctx ends, closes the listeners, and returns each side's tally.
func (s *timedServer) serve(ctx context.Context) (tallies []refserver.Tally, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s.start, s.conns = time.Now(), map[int]*timedConn{}
	if s.ep, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	defer unix.Close(s.ep)
	err = s.loop(ctx)
	for fd := range s.conns {
		unix.Close(fd)
	}
	for _, side := range s.sides {
		side.ln.Close()
		at := func(q float64) int64 { return int64(s.delay) + side.excess.Quantile(q) }
		n := side.excess.Count()
		tallies = append(tallies, refserver.Tally{Requests: n, Service: &refserver.Service{Count: n, P50NS: at(.5),
			P99NS: at(.99), MaxNS: at(1)}})
	}
	return tallies, err
}

func (s *timedServer) loop(ctx context.Context) error {
	watch := func(fd int) error {
		return unix.EpollCtl(s.ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	}
	listeners := map[int]*timedSide{}
	for _, side := range s.sides {
		listeners[side.fd] = side
		if err := watch(side.fd); err != nil {
			return err
		}
	}
	var events [64]unix.EpollEvent
	for ctx.Err() == nil {
		n, err := unix.EpollWait(s.ep, events[:], 0)
		if err != nil && err != unix.EINTR {
			return err
		}
		s.answer()
		for _, e := range events[:max(n, 0)] {
			c := s.conns[int(e.Fd)]
			if side := listeners[int(e.Fd)]; side != nil {
				if c = s.accept(side); c == nil {
					continue
				}
				s.conns[c.fd] = c
				if err := watch(c.fd); err != nil {
					return err
				}
			}
			if s.turn(c) != nil { // also for a new one: TLS may have read data in the handshake
				delete(s.conns, c.fd)
				unix.Close(c.fd)
				c.fd = -1
			}
			s.answer()
		}
	}
	return nil
}

// accept accepts one connection and performs the TLS handshake; nil if there is none.
func (s *timedServer) accept(side *timedSide) *timedConn {
	fd, _, err := unix.Accept4(side.fd, unix.SOCK_CLOEXEC)
	if err != nil {
		return nil
	}
	c := &timedConn{fd: fd, server: s, side: side}
	c.plain = c
	patience := unix.Timeval{Sec: 1} // limit for a handshake, which blocks all others
	err = errors.Join(unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience))
	if side.protocol.tls() && err == nil {
		t := tls.Server(c, side.config)
		c.shakes = true
		err = t.Handshake()
		c.shakes = false
		c.plain = t
	}
	if side.protocol.http2() {
		c.parser = &wire.HTTP2Parser{}
		c.parser.Reset()
		c.preface = []byte(wire.Preface)
		_, refused := c.plain.Write(wire.AppendSettings(nil))
		err = errors.Join(err, refused)
	}
	if err = errors.Join(err, c.flush(), unix.SetNonblock(fd, true)); err != nil {
		unix.Close(fd)
		return nil
	}
	return c
}

// turn reads the available data on c, and holds the responses.
func (s *timedServer) turn(c *timedConn) error {
	for {
		if len(c.in)+readAtOnce > cap(c.in) {
			c.in = append(make([]byte, 0, 4*readAtOnce+len(c.in)), c.in...)
		}
		n, err := c.plain.Read(c.in[len(c.in) : len(c.in)+readAtOnce])
		c.in = c.in[:len(c.in)+n]
		if n > 0 {
			err = errors.Join(c.requests(), c.flush())
		}
		switch {
		case errors.Is(err, errNoMore):
			return nil
		case err != nil:
			return err
		}
	}
}

// answer sends the responses that are due.
func (s *timedServer) answer() {
	for len(s.held) > 0 && s.clock() >= s.held[0].read+s.delay {
		a := s.held[0]
		if s.held = s.held[1:]; a.c.fd < 0 {
			continue // closed meanwhile
		}
		_, err := a.c.plain.Write(a.c.response(a.stream))
		a.c.side.excess.Record(int64(s.clock() - a.read - s.delay))
		if err = errors.Join(err, a.c.flush()); err != nil {
			unix.Shutdown(a.c.fd, unix.SHUT_RDWR) // the next event closes it
		}
	}
}

const readAtOnce = 16 << 10

// errNoMore means that a connection has no data now. crypto/tls can continue after it.
var errNoMore net.Error = noMore{}

type noMore struct{}

func (noMore) Error() string   { return "nothing to read now" }
func (noMore) Timeout() bool   { return true }
func (noMore) Temporary() bool { return true }

// timedConn is a connection to a timed server, and the socket under crypto/tls.
type timedConn struct {
	fd     int // -1: closed
	server *timedServer
	side   *timedSide
	shakes bool          // the handshake is under way, and the socket blocks
	plain  io.ReadWriter // itself, or the TLS connection
	read   time.Duration // time of the last data
	in     []byte
	out    []byte // until flush

	parser  *wire.HTTP2Parser // in HTTP/2
	preface []byte            // rest of the expected preface
}

// Read receives the available data.
func (c *timedConn) Read(b []byte) (int, error) {
	for {
		switch n, err := unix.Read(c.fd, b); {
		case err == unix.EINTR:
		case err == unix.EAGAIN && !c.shakes:
			return 0, errNoMore
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			c.read = c.server.clock()
			return n, nil
		}
	}
}

// Write keeps b until flush; during a handshake it sends at once.
func (c *timedConn) Write(b []byte) (int, error) {
	c.out = append(c.out, b...)
	if c.shakes {
		return len(b), c.flush()
	}
	return len(b), nil
}

// flush sends the written data. A response is small and so fits into the socket buffer.
func (c *timedConn) flush() error {
	for len(c.out) > 0 {
		n, err := unix.SendmsgN(c.fd, c.out, nil, nil, unix.MSG_NOSIGNAL)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		c.out = append(c.out[:0], c.out[n:]...)
	}
	return nil
}

func (c *timedConn) Close() error                     { return nil }
func (c *timedConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (c *timedConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *timedConn) SetDeadline(time.Time) error      { return nil }
func (c *timedConn) SetReadDeadline(time.Time) error  { return nil }
func (c *timedConn) SetWriteDeadline(time.Time) error { return nil }

var headEnd = []byte("\r\n\r\n")

// requests holds a response for each whole request in c.in.
func (c *timedConn) requests() error {
	hold := func(stream uint32) {
		c.server.held = append(c.server.held, heldAnswer{c, stream, c.read})
	}
	if c.parser == nil {
		for i := bytes.Index(c.in, headEnd); i >= 0; i = bytes.Index(c.in, headEnd) {
			c.in = append(c.in[:0], c.in[i+len(headEnd):]...)
			hold(0)
		}
		return nil
	}
	b := c.in
	if n := min(len(c.preface), len(b)); n > 0 {
		if !bytes.Equal(b[:n], c.preface[:n]) {
			return errors.New("no preface of HTTP/2")
		}
		b, c.preface = b[n:], c.preface[n:]
	}
	for more := len(c.preface) == 0; more; {
		n, event, err := c.parser.Feed(b)
		if b = b[n:]; err != nil {
			return err
		}
		var out []byte
		switch event {
		case wire.Headers:
			hold(c.parser.Stream)
		case wire.Settled:
			out = wire.AppendSettingsAck(out)
		case wire.Pinged:
			out = wire.AppendPong(out, c.parser.Opaque)
		case wire.HTTP2More:
			more = false
		}
		if len(out) > 0 {
			if _, err := c.plain.Write(out); err != nil {
				return err
			}
		}
	}
	c.in = append(c.in[:0], b...)
	return nil
}

// timedBlock is the header section of a response (RFC 7541, appendix A): status 200, and the fields 31 and 28
// of the static table.
const timedBlock = "\x88\x0f\x10\x0atext/plain\x0f\x0d\x015"

// timedAnswer is a response in HTTP/1.1.
const timedAnswer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nvalue"

func (c *timedConn) response(stream uint32) []byte {
	if c.parser == nil {
		return []byte(timedAnswer)
	}
	b := append(wire.BeginHeaders(nil), timedBlock...)
	return wire.AppendData(wire.EndHeaders(b, 0, stream, false), stream, "value", true)
}
