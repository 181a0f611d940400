package wire

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestScheme(t *testing.T) {
	if got := TCP("a:1").Scheme(); got != "http" {
		t.Errorf("in the clear: %s", got)
	}
	if got := (Endpoint{TLS: &tls.Config{}}).Scheme(); got != "https" {
		t.Errorf("with TLS: %s", got)
	}
}

func TestConfig(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"a.test:443": "a.test", "a.test": "a.test", "[::1]:8443": "::1",
		"[::1]": "::1"} {
		if c, err := (&TLS{}).Config(host); err != nil || c.ServerName != want || c.ClientSessionCache == nil {
			t.Errorf("%s: %+v, %v", host, c, err)
		}
	}
	c, err := (&TLS{NoResume: true}).Config("a.test")
	if err != nil || c.ServerName != "a.test" || c.ClientSessionCache != nil || c.NextProtos[0] != ALPN1 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []struct {
		TLS
		want string
	}{
		{TLS{CA: "nowhere.pem"}, "--ca: open nowhere.pem: no such file or directory"},
		{TLS{CA: empty}, "--ca " + empty + ": no certificate in PEM form"},
		{TLS{Cert: "nowhere.pem"}, "--cert: open nowhere.pem: no such file or directory"},
		{TLS{Cert: empty}, "--cert " + empty + ": failed to find any PEM data"},
		{TLS{Cert: empty, Key: "nowhere.pem"}, "--key: open nowhere.pem: no such file or directory"},
		{TLS{Cert: empty, Key: empty}, "--cert " + empty + " with --key " + empty + ": failed"},
		{TLS{Key: empty}, "--key needs --cert"},
		{TLS{CA: empty, Insecure: true}, "--insecure accepts any certificate"},
	} {
		if _, err := bad.Config("a.test"); err == nil || !strings.HasPrefix(err.Error(), bad.want) || !bad.Any() {
			t.Errorf("%+v: %v; want %q", bad.TLS, err, bad.want)
		}
	}
}

// TestSecure: a certificate is verified, for its name, unless any is accepted.
func TestSecure(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		TLS
		host, want string
	}{
		{"trusted", TLS{CA: ca}, "example.com", ""},
		{"any", TLS{Insecure: true}, "other.test", ""},
		{"another name", TLS{CA: ca}, "other.test", "not other.test"},
		{"unknown", TLS{}, "example.com", "signed by unknown authority"},
	} {
		e := TCP(s.Listener.Addr().String())
		var err error
		if e.TLS, err = c.Config(c.host); err != nil {
			t.Fatal(err)
		}
		conn, err := e.Dial(t.Context(), &net.Dialer{})
		var h *HandshakeError
		var refused *tls.CertificateVerificationError
		switch {
		case c.want == "" && err == nil:
			conn.Close()
		case c.want == "" || !errors.As(err, &h) || !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	if got := certificate(nil); got != "the server's certificate was refused" {
		t.Error(got)
	}
	if got := certificate([]*x509.Certificate{{DNSNames: []string{"a", "b"}}}); !strings.Contains(got, "a, b") {
		t.Error(got)
	}
}

// A certificate's names do not write lines of dyno's.
func TestNamesOfACertificateAreQuoted(t *testing.T) {
	evil := "x, issued by itself) was fine\ndyno: all right\n("
	c := &x509.Certificate{Subject: pkix.Name{CommonName: evil}, Issuer: pkix.Name{CommonName: evil + "y"},
		DNSNames: []string{evil}}
	c.Extensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 17}}}
	for _, reason := range []error{x509.UnknownAuthorityError{Cert: c}, x509.HostnameError{Certificate: c, Host: "h"}} {
		got := (&HandshakeError{&tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{c},
			Err: reason}}).Error()
		want := fmt.Sprintf("TLS handshake: the server's certificate (%q, issued by %q) was refused: \"certificate ", evil,
			evil+"y")
		if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s", got)
		}
	}
}
