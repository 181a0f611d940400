package main

import (
	"encoding/json"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno/internal/wire"

	"golang.org/x/sys/unix"
)

// enough is how many loads on a calm machine a figure needs, of attempts.
const enough, attempts = 5, 30

// TestStartSkew: two machines begin a load within 1 ms of one another, as far as their clocks are known to one
// another. Loads beside which other programs used this machine do not count.
func TestStartSkew(t *testing.T) {
	onQuietMachine(t)
	h := newHosts(t)
	var apart, bounds []time.Duration
	for i := 0; i < attempts && len(apart) < enough; i++ {
		if s := h.undisturbed(serverURL); s != nil {
			a, b := s.Generators[0], s.Generators[1]
			apart = append(apart, max(a.BeganNS-b.BeganNS, b.BeganNS-a.BeganNS))
			bounds = append(bounds, max(a.BoundNS, b.BoundNS))
		}
	}
	if len(apart) < enough {
		t.Skipf("other programs use this machine: %d of %d loads were calm", len(apart), attempts)
	}
	slices.Sort(apart)
	t.Logf("starts are %v apart in the median of %d loads, %v at most; clocks are known to ± %v at worst",
		apart[enough/2], enough, apart[enough-1], slices.Max(bounds))
	if apart[enough/2] > time.Millisecond {
		t.Errorf("they begin %v apart in the median", apart[enough/2])
	}
}

// TestDelayOfForwarder: a forwarder before the server that holds each request for 5 ms shows as 5 ms to 5.3 at the
// median, whatever the clocks of the generators: latencies are taken by one clock each. Loads beside which
// other programs used this machine do not count.
func TestDelayOfForwarder(t *testing.T) {
	onQuietMachine(t)
	const delay, slack = 5 * time.Millisecond, 300 * time.Microsecond
	h := newHosts(t)
	h.forward(delay)
	var added []time.Duration
	for i := 0; i < attempts && len(added) < enough; i++ {
		direct, behind := h.undisturbed(serverURL), h.undisturbed("http://10.9.0.4:81/")
		if direct != nil && behind != nil {
			added = append(added, behind.Service.P50NS-direct.Service.P50NS)
		}
	}
	if len(added) < enough {
		t.Skipf("other programs use this machine: %d of %d pairs of loads were calm", len(added), attempts)
	}
	slices.Sort(added)
	t.Logf("a forwarder of %v adds %v to the median, %v to %v in %d pairs of loads", delay, added[enough/2], added[0],
		added[enough-1], enough)
	if off := added[enough/2] - delay; max(off, -off) > slack {
		t.Errorf("it adds %v in the median", added[enough/2])
	}
}

// onQuietMachine skips a test of times, which other programs decide, too.
func onQuietMachine(t *testing.T) {
	t.Helper()
	if os.Getenv("DYNO_QUIET") == "" {
		t.Skip("set DYNO_QUIET=1 on a machine on which nothing else runs")
	}
}

// fleetSummary is what dyno load --json says, as far as these tests read it.
type fleetSummary struct {
	Succeeded int64
	Service   struct {
		P50NS time.Duration `json:"p50_ns"`
	}
	Generators []struct {
		BeganNS time.Duration `json:"began_ns"`
		BoundNS time.Duration `json:"bound_ns"`
	}
}

// undisturbed makes a load. It returns nil if other programs used this machine right before or after, or if it was
// too busy to begin on time.
func (h *loadHosts) undisturbed(url string) *fleetSummary {
	h.t.Helper()
	if !calm(h.t) {
		return nil
	}
	l := h.load(url)
	end, err := l.wait()
	if err != nil {
		h.t.Fatal(err)
	}
	if strings.Contains(end, "did not start on time") || !calm(h.t) {
		return nil
	}
	s := &fleetSummary{}
	if err := json.Unmarshal(l.stdout.Bytes(), s); err != nil || s.Succeeded < planned/2 ||
		len(s.Generators) != generators {
		h.t.Fatalf("%s: %v, %+v", end, err, s)
	}
	return s
}

// calm reports whether all programs together use less than 5 % of this machine's CPUs for a while.
func calm(t *testing.T) bool {
	t.Helper()
	read := func() (used, all int64) {
		text, err := os.ReadFile("/proc/stat")
		if err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		for i, word := range strings.Fields(line)[1:9] { // user nice system idle iowait irq softirq steal
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if all += n; i != 3 && i != 4 {
				used += n
			}
		}
		return used, all
	}
	used, all := read()
	time.Sleep(300 * time.Millisecond)
	usedNow, allNow := read()
	return 20*(usedNow-used) < allNow-all
}

// forward forwards connections from port 81 of the server's host to the server, each byte to it later by
// a delay.
func (h *loadHosts) forward(delay time.Duration) {
	h.t.Helper()
	file := "/run/netns/" + h.id + "srv"
	var ln net.Listener
	if err := wire.InNamespace(file, func() (err error) {
		ln,
			err = net.Listen("tcp", "10.9.0.4:81")
		return err
	}); err != nil {
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
			if err := wire.InNamespace(file, func() (err error) {
				server,
					err = net.Dial("tcp", "10.9.0.4:80")
				return err
			}); err != nil {
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
