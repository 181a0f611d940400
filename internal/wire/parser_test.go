package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer writes frames with x/net.
type peer struct {
	*xhttp2.Framer
	out, block bytes.Buffer
	hpack      *hpack.Encoder
}

func newPeer() *peer {
	p := &peer{}
	p.Framer = xhttp2.NewFramer(&p.out, nil)
	p.Framer.AllowIllegalWrites = true
	p.hpack = hpack.NewEncoder(&p.block)
	return p
}

func (p *peer) head(stream uint32, end bool, pairs ...string) {
	p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: stream, BlockFragment: encode(p.hpack, &p.block, pairs...),
		EndStream: end, EndHeaders: true})
}

// script writes frames of every kind.
func script(p *peer) {
	p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 100},
		xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1 << 20})
	p.WriteSettingsAck()
	p.WriteWindowUpdate(0, 1<<20)
	p.head(1, false, ":status", "200", "content-length", "5")
	p.WriteData(1, false, []byte("val"))
	p.WritePing(false, [8]byte{1, 2, 3})
	p.WritePing(true, [8]byte{})
	p.WriteData(1, true, []byte("ue"))
	block := encode(p.hpack, &p.block, ":status", "404", "x", strings.Repeat("y", 40))
	p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 3, BlockFragment: block[:7], PadLength: 3,
		Priority: xhttp2.PriorityParam{StreamDep: 1, Weight: 3}})
	p.WriteContinuation(3, false, block[7:7])
	p.WriteContinuation(3, true, block[7:])
	p.WriteDataPadded(3, false, []byte("padded"), make([]byte, 9))
	p.WriteDataPadded(3, false, nil, make([]byte, 9))
	p.WriteData(3, false, nil)
	p.WriteRawFrame(0x10, 0xff, 0, []byte("unknown"))
	p.WritePriority(3, xhttp2.PriorityParam{})
	p.head(3, true, "grpc-status", "0")
	p.WriteRSTStream(5, xhttp2.ErrCodeRefusedStream)
	p.WriteWindowUpdate(7, 12)
	p.WriteGoAway(7, xhttp2.ErrCodeEnhanceYourCalm, []byte("calm"))
}

// events describes the events that p reads from b, given in pieces of size; DATA frames are put
// together. The error is the last.
func events(b []byte, size int) (list []string, err error) {
	var p HTTP2Parser
	p.Reset()
	var rest, body []byte
	var counted int64
	for len(b) > 0 {
		k := min(size, len(b))
		rest, b = append(rest, b[:k]...), b[k:]
		for {
			n, ev, err := p.Feed(rest)
			rest = rest[n:]
			if err != nil {
				return list, err
			}
			if ev == HTTP2More {
				break
			}
			switch ev {
			case Headers:
				list = append(list, fmt.Sprintf("headers %d %v %d %q %v", p.Stream, p.End, p.Head.Status, p.Head.Fields,
					p.Head.Malformed != ""))
			case Data:
				body, counted = append(body, p.Piece...), counted+p.Size
				if p.left == 0 {
					list = append(list, fmt.Sprintf("data %d %v %q %d", p.Stream, p.End, body, counted))
					body, counted = body[:0], 0
				}
			case Reset:
				list = append(list, fmt.Sprintf("reset %d %v", p.Stream, p.Code))
			case Settled:
				text := "settings"
				for i := 0; ; i++ {
					s, ok := p.Setting(i)
					if !ok {
						break
					}
					text += fmt.Sprint(" ", s.ID, "=", s.Value)
				}
				list = append(list, text)
			case Acked:
				list = append(list, "acked")
			case Pinged:
				list = append(list, fmt.Sprint("ping ", p.Opaque))
			case GoAway:
				list = append(list, fmt.Sprintf("go away %d %v %q", p.Stream, p.Code, p.Piece))
			case Window:
				list = append(list, fmt.Sprint("window ", p.Stream, p.Size))
			}
		}
	}
	return list, nil
}

// theirs describes the events that x/net reads from b, as events does. It ends at frames that x/net
// judges more strictly than Parser.
func theirs(b []byte) (list []string, err error) {
	f := xhttp2.NewFramer(nil, bytes.NewReader(b))
	f.ReadMetaHeaders = hpack.NewDecoder(TableSize, nil)
	f.SetMaxReadFrameSize(MaxFrame)
	for {
		frame, err := f.ReadFrame()
		var broken xhttp2.StreamError
		if errors.As(err, &broken) && broken.Code == xhttp2.ErrCodeProtocol {
			list = append(list, fmt.Sprintf("malformed %d", broken.StreamID))
			continue
		}
		if err != nil {
			return list, err
		}
		switch f := frame.(type) {
		case *xhttp2.MetaHeadersFrame:
			status, lines := 0, ""
			for _, one := range f.Fields {
				if one.IsPseudo() {
					fmt.Sscan(one.Value, &status)
				} else {
					lines += one.Name + ": " + one.Value + "\r\n"
				}
			}
			list = append(list, fmt.Sprintf("headers %d %v %d %q false", f.StreamID, f.StreamEnded(), status, lines))
		case *xhttp2.DataFrame:
			if f.Length > 0 || f.StreamEnded() {
				list = append(list, fmt.Sprintf("data %d %v %q %d", f.StreamID, f.StreamEnded(), f.Data(), f.Length))
			}
		case *xhttp2.RSTStreamFrame:
			list = append(list, fmt.Sprintf("reset %d %v", f.StreamID, HTTP2Code(f.ErrCode)))
		case *xhttp2.SettingsFrame:
			if f.IsAck() {
				list = append(list, "acked")
				continue
			}
			text := "settings"
			for i := range f.NumSettings() {
				s := f.Setting(i)
				text += fmt.Sprint(" ", uint16(s.ID), "=", s.Val)
			}
			list = append(list, text)
		case *xhttp2.PingFrame:
			if !f.IsAck() {
				list = append(list, fmt.Sprint("ping ", f.Data))
			}
		case *xhttp2.GoAwayFrame:
			list = append(list, fmt.Sprintf("go away %d %v %q", f.LastStreamID, HTTP2Code(f.ErrCode), f.DebugData()))
		case *xhttp2.WindowUpdateFrame:
			list = append(list, fmt.Sprint("window ", f.StreamID, int64(f.Increment)))
		case *xhttp2.PushPromiseFrame:
			return list, errors.New("push")
		}
	}
}

func TestParser(t *testing.T) {
	p := newPeer()
	script(p)
	stream := p.out.Bytes()
	want, _ := theirs(stream)
	if len(want) != 14 {
		t.Fatalf("%d events: %q", len(want), want)
	}
	for _, size := range []int{len(stream), 1, 2, 7, 50} {
		got, err := events(stream, size)
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("in pieces of %d: %q, %v; x/net reads %q", size, got, err, want)
		}
	}
}

// TestReset: no state from a connection that ended anywhere is left for the next.
func TestReset(t *testing.T) {
	p := newPeer()
	script(p)
	stream := p.out.Bytes()
	for cut := range stream {
		var p HTTP2Parser
		p.Reset()
		for b, ev := stream[:cut], Settled; ev != HTTP2More; {
			var n int
			var err error
			if n, ev, err = p.Feed(b); err != nil {
				t.Fatal(err)
			}
			b = b[n:]
		}
		p.Reset()
		if _, ev, err := p.Feed(stream); ev != Settled || err != nil {
			t.Errorf("after %d bytes: %v, %v", cut, ev, err)
		}
	}
}

// TestViolations: connection errors, by their RFC 9113 names.
func TestViolations(t *testing.T) {
	raw := func(k kind, flags byte, stream uint32, payload string) string {
		return string(appendFrame(nil, len(payload), k, flags, stream)) + payload
	}
	start := raw(settings, 0, 0, "")
	full := raw(continuation, 0, 1, strings.Repeat("\x88", MaxFrame))
	for name, c := range map[string]struct {
		bytes string
		code  HTTP2Code
	}{
		"http/1":               {"HTTP/1.1 400 Bad Request\r\n\r\n", ProtocolError},
		"http/1, short":        {"HTTP/1.1", ProtocolError},
		"no settings":          {raw(ping, 0, 0, "12345678"), ProtocolError},
		"ack first":            {raw(settings, ack, 0, ""), ProtocolError},
		"too large":            {start + raw(0x77, 0, 0, strings.Repeat("x", MaxFrame+1)), FrameSizeError},
		"settings of 5":        {raw(settings, 0, 0, "12345"), FrameSizeError},
		"ack of 6":             {start + raw(settings, ack, 0, "123456"), FrameSizeError},
		"settings of a stream": {raw(settings, 0, 1, ""), ProtocolError},
		"ping of a stream":     {start + raw(ping, 0, 1, "12345678"), ProtocolError},
		"ping of 7":            {start + raw(ping, 0, 0, "1234567"), FrameSizeError},
		"go away of a stream":  {start + raw(goAway, 0, 1, "12345678"), ProtocolError},
		"go away of 7":         {start + raw(goAway, 0, 0, "1234567"), FrameSizeError},
		"data of stream 0":     {start + raw(data, 0, 0, "x"), ProtocolError},
		"headers of stream 0":  {start + raw(headers, endHeaders, 0, ""), ProtocolError},
		"reset of stream 0":    {start + raw(rstStream, 0, 0, "1234"), ProtocolError},
		"reset of 3":           {start + raw(rstStream, 0, 1, "123"), FrameSizeError},
		"window of 5":          {start + raw(windowUpdate, 0, 1, "12345"), FrameSizeError},
		"priority of 4":        {start + raw(priority, 0, 1, "1234"), FrameSizeError},
		"push":                 {start + raw(pushPromise, endHeaders, 1, "1234"), ProtocolError},
		"continuation":         {start + raw(continuation, endHeaders, 1, ""), ProtocolError},
		"not continued":        {start + raw(headers, 0, 1, "") + raw(ping, 0, 0, "12345678"), ProtocolError},
		"continued elsewhere":  {start + raw(headers, 0, 1, "") + raw(continuation, endHeaders, 3, ""), ProtocolError},
		"padding of data":      {start + raw(data, padded, 1, "\x05xxxx"), ProtocolError},
		"padded data of 0":     {start + raw(data, padded, 1, ""), FrameSizeError},
		"padding of headers":   {start + raw(headers, padded|endHeaders, 1, "\x05xxxx"), ProtocolError},
		"padded headers of 0":  {start + raw(headers, padded|endHeaders, 1, ""), FrameSizeError},
		"priority cut":         {start + raw(headers, prioritized|endHeaders, 1, "1234"), FrameSizeError},
		"index 0":              {start + raw(headers, endHeaders, 1, "\x80"), CompressionError},
		"index in no table":    {start + raw(headers, endHeaders, 1, "\xbe"), CompressionError},
		"name in no table":     {start + raw(headers, endHeaders, 1, "\x7f\x00\x01x"), CompressionError},
		"field cut":            {start + raw(headers, endHeaders, 1, "\x40\x05xxxx"), CompressionError},
		"number cut":           {start + raw(headers, endHeaders, 1, "\xff\x80"), CompressionError},
		"table too large":      {start + raw(headers, endHeaders, 1, "\x3f\xe2\x1f"), CompressionError},
		"table resized within": {start + raw(headers, endHeaders, 1, "\x88\x20"), CompressionError},
		"huffman":              {start + raw(headers, endHeaders, 1, "\x00\x81\x00\x01x"), CompressionError},
		"block too large":      {start + raw(headers, 0, 1, "") + full + full + full, EnhanceYourCalm},
	} {
		for _, size := range []int{len(c.bytes), 1} {
			_, err := events([]byte(c.bytes), size)
			var e *HTTP2Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(err.Error(), c.code.String()) {
				t.Errorf("%s, in pieces of %d: %v; want %v", name, size, err, c.code)
			}
		}
	}
}

// FuzzParser: x/net reads the same frames alike, and cutting the stream differently changes
// nothing.
func FuzzHTTP2Parser(f *testing.F) {
	p := newPeer()
	script(p)
	begin := AppendSettings(nil)
	f.Add(p.out.Bytes(), uint8(0))
	f.Add(p.out.Bytes()[:40], uint8(3))
	f.Add(append(bytes.Clone(begin), "\x00\x00\x01\x00\x08\x00\x00\x00\x01\x00"...), uint8(9))
	f.Fuzz(func(t *testing.T, stream []byte, step uint8) {
		stream = append(bytes.Clone(begin), stream...)
		got, err := events(stream, len(stream))
		again, err2 := events(stream, int(step)+1)
		if strings.Join(got, "\n") != strings.Join(again, "\n") || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("at once %q, %v\nin pieces of %d %q, %v", got, err, int(step)+1, again, err2)
		}
		want, theirErr := theirs(stream)
		for i, event := range got {
			switch {
			case i >= len(want):
				// x/net judges values, too, and DATA without its padding is not there yet.
				var judged xhttp2.ConnectionError
				if !errors.As(theirErr, &judged) && !strings.HasPrefix(event, "data") {
					t.Fatalf("%q after %q; x/net: %v", event, got[:i], theirErr)
				}
				return
			case event == want[i] || strings.HasSuffix(event, "true"): // malformed here, if not there
			case strings.HasPrefix(want[i], "malformed") && !strings.HasPrefix(event, "headers"):
				return // a stream's window
			default:
				t.Fatalf("event %d: %q; x/net reads %q", i, event, want[i])
			}
		}
		if err != nil && len(want) > len(got) && !strings.HasPrefix(want[len(got)], "malformed") &&
			!strings.Contains(err.Error(), "within a header block (RFC 7541") {
			t.Fatalf("%v; x/net reads on: %q", err, want[len(got):])
		}
	})
}

// TestIsPreface: a server begins with SETTINGS for the connection, empty or not, and with nothing
// else.
func TestIsPreface(t *testing.T) {
	other := AppendSettings(nil)
	other[8] = 1 // for a stream
	long := AppendSettings(nil)
	long[2] = 5 // no whole settings
	for name, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"empty": {AppendSettings(nil), true}, "one": {append(AppendSettings(nil, HTTP2Setting{ID: 3, Value: 100}),
			"more"...), true},
		"acknowledgement": {AppendSettingsAck(nil), false}, "a stream's": {other, false}, "of part of one": {long, false},
		"a part": {AppendSettings(nil)[:8], false}, "HTTP/1.1": {[]byte("HTTP/1.1 200 OK\r\n\r\n"), false},
	} {
		if IsPreface(c.b) != c.want {
			t.Errorf("%s: want %t", name, c.want)
		}
	}
}
