package load

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// ErrUnnotified is the error for a connection that was closed without close_notify: a response that
// ends with the connection may have been cut short (RFC 9112, section 9.8).
var ErrUnnotified = errors.New("the server closed the connection without close_notify")

var errTruncated = errors.New("the server closed the connection within a record of TLS")

// Negotiated returns a connection's TLS session. It returns an error if the server chose a
// different protocol (ALPN) than the load's.
func (j *Job) Negotiated(s *tls.ConnectionState) (record.TLSSession, error) {
	n := record.TLSSession{Version: tls.VersionName(s.Version), Suite: tls.CipherSuiteName(s.CipherSuite),
		ALPN: s.NegotiatedProtocol, Resumed: s.DidResume}
	if s.CurveID != 0 {
		n.Group = s.CurveID.String()
	}
	if j.HTTP2 {
		if n.ALPN != wire.ALPN2 {
			return n, &wire.HandshakeError{Err: wire.NotHTTP2(n.ALPN)}
		}
		return n, nil
	}
	if n.ALPN != "" && n.ALPN != wire.ALPN1 {
		return n, &wire.HandshakeError{Err: fmt.Errorf("the server chose the protocol %q (ALPN), not %s",
			n.ALPN, wire.ALPN1)}
	}
	return n, nil
}

// Unconnected returns the kind that a request counts as if no connection could be made.
func Unconnected(err error) Kind {
	if _, shaking := errors.AsType[*wire.HandshakeError](err); shaking {
		return Handshake
	}
	return Dial
}

// Undialled returns the number of requests for which no connection could be made.
func Undialled(l *record.Load) int64 { return l.Errors[Dial.String()] + l.Errors[Handshake.String()] }

// Severed returns the kind for the requests in flight after reading failed with err, from the
// system or TLS, and the error to report.
func Severed(err error) (Kind, error) {
	var op *net.OpError
	var system syscall.Errno
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Closed, errTruncated
	case errors.As(err, &op) && op.Op == "remote error": // an alert
		return Reset, errors.New(wire.Reason(err))
	case errors.As(err, &system), errors.As(err, &op) && op.Op != "local error":
		return Reset, err
	}
	return Parse, errors.New("TLS: " + wire.Reason(err))
}

// Encrypted counts a connection with that session, open when the window began.
func (r *Recorder) Encrypted(s record.TLSSession) { r.encrypted(s, 1) }

func (r *Recorder) encrypted(s record.TLSSession, n int64) {
	s.Connections = 0
	i := slices.IndexFunc(r.Sessions, func(o record.TLSSession) bool { o.Connections = 0; return o == s })
	if i < 0 {
		i, r.Sessions = len(r.Sessions), append(r.Sessions, s)
	}
	r.Sessions[i].Connections += n
}

// Shaken records how long a handshake took, in ns; within says that it fell in the window. Earlier
// handshakes are kept apart, because they are made all at once.
func (r *Recorder) Shaken(took int64, within bool) {
	to := &r.Greeted
	if within {
		to = &r.Handshake
		r.Handshakes++
	}
	if *to == nil {
		*to = record.NewHistogram()
	}
	(*to).Record(took)
}

// negotiated sets the TLS figures in l.
func (r *Recorder) negotiated(l *record.Load) {
	l.TLS = slices.Clone(r.Sessions)
	slices.SortFunc(l.TLS, func(a, b record.TLSSession) int {
		return cmp.Or(cmp.Compare(b.Connections, a.Connections), cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	l.Handshakes, l.Unnotified = r.Handshakes, r.Unnotified
}
