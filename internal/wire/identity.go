package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Identity is a self-signed certificate for servers on this machine, and its key.
type Identity struct {
	Cert, Key string // paths of PEM files
	trust     *x509.CertPool
}

// Trusting returns the Identity of another machine's servers as a client needs it: their PEM
// certificate, without the key.
func Trusting(cert []byte) (Identity, error) {
	i := Identity{trust: x509.NewCertPool()}
	if !i.trust.AppendCertsFromPEM(cert) {
		return Identity{}, errors.New("the servers' certificate cannot be read")
	}
	return i, nil
}

// identityLife is the time for which an Identity is valid. A run makes a new one.
const identityLife = 30 * 24 * time.Hour

// NewIdentity makes an Identity for localhost, 127.0.0.1, ::1 and further IP addresses (ECDSA,
// P-256). Its files in the folder dir are readable by their owner only.
func NewIdentity(dir string, more ...net.IP) (Identity, error) {
	i := Identity{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem"), trust: x509.NewCertPool()}
	cert, key, err := SelfSigned("dyno, for one run", identityLife, more...)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = errors.Join(replace(i.Cert, "CERTIFICATE", cert), replace(i.Key, "PRIVATE KEY", key))
	}
	if err == nil {
		var own *x509.Certificate
		if own, err = x509.ParseCertificate(cert); err == nil {
			i.trust.AddCert(own)
		}
	}
	if err != nil {
		return Identity{}, fmt.Errorf("make a certificate: %w", err)
	}
	return i, nil
}

// SelfSigned returns a certificate (ECDSA, P-256) for localhost, 127.0.0.1, ::1 and further IP
// addresses, and its key, in DER.
func SelfSigned(name string, life time.Duration, more ...net.IP) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	c := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(life),
		DNSNames: []string{"localhost"}, IPAddresses: append([]net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, more...),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, IsCA: true,
	}
	if cert, err = x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private); err != nil {
		return nil, nil, err
	}
	key, err = x509.MarshalPKCS8PrivateKey(private)
	return cert, key, err
}

// replace writes a PEM file anew, so that no wider permissions from an old file remain.
func replace(name, kind string, der []byte) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(pem.Encode(f, &pem.Block{Type: kind, Bytes: der}), f.Close())
}

// Speaking returns e for an HTTP form. Over TLS it trusts i's certificate and no other.
func (e Endpoint) Speaking(h HTTP, i Identity) Endpoint {
	e.HTTP2, e.TLS = h.Two(), nil
	if h.TLS() {
		e.TLS, _ = new(TLS).Config(e.Authority()) // the zero TLS reads no file
		e.TLS.NextProtos = []string{h.ALPN()}
		if e.TLS.RootCAs = i.trust; i.trust == nil {
			e.TLS.RootCAs = x509.NewCertPool()
		}
	}
	return e
}
