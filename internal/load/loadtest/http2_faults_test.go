package loadtest

import "strings"

// violation is an answer that breaks RFC 9113, and the text that names how. One of a connection ends it;
// one of a stream does not.
type violation struct {
	name, text string
	answer     func(stream uint32) []frame
}

// one returns an answer of one frame.
func one(f frame) func(uint32) []frame { return func(uint32) []frame { return []frame{f} } }

// on returns an answer of one frame on the stream of the request.
func on(f frame) func(uint32) []frame {
	return func(stream uint32) []frame { return []frame{{f.kind, f.flags, stream, f.payload}} }
}

// block returns an answer with a header block.
func block(b ...byte) func(uint32) []frame {
	return on(frame{kind: headersFrame, flags: whole | ends, payload: b})
}

// section returns an answer with a header section, and nothing else.
func section(all ...string) func(uint32) []frame { return block(fields(all...)...) }

var connectionFaults = []violation{
	{"HEADERS of 16,385 bytes", "FRAME_SIZE_ERROR: HEADERS of 16385 bytes", block(make([]byte, 16385)...)},
	{"DATA of stream 0", "PROTOCOL_ERROR: DATA of stream 0", one(frame{kind: dataFrame, payload: []byte("x")})},
	{"HEADERS of stream 0", "PROTOCOL_ERROR: HEADERS of stream 0", one(head(0, ends, ":status", "200"))},
	{"RST_STREAM of stream 0", "PROTOCOL_ERROR: RST_STREAM of stream 0",
		one(frame{kind: resetFrame, payload: number(0)})},
	{"SETTINGS of a stream", "PROTOCOL_ERROR: SETTINGS of stream 1", one(frame{kind: settingsFrame, stream: 1})},
	{"SETTINGS of 7 bytes", "FRAME_SIZE_ERROR: SETTINGS of 7 bytes",
		one(frame{kind: settingsFrame, payload: make([]byte, 7)})},
	{"SETTINGS with ACK and content", "FRAME_SIZE_ERROR: SETTINGS of 6 bytes",
		one(frame{kind: settingsFrame, flags: acks, payload: make([]byte, 6)})},
	{"PING of 7 bytes", "FRAME_SIZE_ERROR: PING of 7 bytes", one(frame{kind: pingFrame, payload: make([]byte, 7)})},
	{"PING of a stream", "PROTOCOL_ERROR: PING of stream 1",
		one(frame{kind: pingFrame, stream: 1, payload: make([]byte, 8)})},
	{"GOAWAY of 7 bytes", "FRAME_SIZE_ERROR: GOAWAY of 7 bytes",
		one(frame{kind: goAwayFrame, payload: make([]byte, 7)})},
	{"GOAWAY of a stream", "PROTOCOL_ERROR: GOAWAY of stream 1",
		one(frame{kind: goAwayFrame, stream: 1, payload: make([]byte, 8)})},
	{"WINDOW_UPDATE of 3 bytes", "FRAME_SIZE_ERROR: WINDOW_UPDATE of 3 bytes",
		one(frame{kind: windowFrame, payload: make([]byte, 3)})},
	{"RST_STREAM of 5 bytes", "FRAME_SIZE_ERROR: RST_STREAM of 5 bytes",
		on(frame{kind: resetFrame, payload: make([]byte, 5)})},
	{"PRIORITY of 4 bytes", "FRAME_SIZE_ERROR: PRIORITY of 4 bytes",
		on(frame{kind: priorityFrame, payload: make([]byte, 4)})},
	{"CONTINUATION without HEADERS", "PROTOCOL_ERROR: CONTINUATION on stream",
		on(frame{kind: continuation, flags: whole})},
	{"DATA within a header block", "PROTOCOL_ERROR: DATA on stream", func(stream uint32) []frame {
		return []frame{{headersFrame, 0, stream, []byte{0x88}}, {dataFrame, ends, stream, []byte("value")}}
	}},
	{"CONTINUATION of another stream", "PROTOCOL_ERROR: CONTINUATION on stream", func(stream uint32) []frame {
		return []frame{{headersFrame, 0, stream, []byte{0x88}}, {continuation, whole, stream + 2, nil}}
	}},
	{"unknown frame within a header block", "PROTOCOL_ERROR: unknown frame type 0x20", func(stream uint32) []frame {
		return []frame{{headersFrame, 0, stream, []byte{0x88}}, {0x20, 0, stream, nil}}
	}},
	{"push", "PROTOCOL_ERROR: PUSH_PROMISE, although push is disabled",
		on(frame{kind: pushFrame, flags: whole, payload: append(number(2), fields(":method", "GET")...)})},
	{"padding beyond DATA", "PROTOCOL_ERROR: padding of 5 bytes in DATA of 3",
		on(frame{kind: dataFrame, flags: padded, payload: []byte{5, 1, 2}})},
	{"padding beyond HEADERS", "PROTOCOL_ERROR: padding of 9 bytes in HEADERS of 2",
		on(frame{kind: headersFrame, flags: padded | whole | ends, payload: []byte{9, 0x88}})},
	{"padded DATA of 0 bytes", "FRAME_SIZE_ERROR: padded DATA of 0 bytes", on(frame{kind: dataFrame, flags: padded})},
	{"priority cut off", "FRAME_SIZE_ERROR: HEADERS of 3 bytes with a priority",
		on(frame{kind: headersFrame, flags: prioritized | whole, payload: make([]byte, 3)})},
	{"HEADERS of an even stream", "PROTOCOL_ERROR: a frame of stream 2, which is idle",
		one(head(2, ends, ":status", "200"))},
	{"HEADERS of an idle stream", "which is idle", func(stream uint32) []frame { return right(stream + 1000) }},
	{"DATA of an idle stream", "which is idle", func(stream uint32) []frame { return right(stream + 1000)[1:] }},
	{"RST_STREAM of an idle stream", "which is idle", one(frame{kind: resetFrame, stream: 1001, payload: number(0)})},
	{"WINDOW_UPDATE of an idle stream", "which is idle",
		one(frame{kind: windowFrame, stream: 1001, payload: number(1)})},
	{"window of the connection too large", "FLOW_CONTROL_ERROR: WINDOW_UPDATE of 2147483647 bytes",
		one(frame{kind: windowFrame, payload: number(1<<31 - 1)})},
	{"window of the connection wider by nothing", "PROTOCOL_ERROR: WINDOW_UPDATE of 0 bytes",
		one(frame{kind: windowFrame, payload: number(0)})},
	{"initial window too large", "FLOW_CONTROL_ERROR: setting 4 is 2147483648", one(setting(initialWindow, 1<<31))},
	{"initial window that makes another too large", "FLOW_CONTROL_ERROR: setting 4 is 65536",
		func(stream uint32) []frame {
			return []frame{{windowFrame, 0, stream, number(1<<31 - 1 - 65535)}, setting(initialWindow, 65536)}
		}},
	{"push enabled", "PROTOCOL_ERROR: setting 2 is 1", one(setting(enablePush, 1))},
	{"frames too small", "PROTOCOL_ERROR: setting 5 is 100", one(setting(maxFrame, 100))},
	{"frames too large", "PROTOCOL_ERROR: setting 5 is 16777216", one(setting(maxFrame, 1<<24))},
	{"index 0", "COMPRESSION_ERROR: index 0 ", block(0x80)},
	{"index of nothing", "COMPRESSION_ERROR: index 62 ", block(0xbe)},
	{"name of nothing", "COMPRESSION_ERROR: index 70 ", block(0x0f, 70-15, 0)},
	{"field cut off", "COMPRESSION_ERROR: the header block ends", block(0, 5, 'a')},
	{"integer without an end", "COMPRESSION_ERROR: ",
		block(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)},
	{"Huffman's code cut off", "COMPRESSION_ERROR: a string is not in Huffman's code", block(0, 0x82, 0xff, 0xff, 0)},
	{"table larger than allowed", "COMPRESSION_ERROR: a table of 4097 bytes", block(0x3f, 0xe2, 0x1f)},
	{"table changes within a block", "COMPRESSION_ERROR: the size of the table", block(0x88, 0x20)},
	{"endless header block", "ENHANCE_YOUR_CALM: a header block of more than 32768 bytes", func(stream uint32) []frame {
		all := []frame{{headersFrame, 0, stream, []byte{0x88}}}
		for range 3 {
			all = append(all, frame{continuation, 0, stream, make([]byte, 16<<10)})
		}
		return all
	}},
}

var streamFaults = []violation{
	{"no status", "PROTOCOL_ERROR: no :status", section("a", "b")},
	{"status of letters", "PROTOCOL_ERROR: a :status that is no status code", section(":status", "20x")},
	{"status of two digits", "PROTOCOL_ERROR: a :status that is no status code", section(":status", "99")},
	{"two statuses", "PROTOCOL_ERROR: a second :status", section(":status", "200", ":status", "200")},
	{"status after a field", "PROTOCOL_ERROR: :status comes after", section("a", "b", ":status", "200")},
	{"pseudo-header field of a request", "PROTOCOL_ERROR: a pseudo-header field",
		section(":status", "200", ":path", "/")},
	{"unknown pseudo-header field", "PROTOCOL_ERROR: a pseudo-header field", section(":status", "200", ":x", "y")},
	{"upper case", "PROTOCOL_ERROR: a field that RFC 9113 8.2 forbids", section(":status", "200", "Server", "x")},
	{"connection field", "PROTOCOL_ERROR: a field that RFC 9113 8.2 forbids",
		section(":status", "200", "connection", "close")},
	{"transfer-encoding", "PROTOCOL_ERROR: a field that RFC 9113 8.2 forbids",
		section(":status", "200", "transfer-encoding", "chunked")},
	{"line feed in a value", "PROTOCOL_ERROR: a field that RFC 9113 8.2 forbids",
		section(":status", "200", "a", "b\nc")},
	{"two lengths", "PROTOCOL_ERROR: an invalid or conflicting content-length",
		section(":status", "200", "content-length", "5", "content-length", "6")},
	{"header section too large", "PROTOCOL_ERROR: a header section that exceeds the limit",
		func(stream uint32) []frame {
			b := append([]byte{0x88, 0x40}, fields("x", strings.Repeat("y", 3000))[1:]...)
			for range 20 {
				b = append(b, 0xbe)
			}
			return block(b...)(stream)
		}},
	{"status in trailers", "PROTOCOL_ERROR: :status in trailers", func(stream uint32) []frame {
		return []frame{head(stream, 0, ":status", "200"), head(stream, ends, ":status", "200")}
	}},
	{"trailers that do not end", "PROTOCOL_ERROR: trailers that do not end the stream", func(stream uint32) []frame {
		return []frame{head(stream, 0, ":status", "200"), head(stream, 0, "a", "b")}
	}},
	{"DATA before HEADERS", "PROTOCOL_ERROR: DATA before HEADERS",
		func(stream uint32) []frame { return right(stream)[1:] }},
	{"DATA behind an interim response", "PROTOCOL_ERROR: DATA before HEADERS", func(stream uint32) []frame {
		return []frame{head(stream, 0, ":status", "103"), right(stream)[1]}
	}},
	{"body cut short", "PROTOCOL_ERROR: content-length 6, but 5 bytes", func(stream uint32) []frame {
		return []frame{head(stream, 0, ":status", "200", "content-length", "6"), right(stream)[1]}
	}},
	{"length too short", "PROTOCOL_ERROR: content-length 4, but 5 bytes", func(stream uint32) []frame {
		return []frame{head(stream, 0, ":status", "200", "content-length", "4"), right(stream)[1]}
	}},
	{"whole body cut short", "PROTOCOL_ERROR: content-length 5, but 0 bytes",
		section(":status", "200", "content-length", "5")},
	{"101", "PROTOCOL_ERROR: an interim response that cannot be one", func(stream uint32) []frame {
		return []frame{head(stream, 0, ":status", "101"), right(stream)[0], right(stream)[1]}
	}},
	{"interim response that ends", "PROTOCOL_ERROR: an interim response that cannot be one", section(":status", "100")},
	{"window of the stream too large", "FLOW_CONTROL_ERROR: WINDOW_UPDATE of 2147483647 bytes",
		on(frame{kind: windowFrame, payload: number(1<<31 - 1)})},
	{"window of the stream wider by nothing", "PROTOCOL_ERROR: WINDOW_UPDATE of 0 bytes",
		on(frame{kind: windowFrame, payload: number(0)})},
}

// named returns what each fault makes of a load.
func named() (all []conversation) {
	sixty := map[string]int64{"parse": 60}
	for _, f := range connectionFaults {
		all = append(all, conversation{name: f.name, serve: breaks(f.answer), errors: sixty, text: f.text})
	}
	for _, f := range streamFaults {
		c := conversation{name: f.name, serve: answers(f.answer), errors: sixty, text: f.text, kept: true}
		if strings.HasSuffix(f.name, "cut short") {
			c.errors = map[string]int64{"truncated": 60}
		}
		all = append(all, c)
	}
	for code, name := range []string{"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR",
		"SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
		"CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED", "unknown error code 0xe"} {
		if name == "REFUSED_STREAM" { // the request is sent again
			continue
		}
		all = append(all, conversation{name: "RST_STREAM " + name, kept: true,
			serve:  answers(on(frame{kind: resetFrame, payload: number(uint32(code))})),
			errors: map[string]int64{"stream reset": 60}, text: "the server reset the stream: " + name})
	}
	return all
}
