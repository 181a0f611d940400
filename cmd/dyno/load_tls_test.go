package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveTLS serves h over TLS: at $TLS; at $TLS12 with TLS 1.2 at most; at $MUTUAL for clients with a
// certificate; at $H2 with HTTP/2, too, which is served in the clear at $H2C. Each certificate signs
// itself: ca.pem is the servers', for 127.0.0.1, client.pem a client's, with its key.
func serveTLS(env *testscript.Env, h http.Handler) error {
	own, err := writeCertificate(filepath.Join(env.WorkDir, "ca.pem"), "load.test")
	if err != nil {
		return err
	}
	if _, err = writeCertificate(filepath.Join(env.WorkDir, "client.pem"), "client.test"); err != nil {
		return err
	}
	for name, c := range map[string]*tls.Config{"TLS": {}, "TLS12": {MaxVersion: tls.VersionTLS12},
		"MUTUAL": {ClientAuth: tls.RequireAnyClientCert},
		"H2":     {NextProtos: []string{"h2", "http/1.1"}}} {
		c.Certificates = []tls.Certificate{own}
		s := httptest.NewUnstartedServer(h)
		s.TLS, s.EnableHTTP2, s.Config.ErrorLog = c, name == "H2", log.New(io.Discard, "", 0)
		s.StartTLS()
		env.Defer(s.Close)
		env.Setenv(name, s.Listener.Addr().String())
	}
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	env.Defer(s.Close)
	env.Setenv("H2C", s.Listener.Addr().String())
	return nil
}

// writeCertificate makes a self-signed certificate for 127.0.0.1, and writes it and its key to
// path.
func writeCertificate(path, name string) (c tls.Certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{name}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return c, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return c, err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, os.WriteFile(path, text, 0o600)
}
