package loadtest

import (
	"crypto/tls"
	"strings"
	"sync/atomic"
	"testing"

	"dyno/internal/load"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// fault is what a server says over TLS after the handshake, and how an engine must count it.
type fault struct {
	name   string
	legacy bool // over TLS 1.2
	job    func(*load.Job)
	serve  func(*peer, *sealer)
	// kind is of the errors that all requests are, and text is in their message; "": all are answered,
	// but those that came as the server closed.
	kind, text string
	unnotified bool // connections are closed without close_notify
	impatient  bool // what counts is the patience
}

// half and rest are the two parts of value.
var half, rest = value[:len(value)-2], value[len(value)-2:]

// first lets a script go on after the first request of a connection.
func first(f func(*peer, *sealer)) func(*peer, *sealer) {
	return func(p *peer, s *sealer) {
		if p.next() {
			f(p, s)
		}
	}
}

// says sends records once a request is there, then waits for the client to go.
func says(kind byte, texts ...string) func(*peer, *sealer) {
	return first(func(p *peer, s *sealer) {
		s.say(kind, texts...)
		linger(p)
	})
}

// every lets a script answer every request.
func every(f func(*sealer)) func(*peer, *sealer) {
	return func(p *peer, s *sealer) {
		for p.next() {
			f(s)
		}
	}
}

func single(s string) []string { return strings.Split(s, "") }

// wide has an answer whose body is larger than a record.
func wide(j *load.Job) {
	body := big[:1<<14]
	j.Scenario.Requests[0].Expect = scenario.Expect{Status: 200, Body: &body}
}

var faults = []fault{
	// What must be borne.
	{name: "a record for each byte", serve: every(func(s *sealer) { s.say(data, single(value)...) })},
	{name: "a segment for each byte", serve: every(func(s *sealer) { s.drip(s.seal(data, value)) })},
	{name: "a segment for each byte, TLS 1.2", legacy: true,
		serve: every(func(s *sealer) { s.drip(s.seal(data, value)) })},
	{name: "records split at every boundary", serve: func(p *peer, s *sealer) {
		for p.next() {
			b := append(s.seal(data, half), s.seal(data, rest)...)
			at := p.n * 7 % len(b)
			s.raw(b[:at])
			s.raw(b[at:])
		}
	}},
	{name: "all answers in one record", job: deep, serve: func(p *peer, s *sealer) {
		for p.next() {
			n := 1
			for ; p.r.Buffered() > 0 && p.next(); n++ {
			}
			s.say(data, strings.Repeat(value, n))
		}
	}},
	{name: "a record of 2^14 bytes", job: wide, serve: every(func(s *sealer) {
		s.say(data, strings.Replace(value, "5\r\n\r\nvalue", "16384\r\n\r\n", 1), big[:1<<14])
	})},
	{name: "empty records", serve: every(func(s *sealer) { s.say(data, "", "", half, "", rest, "") })},
	{name: "padded records", serve: every(func(s *sealer) {
		s.pad = 200
		s.say(data, half, rest)
	})},
	{name: "a key update", serve: every(func(s *sealer) {
		s.say(data, half)
		s.say(handshake, keyUpdate)
		s.update()
		s.say(data, rest)
	})},
	{name: "a key update that requests one", serve: every(func(s *sealer) {
		s.say(handshake, keyUpdateToo)
		s.update()
		s.say(data, value)
	})},
	{name: "a key update in pieces", serve: every(func(s *sealer) {
		s.say(handshake, single(keyUpdate)...)
		s.update()
		s.say(data, value)
	})},
	{name: "a ticket within an answer", serve: every(func(s *sealer) {
		s.say(data, half)
		s.say(handshake, ticket)
		s.say(data, rest)
	})},
	{name: "tickets in one record, and in pieces", serve: every(func(s *sealer) {
		s.say(handshake, ticket+ticket)
		s.say(handshake, single(ticket)...)
		s.say(data, value)
	})},
	{name: "a late change of the cipher", serve: every(func(s *sealer) {
		s.raw([]byte{changeCipherSpec, 3, 3, 0, 1, 1})
		s.say(data, value)
	})},
	{name: "a warning", legacy: true, serve: every(func(s *sealer) {
		s.say(alert, userCanceled)
		s.say(data, value)
	})},
	{name: "an end with close_notify", serve: first(func(p *peer, s *sealer) {
		s.say(data, "HTTP/1.1 200 OK\r\n\r\nval", "ue")
		s.say(alert, closeNotify)
	})},
	{name: "an end with close_notify, in one write", serve: first(func(p *peer, s *sealer) {
		s.raw(append(s.seal(data, "HTTP/1.1 200 OK\r\n\r\nvalue"), s.seal(alert, closeNotify)...))
	})},
	{name: "data after close_notify", serve: first(func(p *peer, s *sealer) {
		s.say(data, "HTTP/1.1 200 OK\r\n\r\nvalue")
		s.say(alert, closeNotify)
		s.say(data, "more")
		linger(p)
	})},

	// Ends.
	{name: "close without close_notify", kind: "truncated", text: "close_notify", unnotified: true,
		serve: first(func(p *peer, s *sealer) { s.say(data, half) })},
	{name: "close without a word", kind: "closed", text: "close_notify", unnotified: true,
		serve: first(func(p *peer, s *sealer) {})},
	{name: "close within a record", kind: "closed", text: "within a record", unnotified: true,
		serve: first(func(p *peer, s *sealer) { s.raw(s.seal(data, value)[:30]) })},
	{name: "close within a record's head", kind: "truncated", text: "within a record", unnotified: true,
		serve: first(func(p *peer, s *sealer) {
			s.say(data, half)
			s.raw(s.seal(data, rest)[:3])
		})},
	{name: "close_notify within an answer", kind: "truncated", text: "closed the connection",
		serve: first(func(p *peer, s *sealer) {
			s.say(data, half)
			s.say(alert, closeNotify)
			linger(p)
		})},
	{name: "reset within an answer", kind: "reset", text: "reset by peer", serve: first(func(p *peer, s *sealer) {
		s.say(data, half)
		s.wire.reset()
	})},
	{name: "reset within a record", kind: "reset", text: "reset by peer", serve: first(func(p *peer, s *sealer) {
		s.raw(s.seal(data, value)[:30])
		s.wire.reset()
	})},
	{name: "an alert in place of an answer", kind: "reset", text: `sent the alert "internal error"`,
		serve: says(alert, internalError)},
	{name: "an alert within an answer, TLS 1.2", legacy: true, kind: "reset", text: `sent the alert "internal error"`,
		serve: first(func(p *peer, s *sealer) {
			s.say(data, half)
			s.say(alert, internalError)
		})},
	{name: "half a record", impatient: true, kind: "timeout", text: "in time", serve: first(func(p *peer, s *sealer) {
		s.raw(s.seal(data, value)[:30])
		linger(p)
	})},

	// What breaks the protocol.
	{name: "a bad MAC", kind: "parse", text: "bad record MAC", serve: first(func(p *peer, s *sealer) {
		b := s.seal(data, value)
		b[len(b)-1]++
		s.raw(b)
		linger(p)
	})},
	{name: "a bad MAC, TLS 1.2", legacy: true, kind: "parse", text: "bad record MAC",
		serve: first(func(p *peer, s *sealer) {
			b := s.seal(data, value)
			b[20]++
			s.raw(b)
			linger(p)
		})},
	{name: "a record twice", kind: "parse", text: "bad record MAC", serve: first(func(p *peer, s *sealer) {
		b := s.seal(data, half)
		s.raw(append(b, b...))
		linger(p)
	})},
	{name: "too many empty records", kind: "parse", text: "too many ignored records",
		serve: says(data, make([]string, 40)...)},
	{name: "a record above 2^14 bytes", kind: "parse", text: "record overflow",
		serve: says(data, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"+big[:1<<14])},
	{name: "a record far above 2^14 bytes", kind: "parse", text: "oversized record", serve: says(data, big[:20<<10])},
	{name: "a record of an unknown type", kind: "parse", text: "unexpected message", serve: says(99, "value")},
	{name: "a record of padding alone", kind: "parse", text: "unexpected message", serve: says(0, "\x00\x00\x00")},
	{name: "in the clear", kind: "parse", text: "TLS: ", serve: first(func(p *peer, s *sealer) {
		s.raw([]byte(value))
		linger(p)
	})},
	{name: "in the clear, TLS 1.2", legacy: true, kind: "parse", text: "TLS: ",
		serve: first(func(p *peer, s *sealer) {
			s.raw([]byte(value))
			linger(p)
		})},
	{name: "an alert of one byte", kind: "parse", text: "unexpected message", serve: says(alert, "\x02")},
	{name: "data within a message", kind: "parse", text: "unexpected message",
		serve: first(func(p *peer, s *sealer) {
			s.say(handshake, ticket[:9])
			s.say(data, value)
			linger(p)
		})},
	{name: "an empty message", kind: "parse", text: "unexpected message", serve: says(handshake, "")},
	{name: "a ticket that is cut short", kind: "parse", text: "error decoding message",
		serve: says(handshake, "\x04\x00\x00\x03\x00\x00\x0e")},
	{name: "a key update of an unknown kind", kind: "parse", text: "error decoding message",
		serve: says(handshake, "\x18\x00\x00\x01\x07")},
	{name: "a request for a certificate", kind: "parse", text: "unexpected",
		serve: says(handshake, "\x0d\x00\x00\x03\x00\x00\x00")},
	{name: "a request for another handshake", legacy: true, kind: "parse", text: "no renegotiation",
		serve: says(handshake, "\x00\x00\x00\x00")},
}

func (f *fault) run(t *testing.T, e load.Engine, m int) {
	own, pool := certificate(t, nil)
	config := &tls.Config{Certificates: []tls.Certificate{own}, NextProtos: []string{wire.ALPN1},
		SessionTicketsDisabled: true, CipherSuites: []uint16{suite}}
	if f.legacy {
		config.MaxVersion = tls.VersionTLS12
	}
	var other atomic.Bool
	s := serve(t, "tcp", func(p *peer) {
		w, keys, ok := p.secure(config, nil)
		if !ok {
			return
		}
		if s := newSealer(p.Conn.(*tls.Conn).ConnectionState(), w, keys); s != nil {
			f.serve(p, s)
		} else {
			other.Store(true)
		}
	})
	j := job(s)
	j.TLS = &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{wire.ALPN1}}
	if f.job != nil {
		f.job(&j)
	}
	requests := orShort(24, 12)
	if f.impatient {
		impatient(&j)
		requests = 6
	}
	modes[m].job(&j)
	o := observe(t, t.Context(), open(t, e, j), modes[m].window(requests), 0)
	if other.Load() {
		t.Skip("this machine has no instructions for AES, so crypto/tls chooses a suite that the script cannot seal")
	}
	broken := o.Errors[f.kind]
	if f.impatient {
		broken += load.Undialled(&o.Load) + o.NeverStarted // of a machine that is busy elsewhere
	}
	switch {
	case f.kind == "" && o.Succeeded != requests:
		t.Errorf("%+v, %v", o.Load, o.Detail.Texts)
	case f.kind != "" && (broken != requests || !strings.Contains(o.Detail.Texts[f.kind], f.text)):
		t.Errorf("want %q of %q: %+v, %q", f.kind, f.text, o.Load, o.Detail.Texts)
	case f.unnotified && o.Unnotified < requests || !f.unnotified && o.Unnotified > 0:
		t.Errorf("%d connections closed without close_notify: %+v", o.Unnotified, o.Load)
	}
	if s.requests.Load() > o.Started {
		t.Errorf("the server saw %d requests of %d: some were sent again", s.requests.Load(), o.Started)
	}
}
