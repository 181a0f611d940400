//go:build !nofleet

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"dyno/internal/netns"

	"golang.org/x/sys/unix"
)

// TestDelayOfForwarder: a forwarder before the server that holds each request for 5 ms shows as that at the
// median, whatever the clocks of the generators: latencies are taken by one clock each. With DYNO_QUIET the
// bound is that of a machine on which nothing else runs.
func TestDelayOfForwarder(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes loads of a second")
	}
	const delay = 5 * time.Millisecond
	slack := 50 * time.Millisecond
	if os.Getenv("DYNO_QUIET") != "" {
		slack = 300 * time.Microsecond
	}
	h := newHosts(t)
	h.forward(delay)
	direct, behind := h.median(t, serverURL), h.median(t, "http://10.9.0.4:81/")
	t.Logf("%v directly, %v behind the forwarder", direct, behind)
	if added := behind - direct; behind < delay || added > delay+slack || slack < delay && added < delay-slack {
		t.Errorf("the median is %v, and %v behind a forwarder of %v", direct, behind, delay)
	}
}

// median returns the median of the time from sending a request to its answer, as the generators saw it.
func (h *hosts) median(t *testing.T, url string) time.Duration {
	t.Helper()
	for range 20 {
		l := h.load(url)
		end, err := l.wait()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(end, "did not start on time") {
			continue
		}
		var s struct {
			Succeeded int64
			Service   struct {
				P50NS int64 `json:"p50_ns"`
			}
		}
		if err := json.Unmarshal(l.stdout.Bytes(), &s); err != nil || s.Succeeded < planned/2 {
			t.Fatalf("%s: %v, %d of %d succeeded", end, err, s.Succeeded, planned)
		}
		return time.Duration(s.Service.P50NS)
	}
	t.Skip("this machine is too busy to begin a load on time")
	return 0
}

// forward forwards connections from port 81 of the server's host to the server, each byte to it later by
// a delay.
func (h *hosts) forward(delay time.Duration) {
	h.t.Helper()
	file := fmt.Sprintf("/proc/%d/ns/net", h.server.Process.Pid)
	var ln net.Listener
	if err := netns.Do(file, func() (err error) { ln, err = net.Listen("tcp", "10.9.0.4:81"); return err }); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			var server net.Conn
			if err := netns.Do(file, func() (err error) { server, err = net.Dial("tcp", "10.9.0.4:80"); return err }); err != nil {
				client.Close()
				continue
			}
			go pass(client, server, delay)
			go pass(server, client, 0)
		}
	}()
}

// pass passes on what comes, each piece a delay later, in order. It closes both ends.
func pass(from, to net.Conn, delay time.Duration) {
	type piece struct {
		due   time.Time
		bytes []byte
	}
	pieces := make(chan piece, 1000)
	go func() {
		defer close(pieces)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			if err != nil {
				return
			}
			pieces <- piece{time.Now().Add(delay), b[:n]}
		}
	}()
	for p := range pieces {
		for left := time.Until(p.due); left > 0; left = time.Until(p.due) {
			// The runtime's own timers are late by up to a millisecond when nothing else happens.
			nap := unix.NsecToTimespec(int64(left))
			unix.Nanosleep(&nap, nil)
		}
		if _, err := to.Write(p.bytes); err != nil {
			break
		}
	}
	from.Close()
	to.Close()
	for range pieces {
	}
}
