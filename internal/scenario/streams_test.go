package scenario

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dyno/internal/wire"
)

// TestVerifyHTTP2 verifies a contract against another implementation: bodies larger than the windows, HEAD,
// drawn values, and sessions.
func TestVerifyHTTP2(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	s := &Scenario{Name: "x", Requests: []Request{
		{Name: "get", Method: "GET", Path: "/v/{id}", Weight: 1, With: map[string]Input{"id": {Int: [2]int64{1, 9}}},
			Expect: Expect{Status: 200, Body: new("value {id}"),
				Headers: map[string]string{"Content-Type": "text/plain"}}},
		{Name: "post", Method: "POST", Path: "/echo", Body: long, Weight: 1, Expect: Expect{Status: 200, Body: &long}},
		{Name: "head", Method: "HEAD", Path: "/v/1", Expect: Expect{Status: 200}},
	}}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			w.WriteHeader(505)
		}
		w.Header().Set("Content-Type", "text/plain")
		if id, ok := strings.CutPrefix(r.URL.Path, "/v/"); ok {
			io.WriteString(w, "value "+id)
			return
		}
		io.Copy(w, r.Body)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	to := wire.TCP(server.Listener.Addr().String())
	to.HTTP2 = true
	seen, err := Verify(t.Context(), s, to, nil, 0)
	if err != nil || seen.Requests != draws+2 || seen.BodyBytes != len("value 1") || seen.Framing["post"] != "stream" ||
		seen.Framing["get"] != "content-length" || seen.Framing["head"] != "none" {
		t.Errorf("%+v, %v", seen, err)
	}
	all, err := s.Answers(t.Context(), to)
	if err != nil || len(all) != draws+1 || !strings.HasPrefix(all[0].Sent, "GET /v/") ||
		all[0].Response.Status != 200 {
		t.Errorf("%+v, %v", all, err)
	}
	s.Requests[0].Expect.Body = new("other")
	if _, err := Verify(t.Context(), s, to, nil, 0); err == nil || !strings.Contains(err.Error(), " HTTP/2)") {
		t.Errorf("a wrong body: %v", err)
	}
	other := wire.TCP(raw(t, right))
	other.HTTP2 = true
	if err := Greet(t.Context(), other, time.Minute); err == nil || !strings.Contains(err.Error(), "HTTP/1") {
		t.Errorf("a server of HTTP/1.1: %v", err)
	}
	if err := Greet(t.Context(), to, time.Minute); err != nil {
		t.Error(err)
	}
}

// TestRejectsHTTP2: an answer that breaks RFC 9113 is an error.
func TestRejectsHTTP2(t *testing.T) {
	type say = func(*http2.Framer)
	head := func(stream uint32, end bool, pairs ...string) say {
		var block bytes.Buffer
		fields := hpack.NewEncoder(&block)
		for i := 0; i < len(pairs); i += 2 {
			fields.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1], Sensitive: true})
		}
		return func(f *http2.Framer) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndStream: end,
				EndHeaders: true})
		}
	}
	data := func(stream uint32, text string) say {
		return func(f *http2.Framer) { f.WriteData(stream, true, []byte(text)) }
	}
	for want, answer := range map[string][]say{
		"missing status pseudo header":               {head(1, true, "a", "b")},
		"stream ID 1; PROTOCOL_ERROR":                {data(1, "")},
		"read the response: unexpected EOF":          {head(1, true, ":status", "200", "content-length", "5")},
		"2 bytes of DATA, where a response has no":   {head(1, false, ":status", "204"), data(1, "ab")},
		"response: unexpected EOF":                   {head(1, false, ":status", "101")},
		`invalid header field name "Upper"`:          {head(1, true, ":status", "200", "Upper", "x")},
		"response: connection error: PROTOCOL_ERROR": {head(1, false, ":status", "200"), head(1, false, "a", "b")},
		"connection error: PROTOCOL_ERROR":           {data(3, "")},
		"unexpected EOF":                             nil,
		"stream ID 1; CANCEL": {func(f *http2.Framer) {
			f.WriteRSTStream(1, http2.ErrCodeCancel)
		}},
		"GOAWAY from server ErrCode:ENHANCE_YOUR_CALM": {func(f *http2.Framer) {
			f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("calm"))
		}},
		"FLOW_CONTROL_ERROR": {func(f *http2.Framer) { f.WriteWindowUpdate(0, 1<<31-1) }},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
			f := http2.NewFramer(conn, conn)
			f.AllowIllegalWrites = true
			f.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize})
			for {
				frame, err := f.ReadFrame()
				if err != nil {
					return
				}
				if _, ok := frame.(*http2.HeadersFrame); ok {
					for _, say := range answer {
						say(f)
					}
					conn.(*net.TCPConn).CloseWrite()
				}
			}
		}()
		to := wire.TCP(ln.Addr().String())
		to.HTTP2 = true
		_, err = (&Scenario{Requests: []Request{{Method: "GET", Path: "/", Weight: 1,
			Expect: Expect{Status: 200}}}}).Answers(t.Context(), to)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// TestNotProcessed: a request that a server did not process is sent again.
func TestNotProcessed(t *testing.T) {
	for name, leave := range map[string]func(f *http2.Framer, stream uint32){
		"GOAWAY":         func(f *http2.Framer, stream uint32) { f.WriteGoAway(stream-1, http2.ErrCodeNo, nil) },
		"REFUSED_STREAM": func(f *http2.Framer, stream uint32) { f.WriteRSTStream(stream, http2.ErrCodeRefusedStream) },
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		go func() {
			for {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				go func() { // does not answer the second request
					defer conn.Close()
					io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
					f := http2.NewFramer(conn, conn)
					for f.WriteSettings(); err == nil; {
						var frame http2.Frame
						frame, err = f.ReadFrame()
						if h, ok := frame.(*http2.HeadersFrame); ok && h.StreamID == 3 {
							leave(f, h.StreamID)
						} else if ok {
							f.WriteHeaders(http2.HeadersFrameParam{StreamID: h.StreamID, BlockFragment: []byte{0x88}, EndHeaders: true,
								EndStream: true})
						}
					}
				}()
			}
		}()
		to := wire.TCP(ln.Addr().String())
		to.HTTP2 = true
		all, err := (&Scenario{Requests: []Request{{Method: "GET", Path: "/{int:1..9}", Weight: 1,
			Expect: Expect{Status: 200}}}}).Answers(t.Context(), to)
		if err != nil || len(all) != draws {
			t.Errorf("%s: %d answers, %v", name, len(all), err)
		}
	}
}
