package bench

import (
	"strings"
	"testing"

	"dyno/internal/result"
	"dyno/internal/wire"
)

// TestNegotiated: a cell over TLS has one kind of session, its level's.
func TestNegotiated(t *testing.T) {
	s := result.TLSSession{Version: "TLS 1.3", Suite: "TLS_AES_128_GCM_SHA256", Group: "X25519", ALPN: "h2",
		Connections: 10}
	change := func(f func(*result.TLSSession)) result.TLSSession { c := s; f(&c); return c }
	two, one := result.Level{Connections: 10, HTTP: wire.H2}, result.Level{Connections: 10, HTTP: wire.HTTPS}
	for _, c := range []struct {
		name string
		at   result.Level
		tls  []result.TLSSession
		want string
	}{
		{"in the clear", result.Level{Connections: 10}, nil, ""},
		{"without TLS in the clear", result.Level{HTTP: wire.H2C}, nil, ""},
		{"as asked", two, []result.TLSSession{s}, ""},
		{"resumed", two, []result.TLSSession{s, change(func(s *result.TLSSession) { s.Resumed, s.Group = true, "" })}, ""},
		{"none", two, nil, "no connection over TLS"},
		{"another protocol", two, []result.TLSSession{change(func(s *result.TLSSession) { s.ALPN = "http/1.1" })},
			"HTTP/2 over TLS was asked for, but 10 connections negotiated TLS 1.3"},
		{"no ALPN", two, []result.TLSSession{change(func(s *result.TLSSession) { s.ALPN = "" })}, "no ALPN"},
		{"no ALPN in HTTP/1.1", one, []result.TLSSession{change(func(s *result.TLSSession) { s.ALPN = "" })}, ""},
		{"HTTP/2 where HTTP/1.1 was asked", one, []result.TLSSession{s}, "HTTP/1.1 over TLS was asked for"},
		{"two suites", two, []result.TLSSession{s, change(func(s *result.TLSSession) { s.Suite = "other" })},
			"did not all negotiate the same"},
		{"a URL that says itself how it is spoken to", result.Level{}, []result.TLSSession{s}, ""},
		{"two suites at a URL", result.Level{},
			[]result.TLSSession{s, change(func(s *result.TLSSession) { s.Suite = "other" })}, "did not all negotiate the same"},
		{"another than before", two, []result.TLSSession{change(func(s *result.TLSSession) { s.Version = "TLS 1.2" })},
			"did not all negotiate the same"},
	} {
		b := Bench{run: &result.Run{Plan: result.Plan{Levels: []result.Level{two}}}}
		if c.name == "another than before" {
			b.run.Trials = []*result.Trial{{Contestant: "b", Load: result.Load{TLS: []result.TLSSession{c.tls[0]}}},
				{Contestant: "a", Load: result.Load{TLS: []result.TLSSession{s}}}}
		}
		err := b.negotiated("a", c.at, &result.Load{TLS: c.tls})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
