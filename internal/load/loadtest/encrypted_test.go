package loadtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	integer "math/big"
	"net"
	"strings"
	"testing"
	"time"

	"dyno/internal/load"
	"dyno/internal/wire"
)

// encrypted are about TLS.
var encrypted = map[string]func(*testing.T, load.Engine){"tls": overTLS, "tls: resumed": resumed,
	"tls: refused": refused, "tls: without close_notify": unnotified, "tls: hangs up after the handshake": hangUpShaken}

// certificate returns a certificate of 127.0.0.1 that signs itself, and those who trust it. other,
// unless it is nil, makes it another.
func certificate(t *testing.T, other func(*x509.Certificate)) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: integer.NewInt(1), Subject: pkix.Name{CommonName: "loadtest"}, IsCA: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}}
	if other != nil {
		other(c)
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	own := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return own, trust(t, own)
}

// serveTLS starts a server over TLS that takes the protocols given (ALPN), and returns a job for it
// that trusts its certificate.
func serveTLS(t *testing.T, version uint16, script func(*peer), protocols ...string) (*server, load.Job) {
	t.Helper()
	own, pool := certificate(t, nil)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{own}, MaxVersion: version,
		NextProtos: protocols})
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, ln, script)
	j := job(s)
	if j.TLS, err = (&wire.TLS{}).Config("127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	j.TLS.RootCAs = pool
	return s, j
}

// overTLS: a load over TLS is like one in the clear, and says what was negotiated.
func overTLS(t *testing.T, e load.Engine) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		s, j := serveTLS(t, version, each(value), wire.ALPN1)
		j.Pipeline = 4
		session := open(t, e, j)
		for _, schedule := range []*load.Schedule{nil, constant(4000)} {
			o := observe(t, t.Context(), session, load.Window{Requests: 400, Schedule: schedule}, 20*time.Millisecond)
			if o.Succeeded != 400 || o.Handshakes != 0 ||
				o.BytesRead <= 400*int64(len(value)) || o.BytesWritten <= s.bytes.Load()/2 {
				t.Errorf("%s: %+v", tls.VersionName(version), o.Load)
			}
			// In TLS 1.2 nothing comes between the handshake and the first response, and up to 29 bytes with each.
			if version == tls.VersionTLS12 && o.BytesRead > 400*int64(len(value)+30) {
				t.Errorf("%d bytes, as if the handshakes before the window were part of it", o.BytesRead)
			}
			connections := int64(0)
			for _, n := range o.TLS { // of TLS 1.2 the ticket comes with the handshake: others resume it at once
				connections += n.Connections
				if n.Version != tls.VersionName(version) || n.Suite == "" || n.Group == "" || n.ALPN != wire.ALPN1 {
					t.Errorf("%s: negotiated %+v", tls.VersionName(version), n)
				}
			}
			if connections != 4 {
				t.Errorf("%s: %d connections: %+v", tls.VersionName(version), connections, o.TLS)
			}
		}
	}
}

// resumed: the sessions of earlier connections are resumed, unless that is off.
func resumed(t *testing.T, e load.Engine) {
	for _, resume := range []bool{true, false} {
		_, j := serveTLS(t, 0, each(value))
		j.PerConnection, j.Workers = 2, 1
		if !resume {
			j.TLS.ClientSessionCache = nil
		}
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 80}, 0)
		again := int64(0)
		for _, n := range o.TLS {
			if n.Resumed {
				again += n.Connections
			}
		}
		if o.Succeeded != 80 || o.Handshakes < 30 || o.Detail.Handshake.Count() != o.Handshakes ||
			resume != (again > 20) || !resume && again > 0 {
			t.Errorf("%d of %d handshakes resumed: %+v", again, o.Handshakes, o.Load)
		}
	}
}

// refused: who cannot be trusted is not loaded, and the error names the certificate.
func refused(t *testing.T, e load.Engine) {
	_, j := serveTLS(t, 0, each(value))
	j.TLS.RootCAs = x509.NewCertPool()
	_, err := e.Open(t.Context(), j)
	var h *wire.HandshakeError
	if !errors.As(err, &h) || !strings.Contains(err.Error(), `("loadtest", issued by itself)`) {
		t.Errorf("an unknown authority: %v", err)
	}
	clear := serve(t, "tcp", func(p *peer) { p.say("220 mail.example ESMTP\r\n"); linger(p) })
	j.Addr = clear.Addr().String()
	if _, err = e.Open(t.Context(), j); !errors.As(err, &h) || !strings.Contains(err.Error(), "does not speak TLS") {
		t.Errorf("a server in the clear: %v", err)
	}
	mute := serve(t, "tcp", func(p *peer) { <-p.stopped })
	j.Addr, j.Timeout, j.ConnectTimeout = mute.Addr().String(), 300*time.Millisecond, 300*time.Millisecond
	if _, err = e.Open(t.Context(), j); err == nil || load.Unconnected(err) != load.Handshake {
		t.Errorf("a server that says nothing: %v", err)
	}
	j.Lazy = true
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 4}, 0)
	if o.Errors["handshake"]+o.NeverStarted != 4 || o.Errors["handshake"] == 0 || o.Established != 0 {
		t.Errorf("a load of it: %+v", o.Load)
	}
}

// unnotified: a response that ends with its connection is complete only where TLS says so.
func unnotified(t *testing.T, e load.Engine) {
	const byClose = "HTTP/1.1 200 OK\r\n\r\nvalue"
	for _, says := range []bool{true, false} {
		_, j := serveTLS(t, 0, func(p *peer) {
			if p.next() {
				p.say(byClose)
				if !says {
					p.Conn.(*tls.Conn).NetConn().Close()
				}
			}
		})
		o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 40}, 0)
		if says && (o.Succeeded != 40 || o.Unnotified != 0) ||
			!says && (o.Errors["closed"] != 40 || o.Unnotified < 40 ||
				!strings.Contains(o.Detail.Texts["closed"], "close_notify")) {
			t.Errorf("it says so: %v: %d without, %+v, %v", says, o.Unnotified, o.Load, o.Detail.Texts)
		}
	}
}

// hangUpShaken: a server that ends each connection together with its handshake loses a request with each, and
// the window ends.
func hangUpShaken(t *testing.T, e load.Engine) {
	own, pool := certificate(t, nil)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, ln, func(p *peer) {
		c := tls.Server(&lastFlight{Conn: p.Conn}, &tls.Config{Certificates: []tls.Certificate{own},
			MaxVersion: tls.VersionTLS12, SessionTicketsDisabled: true})
		c.Handshake()
		c.Close()
	})
	j := job(s)
	if j.TLS, err = (&wire.TLS{}).Config("127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	j.TLS.RootCAs, j.Lazy = pool, true
	o := observe(t, t.Context(), open(t, e, j), load.Window{Requests: 24}, 0)
	if o.Errors["closed"]+o.Errors["reset"] != 24 || o.Started != 24 || len(o.Detail.Texts) == 0 {
		t.Errorf("%+v, %v", o.Load, o.Detail.Texts)
	}
}

// lastFlight holds back all that is written after the first flight of a handshake until it is closed.
type lastFlight struct {
	net.Conn
	flights int
	held    []byte
}

func (c *lastFlight) Write(b []byte) (int, error) {
	if c.flights++; c.flights == 1 {
		return c.Conn.Write(b)
	}
	c.held = append(c.held, b...)
	return len(b), nil
}

func (c *lastFlight) Close() error {
	c.Conn.SetWriteDeadline(time.Time{}) // crypto/tls lets none be written after its end
	c.Conn.Write(c.held)
	return c.Conn.Close()
}
