package wire

import "encoding/binary"

// appendFrame appends a frame header.
func appendFrame(b []byte, size int, k kind, flags byte, stream uint32) []byte {
	return append(b, byte(size>>16), byte(size>>8), byte(size), byte(k), flags,
		byte(stream>>24), byte(stream>>16), byte(stream>>8), byte(stream))
}

// AppendSettings appends a SETTINGS frame.
func AppendSettings(b []byte, all ...HTTP2Setting) []byte {
	b = appendFrame(b, 6*len(all), settings, 0, 0)
	for _, s := range all {
		b = binary.BigEndian.AppendUint16(b, s.ID)
		b = binary.BigEndian.AppendUint32(b, s.Value)
	}
	return b
}

// IsPreface reports whether b begins as a server's first frame does: with SETTINGS for the
// connection, not an acknowledgement (RFC 9113, sections 3.4 and 6.5).
func IsPreface(b []byte) bool {
	if len(b) < 9 {
		return false
	}
	size := int(b[0])<<16 | int(b[1])<<8 | int(b[2])
	return size%6 == 0 && b[3] == byte(settings) && b[4]&ack == 0 && b[5]|b[6]|b[7]|b[8] == 0
}

// AppendSettingsAck appends the acknowledgement for a SETTINGS frame.
func AppendSettingsAck(b []byte) []byte { return appendFrame(b, 0, settings, ack, 0) }

// AppendPong appends the answer to a PING frame.
func AppendPong(b []byte, opaque [8]byte) []byte {
	return append(appendFrame(b, len(opaque), ping, ack, 0), opaque[:]...)
}

// AppendWindow appends a WINDOW_UPDATE frame for a stream, or for the connection: 0.
func AppendWindow(b []byte, stream, increment uint32) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(b, 4, windowUpdate, 0, stream), increment)
}

// AppendReset appends a RST_STREAM frame.
func AppendReset(b []byte, stream uint32, c HTTP2Code) []byte {
	return binary.BigEndian.AppendUint32(appendFrame(b, 4, rstStream, 0, stream), uint32(c))
}

// AppendData appends a DATA frame with a piece of a body, at most MaxFrame bytes; end says that it
// is the last.
func AppendData(b []byte, stream uint32, piece string, end bool) []byte {
	return append(appendFrame(b, len(piece), data, flag(end, endStream), stream), piece...)
}

// BeginHeaders appends the header of a HEADERS frame. The header block follows, then EndHeaders.
func BeginHeaders(b []byte) []byte { return appendFrame(b, 0, headers, 0, 0) }

// EndHeaders completes the frame that BeginHeaders began at b[at]; the header block extends to the
// end of b. end says that no body follows. A long block gets CONTINUATION frames.
func EndHeaders(b []byte, at int, stream uint32, end bool) []byte {
	k, flags := headers, flag(end, endStream)
	for {
		size := len(b) - at - FrameHeader
		if size <= MaxFrame {
			appendFrame(b[:at], size, k, flags|endHeaders, stream)
			return b
		}
		appendFrame(b[:at], MaxFrame, k, flags, stream)
		at += FrameHeader + MaxFrame
		b = append(b, make([]byte, FrameHeader)...)
		copy(b[at+FrameHeader:], b[at:])
		k, flags = continuation, 0
	}
}

func flag(on bool, f byte) byte {
	if on {
		return f
	}
	return 0
}
