//go:build !gonet

package loop

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// A window counts only its own connections' segments: those it began with, from then on, and those
// dialled and closed in it.
func TestSegments(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "value")
	}))
	defer server.Close()
	s := twoRequests()
	s.Requests = s.Requests[:1]
	for each, connections := range map[int]int64{0: 4, 1: 100} {
		session := connect(t, load.Job{Endpoint: wire.TCP(server.Listener.Addr().String()), Scenario: s, Connections: 4,
			Workers: 2, PerConnection: each})
		for range 2 {
			l, err := session.Run(t.Context(), load.Window{Requests: 100})
			if err != nil || l.Succeeded != 100 {
				t.Fatalf("%v: %+v", err, l)
			}
			n := l.Network
			if n == nil || n.Connections < connections || n.Connections > connections+4 || n.Sent < 100 || n.Received < 100 ||
				n.Sent > 1500 || n.Received > 1500 || n.Lost() > n.Sent/2 {
				t.Fatalf("%d requests each: %+v", each, n)
			}
		}
		session.Close()
	}
}
