package loadtest

import (
	"io"
	"net"
	"net/http"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// netHTTP loads another implementation: closed and open loop, several windows, long
// bodies, few requests per connection.
func netHTTP(t *testing.T, e load.Engine) {
	body, long := "value", big[:200_000]
	mix := &scenario.Scenario{Name: "values", Requests: []scenario.Request{
		{Name: "get", Method: "GET", Path: "/{int:1..9}", Weight: 3, Expect: scenario.Expect{Status: 200, Body: &body}},
		{Name: "post", Method: "POST", Path: "/", Body: long, Weight: 1,
			Expect: scenario.Expect{Status: 200, Body: &long}},
	}}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Protocols: new(http.Protocols),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor != 2 {
				w.WriteHeader(505)
			}
			if r.Method == "POST" {
				io.Copy(w, r.Body)
				return
			}
			io.WriteString(w, body)
		})}
	s.Protocols.SetUnencryptedHTTP2(true)
	go s.Serve(ln)
	defer s.Close()
	to := wire.TCP(ln.Addr().String())
	to.HTTP2 = true
	for _, per := range []int{0, 3} {
		session := open(t, e, load.Job{Endpoint: to, Scenario: mix, Connections: 4, Pipeline: 10, Workers: 2,
			PerConnection: per, Timeout: never})
		for name, win := range map[string]load.Window{
			"closed": {Requests: 2000},
			"open":   {Requests: 500, Schedule: constant(3000)},
		} {
			if l := run(t, session, win); l.Succeeded != win.Requests || l.Errored()+l.Failed > 0 {
				t.Errorf("%s, %d per connection: %+v", name, per, l)
			}
		}
	}
}
