package refserver

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"time"
)

// serveReversed answers with h until ctx ends. It answers pipelined requests on a connection in reverse
// order.
func serveReversed(ctx context.Context, ln net.Listener, h http.Handler) error {
	return serveConns(ctx, ln, func(conn net.Conn) {
		in := bufio.NewReaderSize(conn, 64<<10)
		for {
			var answers [][]byte
			for len(answers) == 0 || in.Buffered() > 0 {
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					return
				}
				r.RemoteAddr = conn.RemoteAddr().String()
				a := newReply()
				h.ServeHTTP(a, r)
				answers = append(answers, a.bytes())
			}
			slices.Reverse(answers)
			if _, err := conn.Write(slices.Concat(answers...)); err != nil {
				return
			}
		}
	})
}

// bytes returns the response on the wire.
func (a *reply) bytes() []byte {
	a.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	r := http.Response{
		StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1, Header: a.header,
		Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}
	var b bytes.Buffer
	_ = r.Write(&b) // writing to a Buffer never fails
	return b.Bytes()
}
