package load

import (
	"errors"
	"fmt"

	"dyno/internal/foreign"
	"dyno/internal/scenario"
)

// The engine's errors for a connection that ended, or a request that was given up.
var (
	ErrClosed    = errors.New("the server closed the connection without a response")
	ErrTruncated = errors.New("the server closed the connection within the body of a response")
	ErrAnnounced = errors.New("the server sent Connection: close while requests were still in the pipeline")
	ErrTimeout   = errors.New("no complete response in time")
	ErrHTTP2     = errors.New("the server sent a frame of HTTP/2 (SETTINGS) in place of a response of HTTP/1.1")
	ErrBarred    = errors.New("the server allows no streams (SETTINGS_MAX_CONCURRENT_STREAMS is 0)")
)

// Shown is the number of bytes from a response that a complaint quotes.
const Shown = 200

// mostRead is the number of bytes in which a complaint looks for secrets, which may be long.
const mostRead = 8 << 10

// Complaint describes how the response broke its contract. raw is the data read last if the
// protocol is text, or empty if the connection's end ended the response. Complaint allocates.
func (a *Answer) Complaint(k Kind, s *scenario.Scenario, raw []byte) string {
	r := &s.Requests[a.Want.Index]
	why := ""
	if k == Body && a.Want.Rows != nil {
		why = ": " + a.why
	}
	if a.last != nil {
		raw = a.last
	}
	if len(raw) > 0 {
		why += fmt.Sprintf("; read last: %.*q", Shown, foreign.Received(string(raw[:min(len(raw), mostRead)])))
	}
	return fmt.Sprintf("%s %s: wrong %v: status %d, body of %d bytes%s", r.Method, foreign.Mask(r.Path), k, a.Status,
		a.Length, why)
}
