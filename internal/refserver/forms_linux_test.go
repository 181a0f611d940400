package refserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// inAllForms starts a reference server and returns an endpoint for each form of HTTP. The server ends with
// the test.
func inAllForms(t *testing.T, name string, s *scenario.Scenario) map[wire.HTTP]wire.Endpoint {
	t.Helper()
	id, err := wire.NewIdentity(filepath.Join(t.TempDir(), "tls"))
	if err != nil {
		t.Fatal(err)
	}
	control, _, err := ParseControl(name)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Scenarios: []*scenario.Scenario{s}, Addrs: map[wire.Listener]string{}, Cert: id.Cert, Key: id.Key}
	to := map[wire.HTTP]wire.Endpoint{}
	for _, h := range wire.Protocols {
		if o.Addrs[h.Listener()] == "" {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			o.Addrs[h.Listener()] = ln.Addr().String()
			ln.Close()
		}
		to[h] = wire.TCP(o.Addrs[h.Listener()]).Speaking(h, id)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := control.Run(ctx, o)
		done <- err
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	for _, e := range to {
		for range 1000 {
			c, err := net.Dial("tcp", e.Addr)
			if err == nil {
				c.Close()
				break
			}
			select {
			case err := <-done:
				done <- nil
				t.Fatalf("%s does not run: %v", name, err)
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	return to
}

// one returns a scenario with one response.
func one(method string) *scenario.Scenario {
	body := "value"
	return &scenario.Scenario{Name: "one", Requests: []scenario.Request{{Name: "one", Method: method, Path: "/{int:1..9}",
		Weight: 1, Expect: scenario.Expect{Status: 200, Body: &body,
			Headers: map[string]string{"Content-Type": "text/plain"}}}}}
}

func TestReferenceInAllForms(t *testing.T) {
	s := one("GET")
	for h, to := range inAllForms(t, "ref", s) {
		if _, err := scenario.Verify(t.Context(), s, to, nil, 0); err != nil {
			t.Errorf("%s: %v", h, err)
		}
	}
}

// TestNullInAllForms: another implementation gets the response on few connections, with many concurrent
// requests and with bodies that together exceed the flow-control windows.
func TestNullInAllForms(t *testing.T) {
	for h, to := range inAllForms(t, "null", one("POST")) {
		transport := &http.Transport{TLSClientConfig: to.TLS, Protocols: new(http.Protocols), MaxConnsPerHost: 2}
		transport.Protocols.SetHTTP1(!h.Two())
		transport.Protocols.SetHTTP2(h.Two() && h.TLS())
		transport.Protocols.SetUnencryptedHTTP2(h.Two() && !h.TLS())
		client := &http.Client{Transport: transport, Timeout: time.Minute}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 40 {
					sent := strings.NewReader(strings.Repeat("x", 9000))
					answer, err := client.Post(to.Scheme()+"://"+to.Addr+"/1", "text/plain", sent)
					if err != nil {
						t.Errorf("%s: %v", h, err)
						return
					}
					body, err := io.ReadAll(answer.Body)
					answer.Body.Close()
					if err != nil || string(body) != "value" || answer.StatusCode != 200 || answer.ProtoMajor == 2 != h.Two() ||
						answer.Header.Get("Content-Type") != "text/plain" {
						t.Errorf("%s: %s %d %q, %v", h, answer.Proto, answer.StatusCode, body, err)
						return
					}
				}
			})
		}
		all.Wait()
		transport.CloseIdleConnections()
	}
}

// TestNullHoldsBackWhatNobodyTakes: a body is sent only when it fits into the client's connection window.
func TestNullHoldsBackWhatNobodyTakes(t *testing.T) {
	body := strings.Repeat("y", 10_000)
	s := one("GET")
	s.Requests[0].Expect.Body = &body
	to := inAllForms(t, "null", s)[wire.H2]
	transport := &http.Transport{TLSClientConfig: to.TLS, ForceAttemptHTTP2: true,
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerConnection: 65_536, MaxReceiveBufferPerStream: 65_536}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: time.Minute}
	var open []*http.Response
	for range 20 { // more than the window
		answer, err := client.Get(to.Scheme() + "://" + to.Addr + "/1")
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, answer)
		if len(open) == 5 {
			for _, a := range open {
				if got, err := io.ReadAll(a.Body); err != nil || string(got) != body {
					t.Fatalf("%d bytes, %v", len(got), err)
				}
				a.Body.Close()
			}
			open = nil
		}
	}
}

// TestNullOnlyClear: OnlyClear excludes the scenarios whose requests the null server cannot tell apart in
// HTTP/2.
func TestNullOnlyClear(t *testing.T) {
	long, other := strings.Repeat("x", 20_000), "other"
	several, far := one("GET"), one("GET")
	several.Requests = append(several.Requests, one("POST").Requests...)
	several.Requests[1].Expect.Body = &other
	far.Requests[0].Expect.Body = &long
	for want, s := range map[string]*scenario.Scenario{"": one("GET"), "several responses": several,
		"HEAD": one("HEAD"), "longer than a frame": far} {
		n, _, err := NullOf(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := n.OnlyClear(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: %q", want, got)
		}
	}
	n := Null{Response: []byte("HTTP/1.1 200 OK\r\n\r\n"), Manner: Manner{Timed: true}}
	if n.OnlyClear() == "" {
		t.Error("a manner is of HTTP/1.1 in the clear")
	}
}
