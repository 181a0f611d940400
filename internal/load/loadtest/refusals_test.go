package loadtest

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// refusal is a handshake that goes wrong, on every other connection, each of which carries one
// request.
type refusal struct {
	name   string
	client func(*tls.Config)
	// certificate makes the server's another one; strange: of whom the client knows nothing.
	certificate func(*x509.Certificate)
	strange     bool
	server      func(*tls.Config)
	serve       func(*peer)                           // in place of TLS
	send        func(w *cable, b []byte) (int, error) // what the server writes, in place of the socket
	kind, text  string                                // kind "": all are answered
	impatient   bool                                  // what counts is the patience
}

// hello lets a script go on in the clear after the client's first record.
func hello(f func(p *peer)) func(*peer) {
	return func(p *peer) {
		head, err := p.r.Peek(5)
		if err != nil {
			return
		}
		if _, err = p.r.Discard(5 + int(head[3])<<8 + int(head[4])); err == nil {
			f(p)
		}
	}
}

// retorts writes b after the client's first record, and waits for it to go.
func retorts(b string) func(*peer) {
	return hello(func(p *peer) {
		p.say(b)
		p.r.Discard(1 << 20)
	})
}

func maximum(version uint16) func(*tls.Config) {
	return func(c *tls.Config) { c.MaxVersion = version }
}

func minimum(version uint16) func(*tls.Config) {
	return func(c *tls.Config) { c.MinVersion = version }
}

func offers(protocols ...string) func(*tls.Config) {
	return func(c *tls.Config) { c.NextProtos = protocols }
}

func asksForCertificate(version uint16) func(*tls.Config) {
	return func(c *tls.Config) { c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, version }
}

// cut sends half of what is written first, then lets end do as it likes.
func cut(end func(*cable)) func(*cable, []byte) (int, error) {
	return func(w *cable, b []byte) (int, error) {
		w.TCPConn.Write(b[:len(b)/2])
		end(w)
		return 0, net.ErrClosed
	}
}

var refusals = []refusal{
	// What must be borne.
	{name: "a segment for each byte", send: func(w *cable, b []byte) (int, error) {
		for i := range b {
			w.TCPConn.Write(b[i : i+1])
		}
		return len(b), nil
	}},
	{name: "no protocol chosen", server: offers()},
	{name: "tickets that are refused"},
	{name: "no tickets", server: func(c *tls.Config) { c.SessionTicketsDisabled = true }},
	{name: "another group", server: func(c *tls.Config) { c.CurvePreferences = []tls.CurveID{tls.CurveP521} }},
	{name: "TLS 1.2", server: maximum(tls.VersionTLS12)},
	{name: "a warning, then the handshake", client: maximum(tls.VersionTLS12),
		send: func(w *cable, b []byte) (int, error) {
			if len(b) > 7 && b[0] == handshake && b[5] == 2 {
				w.TCPConn.Write([]byte{alert, 3, 3, 0, 2, 1, 112}) // unrecognized_name
			}
			return w.TCPConn.Write(b)
		}},

	// Certificates.
	{name: "expired", certificate: func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) },
		text: "certificate has expired or is not yet valid"},
	{name: "not yet valid", certificate: func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) },
		text: "certificate has expired or is not yet valid"},
	{name: "another host", certificate: func(c *x509.Certificate) {
		c.DNSNames, c.IPAddresses = []string{"other.test"}, nil
	}, text: "localhost"},
	{name: "no name", certificate: func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = nil, nil },
		text: "not valid for any names"},
	{name: "signed by itself", strange: true, certificate: func(c *x509.Certificate) {
		c.Subject.CommonName = "stranger"
	}, text: `("stranger", issued by itself) was refused: "certificate signed by unknown authority"`},
	{name: "not for servers", certificate: func(c *x509.Certificate) {
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}
	}, text: "incompatible key usage"},
	{name: "without a common name", strange: true, certificate: func(c *x509.Certificate) { c.Subject = pkix.Name{} },
		text: `("localhost, 127.0.0.1", issued by itself)`},
	{name: "client's certificate wanted, TLS 1.2", server: asksForCertificate(tls.VersionTLS12),
		text: `sent the alert "`},
	{name: "client's certificate wanted", server: asksForCertificate(tls.VersionTLS13), // after the client's handshake
		kind: "reset", text: `sent the alert "certificate required"`},

	// Negotiation.
	{name: "no protocol in common", server: offers("nothing"), text: `sent the alert "no application protocol"`},
	{name: "a protocol that dyno does not speak", client: offers("nothing", wire.ALPN1), server: offers("nothing"),
		text: `chose the protocol "nothing"`},
	{name: "version below the minimum", client: minimum(tls.VersionTLS13), server: maximum(tls.VersionTLS12),
		text: `protocol version not supported`},
	{name: "version above the maximum", client: maximum(tls.VersionTLS12), server: minimum(tls.VersionTLS13),
		text: `sent the alert "protocol version not supported"`},

	// Ends.
	{name: "closes at once", serve: func(*peer) {}, text: "closed|reset"},
	{name: "closes after the client's hello", serve: hello(func(*peer) {}), text: "closed|reset"},
	{name: "closes midway", send: cut(func(w *cable) { w.CloseWrite(); discard(w) }), text: "closed"},
	{name: "resets", serve: hello(func(p *peer) { p.reset() }), text: "reset"},
	{name: "resets midway", send: cut((*cable).reset), text: "reset"},
	{name: "closes with close_notify", serve: retorts("\x15\x03\x03\x00\x02\x01\x00"), text: "closed"},
	{name: "an alert", serve: retorts("\x15\x03\x01\x00\x02\x02\x28"), text: `sent the alert "handshake failure"`},
	{name: "says nothing", serve: hello(func(p *peer) { p.r.Discard(1 << 20) }), impatient: true,
		text: "not complete in time"},
	{name: "stops midway", send: cut(func(w *cable) { discard(w) }), impatient: true, text: "not complete in time"},

	// What breaks the protocol.
	{name: "HTTP in the clear", serve: retorts("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"),
		text: `does not speak TLS: its response begins with "HTTP/"`},
	{name: "warnings without an end", serve: retorts(strings.Repeat("\x15\x03\x03\x00\x02\x01\x70", 40)),
		text: "too many ignored records"},
	{name: "a hello of nothing", serve: retorts("\x16\x03\x03\x00\x04\x02\x00\x00\x00"),
		text: "error decoding message"},
	{name: "a message out of turn", serve: retorts("\x16\x03\x03\x00\x04\x14\x00\x00\x00"), text: "unexpected"},
	{name: "a giant message", serve: retorts("\x16\x03\x03\x00\x04\x02\x20\x00\x00"), text: "exceeds maximum"},
	{name: "data before the handshake", serve: retorts("\x17\x03\x03\x00\x01x"), text: "does not speak TLS"},
	{name: "a bit that flipped", send: func(w *cable, b []byte) (int, error) {
		if len(b) > 200 {
			b[len(b)/2] ^= 1
		}
		return w.TCPConn.Write(b)
	}, text: "bad record MAC"},
}

// discard reads until the client goes.
func discard(w *cable) {
	b := make([]byte, 1<<10)
	for _, err := w.Read(b); err == nil; _, err = w.Read(b) {
	}
}

func (r *refusal) run(t *testing.T, e load.Engine) {
	own, pool := certificate(t, nil)
	good := &tls.Config{Certificates: []tls.Certificate{own}, NextProtos: []string{wire.ALPN1}}
	good.SetSessionTicketKeys([][32]byte{{1}})
	bad := good.Clone()
	bad.SetSessionTicketKeys([][32]byte{{2}}) // it refuses the tickets of the good one
	if r.certificate != nil {
		other, _ := certificate(t, r.certificate)
		bad.Certificates = []tls.Certificate{other}
		if !r.strange {
			pool = trust(t, own, other)
		}
	}
	if r.server != nil {
		r.server(bad)
	}
	s := serve(t, "tcp", func(p *peer) {
		defer p.Close()
		config, send := good, (func(*cable, []byte) (int, error))(nil)
		if p.index%2 == 1 {
			if r.serve != nil {
				r.serve(p)
				return
			}
			config, send = bad, r.send
		}
		if _, _, ok := p.secure(config, send); ok {
			each(value)(p)
		}
	})
	j := job(s)
	j.PerConnection = 1
	j.TLS = &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{wire.ALPN1},
		ClientSessionCache: wire.NewSessions()}
	if r.client != nil {
		r.client(j.TLS)
	}
	requests, kind := orShort(24, 12), r.kind
	if kind == "" && r.text != "" {
		kind = load.Handshake.String()
	}
	if r.impatient {
		j.Timeout, j.ConnectTimeout = 400*time.Millisecond, 400*time.Millisecond
		requests = 6
	}
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: requests}, 0)
	said := false
	for text := range strings.SplitSeq(r.text, "|") {
		said = said || strings.Contains(o.Detail.Texts[kind], text)
	}
	switch broken := o.Errors[kind]; {
	case kind == "" && o.Succeeded != requests:
		t.Errorf("%+v, %q", o.Load, o.Detail.Texts)
	case kind == "":
	case !said || broken == 0 || !r.impatient && (o.Succeeded == 0 || o.Succeeded+broken != requests):
		t.Errorf("want %q of %q: %+v, %q", kind, r.text, o.Load, o.Detail.Texts)
	}
}

// trust returns a pool of certificates.
func trust(t *testing.T, certificates ...tls.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, c := range certificates {
		leaf, err := x509.ParseCertificate(c.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		pool.AddCert(leaf)
	}
	return pool
}
