package bench

import (
	"cmp"
	"fmt"

	"dyno/internal/plan"
	"dyno/internal/record"
	"dyno/internal/report"
	"dyno/internal/wire"
)

// negotiated returns an error if a TLS load's connections negotiated something else than its level
// asks for, or differ from one another or from the cell's first trial: its figures would then mix
// different things.
func (b *Bench) negotiated(name string, at record.Level, l *record.Load) error {
	switch asked := at.HTTP.TLS(); { // a URL itself says how to speak to it
	case name == b.run.Plan.Source(), !asked && len(l.TLS) == 0:
		return nil
	case len(l.TLS) == 0:
		return fmt.Errorf("%s: no connection over TLS was made", at.HTTP.Words())
	}
	first := l.TLS[0]
	for _, t := range b.run.Trials {
		if t.Contestant == name && len(t.Load.TLS) > 0 &&
			plan.AskingAt(b.run.Plan.LevelOf(t)) == plan.AskingAt(at) {
			first = t.Load.TLS[0]
			break
		}
	}
	for _, s := range l.TLS {
		// Without ALPN a server speaks HTTP/1.1 (RFC 9112 needs no negotiation); HTTP/2 needs it.
		if at.HTTP.TLS() && s.ALPN != at.HTTP.ALPN() && (s.ALPN != "" || at.HTTP.Two()) {
			return fmt.Errorf("%s was asked for, but %d connections negotiated %s", at.HTTP.Words(), s.Connections,
				session(s))
		}
		if !sameSession(first, s) {
			return fmt.Errorf("its connections did not all negotiate the same: %s, and %s; figures of different "+
				"encryption cannot be taken together", session(first), session(s))
		}
	}
	return nil
}

// sameSession reports whether two sessions have the same cost per byte and the same handshake. A
// resumed session may name no group.
func sameSession(a, b record.TLSSession) bool {
	group := a.Group == b.Group || a.Group == "" && a.Resumed || b.Group == "" && b.Resumed
	return a.Version == b.Version && a.Suite == b.Suite && a.ALPN == b.ALPN && group
}

// session describes a connection's TLS session.
func session(s record.TLSSession) string {
	return s.Words() + cmp.Or(report.Led(", ALPN ", s.ALPN), ", no ALPN")
}

// forms returns the HTTP forms that a contestant is asked in, the first loaded first.
func forms(asked []plan.Asking) (list []wire.HTTP) {
	seen := map[wire.HTTP]bool{}
	for _, a := range asked {
		if !seen[a.HTTP] {
			seen[a.HTTP] = true
			list = append(list, a.HTTP)
		}
	}
	return list
}
