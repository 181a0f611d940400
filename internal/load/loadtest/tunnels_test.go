package loadtest

import (
	"crypto/tls"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
)

// tunnels are about encrypted connections through an HTTP proxy.
var tunnels = map[string]func(*testing.T, load.Engine){"tunnels": tunnel, "tunnels: refused": noTunnel}

// serveTunnel starts a proxy, and returns it with a job for a server behind it. grant follows each CONNECT,
// and says whether the server, which is in its place, follows.
func serveTunnel(t *testing.T, grant func(*peer) bool) (*server, load.Job) {
	t.Helper()
	own, pool := certificate(t, nil)
	s := serve(t, "tcp", func(p *peer) {
		if !p.nextHead() || p.head[0] != "CONNECT server.test:443 HTTP/1.1" || !grant(p) {
			return
		}
		if _, _, ok := p.secure(&tls.Config{Certificates: []tls.Certificate{own}}, nil); ok {
			each(value)(p)
		}
	})
	j := job(s)
	j.Via, j.TLS = "server.test:443", &tls.Config{RootCAs: pool, ServerName: "localhost"}
	return s, j
}

// tunnel: a load through a tunnel for each connection, which the proxy grants in pieces.
func tunnel(t *testing.T, e load.Engine) {
	s, j := serveTunnel(t, func(p *peer) bool {
		p.say("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200")
		time.Sleep(time.Millisecond)
		p.say(" OK\r\nX-Proxy: 1\r\n\r\n")
		return true
	})
	for _, per := range []int{0, 3} {
		j.PerConnection = per
		before := s.accepted.Load()
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 60}, 0)
		if n := s.accepted.Load() - before; o.Succeeded != 60 || per == 0 && n != 4 || per > 0 && n < 20 {
			t.Errorf("%d per connection: %d tunnels, %+v", per, n, o.Load)
		}
	}
}

// noTunnel: what a proxy does in place of making a connection is its fault, not that of the handshake.
func noTunnel(t *testing.T, e load.Engine) {
	for want, grant := range map[string]func(*peer){
		"status 403 No": func(p *peer) { p.say("HTTP/1.1 403 No\r\n\r\n") },
		"no response":   func(p *peer) { linger(p) },
		"it closed":     hangUp,
		"longer than 32 K": func(p *peer) {
			for _, err := p.Write([]byte(interim)); err == nil; _, err = p.Write([]byte(interim)) {
			}
		},
	} {
		_, j := serveTunnel(t, func(p *peer) bool { grant(p); return false })
		j.ConnectTimeout = 300 * time.Millisecond
		if want != "no response" {
			j.ConnectTimeout = never
		}
		_, err := e.Open(t.Context(), j)
		if err == nil || load.Unconnected(err) != load.Dial || !strings.Contains(err.Error(), j.Addr+": ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		j.Lazy, j.Timeout = true, 300*time.Millisecond
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 4}, 0)
		failed := o.Errors["dial"]
		if failed == 0 || failed+o.NeverStarted != 4 || !strings.Contains(o.Detail.Texts["dial"], want) {
			t.Errorf("%s: a load: %+v, %v", want, o.Load, o.Detail.Texts)
		}
	}
}
