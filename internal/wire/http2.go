package wire

import "fmt"

// HTTP2Parser reads frames (RFC 9113) and HPACK header blocks (RFC 7541), and checks everything that can be checked
// without knowing the requests: the size and order of frames, compression, and response header sections. It rejects
// input that a client is free to repair, as HTTP1Parser does. The caller handles streams and flow control.

// Preface is a client's first bytes (RFC 9113 3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Sizes in bytes, and the highest stream number.
const (
	FrameHeader   = 9
	MaxFrame      = 16 << 10 // a frame's payload, in either direction (RFC 9113 4.2)
	HTTP2MaxHead  = 32 << 10 // header section, encoded and decoded; dyno's own limit
	InitialWindow = 1<<16 - 1
	MaxWindow     = 1<<31 - 1
	MaxStream     = 1<<31 - 1
	TableSize     = 4096 // dynamic table (RFC 9113 6.5.2)
)

// HTTP2Code is an error code (RFC 9113 7).
type HTTP2Code uint32

// The error codes.
const (
	NoError HTTP2Code = iota
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
func (c HTTP2Code) String() string {
	if int(c) < len(codes) {
		return codes[c]
	}
	return fmt.Sprintf("unknown error code %#x", uint32(c))
}

// HTTP2Error says how the peer broke RFC 9113: a connection error, after which the connection cannot be
// used any more.
type HTTP2Error struct {
	Code   HTTP2Code
	Reason string
}

func (e *HTTP2Error) Error() string { return fmt.Sprintf("http2: %v: %s", e.Code, e.Reason) }

func wrong(c HTTP2Code, format string, args ...any) error {
	return &HTTP2Error{c, fmt.Sprintf(format, args...)}
}

// kind is a frame type (RFC 9113 6).
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

// Frame flags.
const (
	endStream   = 0x1  // flag in DATA and HEADERS
	ack         = 0x1  // flag in SETTINGS and PING
	endHeaders  = 0x4  // flag in HEADERS and CONTINUATION
	padded      = 0x8  // flag in DATA and HEADERS
	prioritized = 0x20 // flag in HEADERS
)

// HTTP2Setting is one parameter in a SETTINGS frame (RFC 9113 6.5.1).
type HTTP2Setting struct {
	ID    uint16
	Value uint32
}

// Check returns an error if RFC 9113 6.5.2 forbids the value to a server.
func (s HTTP2Setting) Check() error {
	switch {
	case s.ID == EnablePush && s.Value != 0, s.ID == MaxFrameSize && (s.Value < MaxFrame || s.Value > 1<<24-1):
		return s.Wrong(ProtocolError)
	case s.ID == InitialWindowSize && s.Value > MaxWindow:
		return s.Wrong(FlowControlError)
	}
	return nil
}

// Wrong returns the error for s's value.
func (s HTTP2Setting) Wrong(c HTTP2Code) error {
	return wrong(c, "setting %d is %d (RFC 9113 6.5.2)", s.ID, s.Value)
}

// The parameters in RFC 9113 6.5.2.
const (
	HeaderTableSize uint16 = 1 + iota
	EnablePush
	MaxConcurrentStreams
	InitialWindowSize
	MaxFrameSize
	MaxHeaderListSize
)
