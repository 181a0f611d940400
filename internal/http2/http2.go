// Package http2 reads the frames of HTTP/2 (RFC 9113) and the header blocks of HPACK (RFC 7541) on
// byte slices, without allocation, for the client of a load, and appends those that it sends.
//
// Parser checks what can be checked without knowing the requests: the size and order of frames,
// compression, and the header sections of responses. It rejects what a client is free to repair, as
// http1 does. Streams and flow control are the caller's.
package http2

import "fmt"

// Preface is what a client sends first (RFC 9113 3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Sizes in bytes, and the highest number of a stream.
const (
	FrameHeader   = 9
	MaxFrame      = 16 << 10 // payload of a frame, in either direction (RFC 9113 4.2)
	MaxHead       = 32 << 10 // header section, encoded and decoded; dyno's own limit
	InitialWindow = 1<<16 - 1
	MaxWindow     = 1<<31 - 1
	MaxStream     = 1<<31 - 1
	TableSize     = 4096 // of the dynamic table (RFC 9113 6.5.2)
)

// Code is an error code (RFC 9113 7).
type Code uint32

// The error codes.
const (
	NoError Code = iota
	ProtocolError
	InternalError
	FlowControlError
	SettingsTimeout
	StreamClosed
	FrameSizeError
	RefusedStream
	Cancel
	CompressionError
	ConnectError
	EnhanceYourCalm
	InadequateSecurity
	HTTP11Required
)

var codes = [...]string{"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
	"STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR",
	"ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED"}

// String returns the name that RFC 9113 gives the code.
func (c Code) String() string {
	if int(c) < len(codes) {
		return codes[c]
	}
	return fmt.Sprintf("unknown error code %#x", uint32(c))
}

// Error says how the peer broke RFC 9113: a connection error, after which the connection cannot be
// used any more.
type Error struct {
	Code   Code
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("http2: %v: %s", e.Code, e.Reason) }

func wrong(c Code, format string, args ...any) error { return &Error{c, fmt.Sprintf(format, args...)} }

// kind is the type of a frame (RFC 9113 6).
type kind uint8

const (
	data kind = iota
	headers
	priority
	rstStream
	settings
	pushPromise
	ping
	goAway
	windowUpdate
	continuation
)

var kinds = [...]string{"DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY",
	"WINDOW_UPDATE", "CONTINUATION"}

func (k kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return fmt.Sprintf("unknown frame type %#x", uint8(k))
}

// Flags of frames.
const (
	endStream   = 0x1  // DATA, HEADERS
	ack         = 0x1  // SETTINGS, PING
	endHeaders  = 0x4  // HEADERS, CONTINUATION
	padded      = 0x8  // DATA, HEADERS
	prioritized = 0x20 // HEADERS
)

// Setting is one parameter of a SETTINGS frame (RFC 9113 6.5.1).
type Setting struct {
	ID    uint16
	Value uint32
}

// Check returns an error if RFC 9113 6.5.2 forbids a server the value.
func (s Setting) Check() error {
	switch {
	case s.ID == EnablePush && s.Value != 0, s.ID == MaxFrameSize && (s.Value < MaxFrame || s.Value > 1<<24-1):
		return s.Wrong(ProtocolError)
	case s.ID == InitialWindowSize && s.Value > MaxWindow:
		return s.Wrong(FlowControlError)
	}
	return nil
}

// Wrong returns the error for the value of s.
func (s Setting) Wrong(c Code) error {
	return wrong(c, "setting %d is %d (RFC 9113 6.5.2)", s.ID, s.Value)
}

// The parameters of RFC 9113 6.5.2.
const (
	HeaderTableSize uint16 = 1 + iota
	EnablePush
	MaxConcurrentStreams
	InitialWindowSize
	MaxFrameSize
	MaxHeaderListSize
)
