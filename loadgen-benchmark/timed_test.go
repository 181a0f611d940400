//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno/internal/refserver"
)

// TestTimedServer: responses are never early, in each protocol, and the recorded times are within those that
// a client sees.
func TestTimedServer(t *testing.T) {
	const delay, requests = 20 * time.Millisecond, 6
	file := filepath.Join(t.TempDir(), certificate)
	if err := writeCertificate(file); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[protocol]string{http1: "HTTP/1.1", https: "HTTP/1.1", h2c: "HTTP/2.0", h2: "HTTP/2.0"} {
		t.Run(p.title(), func(t *testing.T) {
			s := &timedServer{delay: delay}
			for _, p := range []protocol{http1, p} {
				if err := s.listen(p, "127.0.0.1:0", file); err != nil {
					t.Fatal(err)
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var tallies []refserver.Tally
			var err error
			var wait sync.WaitGroup
			wait.Go(func() { tallies, err = s.serve(ctx) })

			var speaks http.Protocols
			speaks.SetHTTP1(!p.http2())
			speaks.SetHTTP2(p == h2)
			speaks.SetUnencryptedHTTP2(p == h2c)
			client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
				Protocols: &speaks}}
			var longest time.Duration
			var mu sync.Mutex
			var clients sync.WaitGroup
			for range requests { // concurrent: streams on one connection if the protocol has streams
				clients.Go(func() {
					start := time.Now()
					r, err := client.Get(p.scheme() + "://" + s.sides[1].ln.Addr().String() + "/")
					if err != nil {
						t.Error(err)
						return
					}
					defer r.Body.Close()
					body, err := io.ReadAll(r.Body)
					took := time.Since(start)
					if r.Proto != want || string(body) != "value" || err != nil || took < delay ||
						r.Header.Get("Content-Type") != "text/plain" || r.ContentLength != 5 {
						t.Errorf("%s, %v, %q, %v after %v", r.Proto, r.Header, body, err, took)
					}
					mu.Lock()
					defer mu.Unlock()
					longest = max(longest, took)
				})
			}
			clients.Wait()
			stop()
			wait.Wait()
			if err != nil || len(tallies) != 2 || tallies[0].Requests > 0 {
				t.Fatalf("%+v, %v", tallies, err)
			}
			tally := tallies[1]
			if tally.Requests != requests || tally.Service.P50NS < int64(delay) ||
				tally.Service.MaxNS > int64(longest)+int64(time.Millisecond) { // the histogram's rounding
				t.Errorf("%+v, %+v, %v; the client waited for %v at most", tally, tally.Service, err, longest)
			}
		})
	}
}

// TestPairedDelayRows: a p99 is judged by its difference from HTTP/1.1.
func TestPairedDelayRows(t *testing.T) {
	var text strings.Builder
	for _, r := range pairedDelay(h2c).rows {
		fmt.Fprintf(&text, "%s: %s: %s\n", r.name, r.what, r.barText())
	}
	const want = `delay-h2c-0ms-p99: error of service p99 in HTTP/2 in the clear − the same in HTTP/1.1, the true delay being 0 ms: 0.0 ± 100.0 µs
delay-h2c-1ms-p50: error of service p50 in HTTP/2 in the clear, the true delay being 1 ms: 0.0 ± 20.0 µs
delay-h2c-1ms-p99: error of service p99 in HTTP/2 in the clear − the same in HTTP/1.1, the true delay being 1 ms: 0.0 ± 100.0 µs
delay-h2c-5ms-p50: error of service p50 in HTTP/2 in the clear, the true delay being 5 ms: 0.0 ± 20.0 µs
delay-h2c-5ms-p99: error of service p99 in HTTP/2 in the clear − the same in HTTP/1.1, the true delay being 5 ms: 0.0 ± 100.0 µs
`
	if text.String() != want {
		t.Errorf("%s", &text)
	}
}

func TestTimedCommandRefuses(t *testing.T) {
	for _, args := range [][]string{{}, {"x", "", "h2", "127.0.0.1:0"}, {"1ms", os.DevNull, "h2", "127.0.0.1:0"},
		{"1ms", "", "h2c"}} {
		var stderr strings.Builder
		if code := run(append([]string{timedCommand}, args...), io.Discard, &stderr); code != exitFailed ||
			stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}
