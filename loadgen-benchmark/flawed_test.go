//go:build linux

package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// connected returns a client's end of a connection to a flawed server.
func connected(t *testing.T, s *flawedServer) (net.Conn, *bufio.Reader) {
	client, server := net.Pipe()
	go s.serve(server)
	t.Cleanup(func() { client.Close() })
	return client, bufio.NewReader(client)
}

func askFlawed(c net.Conn, in *bufio.Reader) error {
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	r, err := http.ReadResponse(in, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// TestDrop: every fourth request over all connections is dropped.
func TestDrop(t *testing.T) {
	s := &flawedServer{}
	for i, c := 1, net.Conn(nil); i <= 12; i++ {
		var in *bufio.Reader
		c, in = connected(t, s)
		if err := askFlawed(c, in); (err != nil) != (i%dropEvery == 0) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if n := s.requests.Load(); n != 12 {
		t.Errorf("%d requests", n)
	}
}

// TestStall: a request within the stall is answered at its end.
func TestStall(t *testing.T) {
	s := &flawedServer{stalls: true, start: time.Now().Add(-stallEvery + stallFor)}
	c, in := connected(t, s)
	if err := askFlawed(c, in); err != nil || time.Since(s.start) < stallEvery {
		t.Errorf("answered %v after the start: %v", time.Since(s.start), err)
	}
	began := time.Now()
	if err := askFlawed(c, in); err != nil || time.Since(began) > stallFor/2 {
		t.Errorf("answered after %v: %v", time.Since(began), err)
	}
}

func TestFlawedRefuses(t *testing.T) {
	for _, args := range [][]string{{}, {"stall"}, {"slow", "127.0.0.1:0"}} {
		var stderr strings.Builder
		if code := run(append([]string{flawedCommand}, args...), io.Discard, &stderr); code != exitFailed ||
			stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}
