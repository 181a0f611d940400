package wire

import "errors"

// HTTP1Parser reads responses incrementally, for the hot path; WholeResponse reads one with everything kept, for
// a strict verifier. Both reject malformed responses that RFC 9112 allows a client to repair: bare LF, obs-fold,
// Transfer-Encoding with Content-Length, two lengths. A test bench that guesses would not get the same response
// from all servers.

// Response errors. The text names the violated section in RFC 9112, except for limits, which are
// dyno's own.
var (
	ErrLine       = errors.New("http1: line does not end in CR LF (RFC 9112 2.2)")
	ErrStatusLine = errors.New("http1: malformed status line (RFC 9112 4)")
	ErrHeader     = errors.New("http1: malformed header field (RFC 9112 5)")
	ErrFold       = errors.New("http1: folded header field (RFC 9112 5.2)")
	ErrCoding     = errors.New("http1: Transfer-Encoding other than chunked, or in HTTP/1.0 (RFC 9112 6.1)")
	ErrFraming    = errors.New("http1: both Transfer-Encoding and Content-Length (RFC 9112 6.3)")
	ErrLength     = errors.New("http1: invalid or conflicting Content-Length (RFC 9112 6.3)")
	ErrChunk      = errors.New("http1: malformed chunk (RFC 9112 7.1)")
	ErrUpgrade    = errors.New("http1: unexpected 101 Switching Protocols (RFC 9110 15.2.2)")
	ErrTooLarge   = errors.New("http1: header section or chunk line exceeds the limit")
	ErrIncomplete = errors.New("http1: the connection closed before the response was complete (RFC 9112 8)")
)

// Limits on the server's output, in bytes. The buffer given to Feed must be able to hold MaxHead.
const (
	HTTP1MaxHead = 32 << 10 // status line and header section; also all trailers together
	maxLine      = 4 << 10  // chunk size with its extensions
)

// Framing is the way in which the end of a body is determined (RFC 9112 6.3).
type Framing uint8

// The ways to end a body. NoBody is for answers to HEAD, 204 and 304. ByStream is HTTP/2's, where
// no length is given.
const (
	NoBody Framing = iota
	ByLength
	Chunked
	ByClose
	ByStream
)

func (f Framing) String() string {
	return [...]string{"none", "content-length", "chunked", "close", "stream"}[f]
}

// NextField splits the first field line from a header section whose lines end in CR LF. The value
// is trimmed of white space. ok is false at the end. The section must have been parsed before:
// NextField checks nothing.
func NextField(section []byte) (name, value, rest []byte, ok bool) {
	colon := -1
	for i, c := range section {
		switch {
		case c == ':' && colon < 0:
			colon = i
		case c == '\n':
			if colon < 0 {
				return nil, nil, nil, false
			}
			return section[:colon], trim(section[colon+1 : i]), section[i+1:], true
		}
	}
	return nil, nil, nil, false
}

// EqualFold reports whether name equals lower, which must be in lower case already, ignoring ASCII
// case.
func EqualFold(name, lower []byte) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// trim removes optional white space, and a line's CR, from both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t' || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	return b
}
