package epoll

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno/internal/endpoint"
	"dyno/internal/load"
	"dyno/internal/scenario"
)

// h2c serves HTTP/2 in the clear by net/http.
func h2c(t testing.TB, h http.HandlerFunc) endpoint.Endpoint {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, Protocols: new(http.Protocols)}
	s.Protocols.SetUnencryptedHTTP2(true)
	go s.Serve(ln)
	t.Cleanup(func() { s.Close() })
	return endpoint.TCP(ln.Addr().String())
}

// TestHTTP2: closed and open loop, think time, several windows, bodies, all against net/http.
func TestHTTP2(t *testing.T) {
	value, long := "value", strings.Repeat("x", 200_000)
	s := &scenario.Scenario{Name: "values", Requests: []scenario.Request{
		{Name: "get", Method: "GET", Path: "/{int:1..9}", Weight: 3,
			Expect: scenario.Expect{Status: 200, Body: &value}},
		{Name: "post", Method: "POST", Path: "/", Body: long, Weight: 1,
			Expect: scenario.Expect{Status: 200, Body: &long}},
	}}
	to := h2c(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			w.WriteHeader(505)
		}
		if r.Method == "POST" {
			io.Copy(w, r.Body)
			return
		}
		io.WriteString(w, value)
	})
	for _, per := range []int{0, 3} {
		session := connect(t, load.Job{Endpoint: to, Scenario: s, Connections: 4, Pipeline: 10, HTTP2: true, Workers: 2,
			PerConnection: per, Timeout: 20 * time.Second})
		for name, win := range map[string]load.Window{
			"closed": {Requests: 2000},
			"open":   {Requests: 500, Schedule: &load.Schedule{Stages: []load.Stage{{From: 3000, To: 3000}}}},
			"think":  {Requests: 200, Think: load.Pause{Mean: time.Millisecond}},
		} {
			l, err := session.Run(t.Context(), win)
			if err != nil || l.Succeeded != win.Requests || l.Errored()+l.Failed > 0 {
				t.Errorf("%s, %d per connection: %+v, %v", name, per, l, err)
			}
		}
	}
}

// TestHTTP2TimesOut: a stream that is not answered times out alone.
func TestHTTP2TimesOut(t *testing.T) {
	value := "value"
	s := &scenario.Scenario{Name: "values", Requests: []scenario.Request{{Name: "get", Method: "GET",
		Path: "/{seq}", Weight: 1, Expect: scenario.Expect{Status: 200, Body: &value}}}}
	to := h2c(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "7") {
			<-r.Context().Done()
			return
		}
		io.WriteString(w, value)
	})
	session := connect(t, load.Job{Endpoint: to, Scenario: s, Connections: 1, Pipeline: 4, HTTP2: true,
		Timeout: time.Second})
	l, err := session.Run(t.Context(), load.Window{Requests: 20})
	if err != nil || l.Succeeded != 18 || l.Errors["timeout"] != 2 || session.Quiet() > 0 {
		t.Errorf("%+v, %v", l, err)
	}
}
