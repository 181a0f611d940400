package refserver

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// serveReversed answers with h until ctx ends; of what a connection has in the pipeline, the last first.
func serveReversed(ctx context.Context, ln net.Listener, h http.Handler) error {
	var all sync.WaitGroup
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	defer all.Wait()
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ctx.Err() != nil {
				err = nil
			}
			return err
		}
		all.Go(func() {
			hangUp := context.AfterFunc(ctx, func() { conn.Close() })
			defer conn.Close()
			defer hangUp()
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
}

// bytes is the answer on the wire.
func (a *reply) bytes() []byte {
	b := []byte("HTTP/1.1 " + strconv.Itoa(a.status) + " " + http.StatusText(a.status) + "\r\nDate: " + time.Now().UTC().Format(http.TimeFormat) + "\r\n")
	for name, values := range a.header {
		for _, value := range values {
			b = append(b, name+": "+value+"\r\n"...)
		}
	}
	if a.status != http.StatusNoContent {
		b = append(b, "Content-Length: "+strconv.Itoa(len(a.body))+"\r\n"...)
	}
	b = append(b, "\r\n"...)
	return append(b, a.body...)
}
