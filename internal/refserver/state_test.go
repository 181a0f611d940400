package refserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"net/http/httptest"

	"dyno/internal/scenario"
)

// TestSessionsAreForgotten: the reference does not grow without limit.
func TestSessionsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessions{cookie: "id", recent: map[string]string{}, turned: time.Now()}
		visit := func(id string) string {
			r := httptest.NewRequest("GET", "/", nil)
			r.AddCookie(&http.Cookie{Name: "id", Value: id})
			return s.open(httptest.NewRecorder(), r, true)
		}
		id := visit("none")
		s.keep(id, "x")
		for range 5 { // in use
			time.Sleep(sessionLife - time.Second)
			if visit(id) != id || s.holds(id) != "x" {
				t.Fatal("a session in use is forgotten")
			}
		}
		time.Sleep(sessionLife + time.Second)
		visit("none")
		time.Sleep(sessionLife + time.Second)
		if visit("none"); s.old[id] != "" || s.recent[id] != "" || visit(id) == id {
			t.Error("an old session is kept")
		}
	})
}

// TestRelayAsksOncePerConnection: the service's responses may change between trials, not within a trial.
func TestRelayAsksOncePerConnection(t *testing.T) {
	asked := 0
	ref := Reference{Ask: func(path string) ([]byte, error) {
		asked++
		return []byte(`["` + strings.Repeat("x", asked) + `"]`), nil
	},
		Scenario: &scenario.Scenario{Name: "x", Services: []scenario.Service{{Name: "records"}}, Requests: []scenario.Request{
			{Name: "relay", Method: "GET", Path: "/test", Weight: 1,
				Expect: scenario.Expect{Status: 200, JSONOf: "/data"}}}}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- ref.Serve(ctx, ln) }()
	for i, want := range []string{`["x"]`, `["xx"]`} {
		client := http.Client{Transport: &http.Transport{}}
		for range 3 {
			resp, err := client.Get("http://" + ln.Addr().String() + "/test")
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if string(b) != want {
				t.Errorf("connection %d: %s; want %s", i, b, want)
			}
		}
		client.CloseIdleConnections()
	}
	stop()
	if err := <-done; err != nil || asked != 2 {
		t.Error(asked, err)
	}
}
