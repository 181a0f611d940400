package refserver

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// null starts a plain null server on a unix socket and returns a connection to it.
func null(t *testing.T, response string) net.Conn {
	t.Helper()
	dial, _ := serve(t, Null{Response: []byte(response)})
	return dial()
}

// serve starts a null server on a unix socket: dial connects to it, stop ends it and returns its tally.
func serve(t *testing.T, n Null) (dial func() net.Conn, stop func() Tally) {
	t.Helper()
	dir, err := os.MkdirTemp("", "null") // t.TempDir may be too long for a socket's path
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	ctx, cancel := context.WithCancel(context.Background())
	var tally Tally
	done := make(chan error, 1)
	go func() {
		var err error
		tally, err = n.Serve(ctx, "unix", path)
		done <- err
	}()
	stop = sync.OnceValue(func() Tally {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
		return tally
	})
	t.Cleanup(func() { stop() })
	dial = func() net.Conn {
		t.Helper()
		for range 10_000 {
			if c, err := net.Dial("unix", path); err == nil {
				t.Cleanup(func() { c.Close() })
				return c
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatal("the null server does not come up")
		return nil
	}
	return dial, stop
}

func TestNullAnswersEachRequestOnce(t *testing.T) {
	const response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue"
	head := response[:len(response)-5]
	get := "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	post := "POST / HTTP/1.1\r\nHost: x\r\ncontent-LENGTH: 7\r\n\r\nGET\r\n\r\n"
	for _, c := range []struct{ name, send, want string }{
		{"one", get, response},
		{"pipelined", get + get + get, response + response + response},
		{"body", post + get, response + response},
		{"head", get + "HEAD / HTTP/1.1\r\n\r\n" + get, response + head + response},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := null(t, response)
			for _, step := range []int{len(c.send), 1, 5} {
				inSteps(t, conn, c.send, step, c.want)
			}
		})
	}
}

func TestNullEndsAConnectionAsItIsAsked(t *testing.T) {
	const response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue"
	const kept = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nvalue"
	next := "GET / HTTP/1.1\r\n\r\n"
	for _, c := range []struct {
		name, send, want string
		open             bool
	}{
		{"1.1", "GET / HTTP/1.1\r\n\r\n", response, true},
		{"1.1, keep-alive", "GET / HTTP/1.1\r\nConnection: keep-alive\r\n\r\n", response, true},
		{"1.1, close", "GET / HTTP/1.1\r\nCONNECTION:  Close\r\n\r\n", response, false},
		{"1.0", "GET / HTTP/1.0\r\nCookie: a\r\n\r\n", response, false},
		{"1.0, keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", kept, true},
		{"1.0, body", "POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", response, false},
		{"1.0, keep-alive, head", "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", kept[:len(kept)-5], true},
		{"after others", next + next + "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", response + response + response,
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, step := range []int{len(c.send), 1} {
				conn := null(t, response)
				inSteps(t, conn, c.send, step, c.want)
				if c.open {
					if _, err := conn.Write([]byte(next)); err != nil {
						t.Error(err)
					}
				}
				switch n, err := conn.Read(make([]byte, 1)); {
				case c.open && n != 1:
					t.Errorf("in steps of %d: it is closed: %v", step, err)
				case !c.open && err != io.EOF:
					t.Errorf("in steps of %d: %d bytes more, %v; want the end", step, n, err)
				}
			}
		})
	}
}

func TestNullKeepsWhatAClientIsSlowToRead(t *testing.T) {
	response := "HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + string(bytes.Repeat([]byte("x"), 9000))
	conn := null(t, response)
	const n = 2000
	go conn.Write(bytes.Repeat([]byte("GET / HTTP/1.1\r\n\r\n"), n))
	got, err := io.Copy(io.Discard, io.LimitReader(conn, int64(n*len(response))))
	if err != nil || got != int64(n*len(response)) {
		t.Errorf("%d bytes, want %d: %v", got, n*len(response), err)
	}
}

func TestNullResponseFollowsTheContract(t *testing.T) {
	body := "value"
	s := &scenario.Scenario{Requests: []scenario.Request{
		{Weight: 0, Expect: scenario.Expect{Status: 404}},
		{Weight: 1, Method: "GET", With: map[string]scenario.Input{"id": {}},
			Expect: scenario.Expect{Status: 201, Body: &body, Headers: map[string]string{"content-type": "text/x",
				"B": "2", "A": "1"}}},
	}}
	n, _, err := NullOf(s)
	want := "HTTP/1.1 201 OK\r\nA: 1\r\nB: 2\r\nContent-Type: text/x\r\nDate: Sat, 19 Aug 2017 12:00:00 " +
		"GMT\r\nContent-Length: 5\r\n\r\nvalue"
	if err != nil || string(n.Response) != want || n.Answers != nil {
		t.Errorf("%+v, %v", n, err)
	}
	body = "value {id}"
	if _, _, err := NullOf(s); err == nil {
		t.Error("a body that is drawn has no constant answer")
	}
}

// One server serves the loaded requests of several scenarios, with a new session each time until a request
// brings a cookie.
func TestNullHasAnAnswerForEachRequest(t *testing.T) {
	all := []*scenario.Scenario{shipped(t, "sessions"), shipped(t, "sessions-jar"), shipped(t, "templates"),
		shipped(t, "values-rest")}
	n, _, err := NullOf(all[0], all[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	dial, _ := serve(t, *n)
	addr := dial().RemoteAddr().String()
	for _, s := range all {
		loaded := *s
		loaded.Requests = slices.DeleteFunc(slices.Clone(s.Requests),
			func(r scenario.Request) bool { return r.Weight == 0 })
		to := wire.Endpoint{Network: "unix", Addr: addr}
		if _, err := scenario.Verify(t.Context(), &loaded, to, nil, 0); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	conn := dial()
	const ask = "GET /setget HTTP/1.1\r\nHost: x\r\n"
	io.WriteString(conn, ask+"\r\n"+ask+"\r\n"+ask+"cookie: a=b\r\n\r\n"+"HEAD /setget HTTP/1.1\r\n\r\n"+"GET /about "+
		"HTTP/1.1\r\n\r\n")
	var got []string
	r := bufio.NewReader(conn)
	for _, method := range []string{"GET", "GET", "GET", "HEAD", "GET"} {
		resp, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		got = append(got, resp.Header.Get("Set-Cookie")+string(body[:min(5, len(body))]))
	}
	if !strings.HasSuffix(got[0], "value") || len(got[0]) < 40 || len(got[0]) != len(got[1]) || got[0] == got[1] ||
		got[2] != "value" || !strings.HasPrefix(got[4], "<") {
		t.Errorf("%q", got)
	}
}

func TestNullAnswerWithoutAnEnd(t *testing.T) {
	for _, n := range []Null{{Response: []byte("HTTP/1.1 200 OK\r\n")},
		{Response: []byte("HTTP/1.1 200 OK\r\n\r\n"), Answers: []Answer{{Bytes: []byte("x")}}}} {
		if _, err := n.Serve(t.Context(), "unix", filepath.Join(t.TempDir(), "s")); err == nil {
			t.Errorf("%+v was served", n)
		}
	}
}

// inSteps sends step bytes at a time, and checks the response.
func inSteps(t *testing.T, conn io.ReadWriter, send string, step int, want string) {
	t.Helper()
	for b := []byte(send); len(b) > 0; {
		k := min(step, len(b))
		if _, err := conn.Write(b[:k]); err != nil {
			t.Fatal(err)
		}
		b = b[k:]
	}
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Errorf("in steps of %d: %q, %v; want %q", step, got, err, want)
	}
}
