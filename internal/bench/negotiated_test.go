package bench

import (
	"strings"
	"testing"

	"dyno/internal/record"
	"dyno/internal/wire"
)

// TestNegotiated: a cell over TLS has one kind of session, its level's.
func TestNegotiated(t *testing.T) {
	s := record.TLSSession{Version: "TLS 1.3", Suite: "TLS_AES_128_GCM_SHA256", Group: "X25519", ALPN: "h2",
		Connections: 10}
	change := func(f func(*record.TLSSession)) record.TLSSession { c := s; f(&c); return c }
	two, one := record.Level{Connections: 10, HTTP: wire.H2}, record.Level{Connections: 10, HTTP: wire.HTTPS}
	for _, c := range []struct {
		name string
		at   record.Level
		tls  []record.TLSSession
		want string
	}{
		{"in the clear", record.Level{Connections: 10}, nil, ""},
		{"without TLS in the clear", record.Level{HTTP: wire.H2C}, nil, ""},
		{"as asked", two, []record.TLSSession{s}, ""},
		{"resumed", two, []record.TLSSession{s, change(func(s *record.TLSSession) { s.Resumed, s.Group = true, "" })}, ""},
		{"none", two, nil, "no connection over TLS"},
		{"another protocol", two, []record.TLSSession{change(func(s *record.TLSSession) { s.ALPN = "http/1.1" })},
			"HTTP/2 over TLS was asked for, but 10 connections negotiated TLS 1.3"},
		{"no ALPN", two, []record.TLSSession{change(func(s *record.TLSSession) { s.ALPN = "" })}, "no ALPN"},
		{"no ALPN in HTTP/1.1", one, []record.TLSSession{change(func(s *record.TLSSession) { s.ALPN = "" })}, ""},
		{"HTTP/2 where HTTP/1.1 was asked", one, []record.TLSSession{s}, "HTTP/1.1 over TLS was asked for"},
		{"two suites", two, []record.TLSSession{s, change(func(s *record.TLSSession) { s.Suite = "other" })},
			"did not all negotiate the same"},
		{"a URL that says itself how it is spoken to", record.Level{}, []record.TLSSession{s}, ""},
		{"two suites at a URL", record.Level{},
			[]record.TLSSession{s, change(func(s *record.TLSSession) { s.Suite = "other" })}, "did not all negotiate the same"},
		{"another than before", two, []record.TLSSession{change(func(s *record.TLSSession) { s.Version = "TLS 1.2" })},
			"did not all negotiate the same"},
	} {
		b := Bench{run: &record.Run{Plan: record.Plan{Levels: []record.Level{two}}}}
		if c.name == "another than before" {
			b.run.Trials = []*record.Trial{{Contestant: "b", Load: record.Load{TLS: []record.TLSSession{c.tls[0]}}},
				{Contestant: "a", Load: record.Load{TLS: []record.TLSSession{s}}}}
		}
		err := b.negotiated("a", c.at, &record.Load{TLS: c.tls})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
