package wire

import (
	"bytes"
	"encoding/binary"
)

// HTTP2Event is the reason why Feed returned, and names the valid fields in Parser.
type HTTP2Event uint8

// The events. Frames that mean nothing to a client give none.
const (
	HTTP2More HTTP2Event = iota // everything usable in the slice is used
	Headers                     // a header section: Stream, End, Head
	Data                        // a piece of a DATA frame: Stream, End, Piece, Size
	Reset                       // RST_STREAM: Stream, Code
	Settled                     // SETTINGS: Settings
	Acked                       // an acknowledgement for our SETTINGS
	Pinged                      // PING: Opaque
	GoAway                      // GOAWAY: Stream, the last one that the peer processes; Code; Piece, its debug data
	Window                      // WINDOW_UPDATE: Stream, 0 for the connection, Size
)

// HTTP2Parser reads the frames that a server sends on one connection. The exported fields hold until the
// next Feed. Its zero value is not ready: call Reset first.
type HTTP2Parser struct {
	Stream uint32
	End    bool // the peer sends no more on Stream
	Head   *HTTP2Head
	Piece  []byte
	Size   int64 // Data: bytes that flow control counts for this event; Window: the increment
	Code   HTTP2Code
	Opaque [8]byte
	Start  int // GoAway: the frame's beginning in the slice, to be fed again for the same event

	began     bool   // the first frame has come
	left      int    // bytes of the DATA frame's content to come
	skip      int    // bytes to be passed over afterwards
	counted   int64  // Size of the next event
	last      bool   // the DATA frame ends its stream
	continued uint32 // stream with an unfinished header block; 0: none
	ends      bool   // the unfinished header block ends the stream
	block     []byte // the unfinished header block so far
	payload   []byte // content of a SETTINGS frame
	decoder   decoder
}

// Reset prepares p for a new connection.
func (p *HTTP2Parser) Reset() {
	p.began, p.left, p.skip, p.counted, p.last, p.continued = false, 0, 0, 0, false, 0
	p.decoder.reset()
}

// frame is a frame header.
type frame struct {
	size   int
	kind   kind
	flags  byte
	stream uint32
}

func (f *frame) has(flag byte) bool { return f.flags&flag != 0 }

// Feed reads from b, which must begin where the last call stopped: with the bytes beyond n,
// followed by newer ones. A whole frame must fit into the caller's buffer, except for DATA. After
// an error, an *Error, the connection cannot be used any more.
func (p *HTTP2Parser) Feed(b []byte) (n int, ev HTTP2Event, err error) {
	for {
		if p.left > 0 || p.counted > 0 || p.last {
			if k := min(p.left, len(b)-n); k > 0 || p.left == 0 {
				p.piece(b[n : n+k])
				return n + k, Data, nil
			}
			return n, HTTP2More, nil
		}
		k := min(p.skip, len(b)-n)
		n, p.skip = n+k, p.skip-k
		rest := b[n:]
		if len(rest) < FrameHeader || p.skip > 0 {
			return n, HTTP2More, p.foreign(rest)
		}
		f := frame{int(rest[0])<<16 | int(rest[1])<<8 | int(rest[2]), kind(rest[3]), rest[4],
			binary.BigEndian.Uint32(rest[5:]) & MaxStream}
		if err := p.check(&f, rest); err != nil {
			return n, HTTP2More, err
		}
		switch f.kind {
		case data:
			k, err = p.startData(&f, rest[FrameHeader:])
			if k < 0 {
				return n, HTTP2More, err
			}
			n += FrameHeader + k
			continue
		case headers, continuation, rstStream, settings, ping, goAway, windowUpdate:
		default: // PRIORITY is deprecated, others are unknown (RFC 9113 5.3, 5.5)
			n, p.skip = n+FrameHeader, f.size
			continue
		}
		if len(rest) < FrameHeader+f.size {
			return n, HTTP2More, nil
		}
		p.Start = n
		n += FrameHeader + f.size
		if ev, err = p.complete(&f, rest[FrameHeader:FrameHeader+f.size]); err != nil || ev != HTTP2More {
			return n, ev, err
		}
	}
}

// foreign recognizes a server that answers in HTTP/1.x.
func (p *HTTP2Parser) foreign(b []byte) error {
	if !p.began && bytes.HasPrefix(b, []byte("HTTP/1.")) {
		return wrong(ProtocolError, "the server answers in HTTP/1 (RFC 9113 3.4)")
	}
	return nil
}

// check judges a frame header: size, order and stream.
func (p *HTTP2Parser) check(f *frame, b []byte) error {
	switch {
	case !p.began && (f.kind != settings || f.has(ack)):
		if err := p.foreign(b); err != nil {
			return err
		}
		if f.kind == goAway && len(b) >= FrameHeader+8 { // Kestrel sends it when it speaks HTTP/1.1 alone
			why := HTTP2Code(binary.BigEndian.Uint32(b[FrameHeader+4:]))
			return wrong(ProtocolError, "the first frame is GOAWAY: %v", why)
		}
		return wrong(ProtocolError, "the first frame is %v, not SETTINGS (RFC 9113 3.4)", f.kind)
	case f.size > MaxFrame:
		return wrong(FrameSizeError, "%v of %d bytes; at most %d were announced (RFC 9113 4.2)", f.kind, f.size, MaxFrame)
	case (f.kind == continuation) != (p.continued > 0), p.continued > 0 && f.stream != p.continued:
		return wrong(ProtocolError, "%v on stream %d breaks the order of HEADERS and CONTINUATION (RFC 9113 6.10)",
			f.kind, f.stream)
	case f.kind == pushPromise:
		return wrong(ProtocolError, "PUSH_PROMISE, although push is disabled (RFC 9113 8.4)")
	}
	switch f.kind {
	case data, headers, priority, rstStream, continuation:
		if f.stream == 0 {
			return wrong(ProtocolError, "%v of stream 0 (RFC 9113 6)", f.kind)
		}
	case settings, ping, goAway:
		if f.stream != 0 {
			return wrong(ProtocolError, "%v of stream %d (RFC 9113 6)", f.kind, f.stream)
		}
	}
	ok := true
	switch f.kind {
	case priority:
		ok = f.size == 5
	case rstStream, windowUpdate:
		ok = f.size == 4
	case settings:
		ok = f.size%6 == 0 && (f.size == 0 || !f.has(ack))
	case ping:
		ok = f.size == 8
	case goAway:
		ok = f.size >= 8
	}
	if !ok {
		return wrong(FrameSizeError, "%v of %d bytes (RFC 9113 6)", f.kind, f.size)
	}
	return nil
}

// startData begins a DATA frame, with the bytes after its header. It returns how many belong to the
// frame's head, below 0 if they have not arrived yet.
func (p *HTTP2Parser) startData(f *frame, b []byte) (n int, err error) {
	pad := 0
	if f.has(padded) {
		switch {
		case f.size == 0:
			return -1, wrong(FrameSizeError, "padded DATA of 0 bytes (RFC 9113 6.1)")
		case len(b) == 0:
			return -1, nil
		}
		if n, pad = 1, int(b[0]); pad >= f.size {
			return -1, wrong(ProtocolError, "padding of %d bytes in DATA of %d (RFC 9113 6.1)", pad, f.size)
		}
	}
	p.Stream, p.left, p.skip, p.counted, p.last = f.stream, f.size-n-pad, pad, int64(f.size), f.has(endStream)
	return n, nil
}

// piece makes b, the next part of a DATA frame, the event.
func (p *HTTP2Parser) piece(b []byte) {
	p.Piece, p.left = b, p.left-len(b)
	p.Size, p.counted = p.counted, 0
	if p.End = p.last && p.left == 0; p.End {
		p.last = false
	}
}

// complete handles a frame that has arrived completely.
func (p *HTTP2Parser) complete(f *frame, b []byte) (HTTP2Event, error) {
	p.Stream = f.stream
	switch f.kind {
	case headers:
		b, err := unpadded(f, b)
		if err != nil {
			return HTTP2More, err
		}
		p.ends = f.has(endStream)
		if f.has(endHeaders) {
			return p.section(b)
		}
		p.continued, p.block = f.stream, append(p.block[:0], b...)
	case continuation:
		if p.block = append(p.block, b...); len(p.block) > HTTP2MaxHead {
			return HTTP2More, wrong(EnhanceYourCalm, "a header block of more than %d bytes", HTTP2MaxHead)
		}
		if f.has(endHeaders) {
			p.continued = 0
			return p.section(p.block)
		}
	case rstStream:
		p.Code = HTTP2Code(binary.BigEndian.Uint32(b))
		return Reset, nil
	case settings:
		if f.has(ack) {
			return Acked, nil
		}
		p.began, p.payload = true, b
		return Settled, nil
	case ping:
		if !f.has(ack) {
			p.Opaque = [8]byte(b)
			return Pinged, nil
		}
	case goAway:
		p.Stream = binary.BigEndian.Uint32(b) & MaxStream
		p.Code, p.Piece = HTTP2Code(binary.BigEndian.Uint32(b[4:])), b[8:]
		return GoAway, nil
	case windowUpdate:
		p.Size = int64(binary.BigEndian.Uint32(b) & MaxWindow)
		return Window, nil
	}
	return HTTP2More, nil
}

// section decodes a header block.
func (p *HTTP2Parser) section(block []byte) (HTTP2Event, error) {
	p.End = p.ends
	if err := p.decoder.decode(block); err != nil {
		return HTTP2More, err
	}
	p.Head = &p.decoder.head
	return Headers, nil
}

// unpadded returns the header block in a HEADERS frame, without padding and priority.
func unpadded(f *frame, b []byte) ([]byte, error) {
	pad := 0
	if f.has(padded) {
		if len(b) == 0 {
			return nil, wrong(FrameSizeError, "padded HEADERS of 0 bytes (RFC 9113 6.2)")
		}
		pad, b = int(b[0]), b[1:]
	}
	if f.has(prioritized) {
		if len(b) < 5 {
			return nil, wrong(FrameSizeError, "HEADERS of %d bytes with a priority (RFC 9113 6.2)", f.size)
		}
		b = b[5:]
	}
	if pad > len(b) {
		return nil, wrong(ProtocolError, "padding of %d bytes in HEADERS of %d (RFC 9113 6.2)", pad, f.size)
	}
	return b[:len(b)-pad], nil
}

// Setting returns the i-th parameter in the current SETTINGS frame; false if there are fewer.
func (p *HTTP2Parser) Setting(i int) (HTTP2Setting, bool) {
	b := p.payload
	if 6*i >= len(b) {
		return HTTP2Setting{}, false
	}
	return HTTP2Setting{binary.BigEndian.Uint16(b[6*i:]), binary.BigEndian.Uint32(b[6*i+2:])}, true
}
