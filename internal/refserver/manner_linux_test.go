package refserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

const value = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue"

// ask sends one request and reads the response; the error is the read's.
func ask(t *testing.T, conn net.Conn, r *bufio.Reader) (http.Header, error) {
	t.Helper()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return answer(r)
}

func answer(r *bufio.Reader) (http.Header, error) {
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err == nil && string(body) != "value" {
		err = fmt.Errorf("body %q", body)
	}
	return resp.Header, err
}

// told returns the time in timeHeader.
func told(t *testing.T, h http.Header) time.Duration {
	t.Helper()
	ns, err := strconv.ParseInt(h.Get(timeHeader), 10, 64)
	if err != nil || len(h.Get(timeHeader)) != 15 {
		t.Fatalf("%s %q: %v", timeHeader, h.Get(timeHeader), err)
	}
	return time.Duration(ns)
}

func TestTimedServerDelaysAndTellsHowLong(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		dial, stop := serve(t, Null{Response: []byte(value), Manner: Manner{Timed: true, Delay: delay}})
		conn := dial()
		r := bufio.NewReader(conn)
		var longest time.Duration
		for range 5 {
			start := time.Now()
			h, err := ask(t, conn, r)
			took := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			truth := told(t, h)
			longest = max(longest, truth)
			if truth < delay || truth > took {
				t.Errorf("delay %v: told %v, seen %v", delay, truth, took)
			}
		}
		conn.Close()
		got := stop()
		if s := got.Service; got.Requests != 5 || s == nil || s.Count != 5 || s.P50NS < int64(delay) ||
			s.P50NS > s.P99NS || s.MaxNS != int64(longest) {
			t.Errorf("delay %v: longest told %v, tally %+v, %+v", delay, longest, got, s)
		}
	}
}

// TestTimedServerHoldsMoreThanItsRing also lets several requests on one connection wait, including a HEAD.
func TestTimedServerHoldsMoreThanItsRing(t *testing.T) {
	const delay, n = 30 * time.Millisecond, 3000
	dial, stop := serve(t, Null{Response: []byte(value), Manner: Manner{Timed: true, Delay: delay}})
	gone, conn := dial(), dial()
	if _, err := io.WriteString(gone, "GET / HTTP/1.1\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	gone.Close() // its responses have no receiver
	go io.WriteString(conn, strings.Repeat("GET / HTTP/1.1\r\n\r\n", n)+"HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
	r := bufio.NewReader(conn)
	for i := range n {
		if h, err := answer(r); err != nil || told(t, h) < delay {
			t.Fatalf("answer %d: %v, %v", i, h, err)
		}
	}
	head, err := http.ReadResponse(r, &http.Request{Method: "HEAD"})
	if err != nil || told(t, head.Header) < delay {
		t.Fatalf("HEAD: %v", err)
	}
	if h, err := answer(r); err != nil || told(t, h) < delay {
		t.Fatalf("after HEAD: %v, %v", h, err)
	}
	if got := stop(); got.Requests < n+2 {
		t.Errorf("tally %+v", got)
	}
}

func TestTimedServerDoesNotAllocate(t *testing.T) {
	dial, stop := serve(t, Null{Response: []byte(value), Manner: Manner{Timed: true, Delay: 10 * time.Microsecond}})
	conn := dial()
	request := []byte("GET / HTTP/1.1\r\n\r\n")
	in := make([]byte, 4096)
	turn := func() {
		if _, err := conn.Write(request); err != nil {
			t.Fatal(err)
		}
		for got := 0; !bytes.HasSuffix(in[:got], []byte("value")); {
			n, err := conn.Read(in[got:])
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	}
	turn()
	if n := testing.AllocsPerRun(200, turn); n != 0 {
		t.Errorf("%v allocations for each request", n)
	}
	stop()
}
