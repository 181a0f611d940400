package wire

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// TestIdentity: nobody else reads the key, a client trusts this certificate and no other.
func TestIdentity(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tls")
	var ids []Identity
	for range 2 { // the second replaces the first
		id, err := NewIdentity(dir)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if st, err := os.Stat(ids[1].Key); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", st.Mode(), err)
	}
	other, err := NewIdentity(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(ids[1].Cert, ids[1].Key)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair},
		NextProtos: []string{ALPN2, ALPN1}})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() { c.(*tls.Conn).Handshake(); c.Close() }()
		}
	}()
	for _, h := range []HTTP{HTTPS, H2} {
		for _, id := range []Identity{ids[1], other, {}} {
			e := TCP(ln.Addr().String()).Speaking(h, id)
			if e.HTTP2 != h.Two() || e.Scheme() != "https" {
				t.Fatalf("%s: %+v", h, e)
			}
			c, err := e.Dial(t.Context(), &net.Dialer{})
			var refused *tls.CertificateVerificationError
			switch {
			case id != ids[1] && !errors.As(err, &refused):
				t.Errorf("%s: another certificate: %v", h, err)
			case id == ids[1] && err != nil:
				t.Errorf("%s: %v", h, err)
			case id == ids[1]:
				if got := c.(*tls.Conn).ConnectionState().NegotiatedProtocol; got != h.ALPN() {
					t.Errorf("%s: negotiated %q", h, got)
				}
			}
			if err == nil {
				c.Close()
			}
		}
	}
	for _, h := range []HTTP{Clear, H2C} {
		if e := TCP("127.0.0.1:1").Speaking(h, Identity{}); e.TLS != nil || e.HTTP2 != h.Two() {
			t.Errorf("%s: %+v", h, e)
		}
	}
}

// TestTrusting: a client on another machine, which has the certificate alone, reaches a server at
// its address.
func TestTrusting(t *testing.T) {
	made, err := NewIdentity(filepath.Join(t.TempDir(), "tls"), net.IPv4(127, 0, 0, 2))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(made.Cert, made.Key)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := tls.Listen("tcp", "127.0.0.2:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		t.Skip(err) // not every system has more than one loopback address
	}
	defer ln.Close()
	go func() {
		if c, err := ln.Accept(); err == nil {
			c.(*tls.Conn).Handshake()
			c.Close()
		}
	}()
	cert, err := os.ReadFile(made.Cert)
	if err != nil {
		t.Fatal(err)
	}
	sent, err := Trusting(cert)
	if err != nil || sent.Key != "" {
		t.Fatal(sent.Key, err)
	}
	c, err := TCP(ln.Addr().String()).Speaking(HTTPS, sent).Dial(t.Context(), &net.Dialer{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if _, err := Trusting([]byte("no certificate")); err == nil {
		t.Error("anything is a certificate")
	}
}
