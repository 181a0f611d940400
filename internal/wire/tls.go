package wire

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"dyno/internal/foreign"
)

// TLS describes how a client encrypts its connections. The zero value trusts the system's
// authorities, offers HTTP/1.1 and resumes sessions.
type TLS struct {
	CA        string // file with PEM certificates that are trusted instead of the system's
	Cert, Key string // PEM files with the client's certificate and its key; Key "": Cert holds both
	Insecure  bool   // accept any certificate
	NoResume  bool   // every handshake is a full one
}

// read returns the content of a file that a flag names.
func read(flag, name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err == nil && flag != "--ca" && bytes.Contains(text, []byte("PRIVATE KEY")) {
		err = foreign.OwnerOnly(name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return text, nil
}

// Any reports whether t differs from the zero value.
func (t *TLS) Any() bool {
	return t.CA+t.Cert+t.Key != "" || t.Insecure || t.NoResume
}

// Config reads t's files and returns the configuration for connections to a host, or host:port.
// Connections that share it resume each other's sessions. Its errors are mistakes, in the words of
// the flags that set t.
func (t *TLS) Config(host string) (*tls.Config, error) {
	switch {
	case t.Key != "" && t.Cert == "":
		return nil, errors.New("--key needs --cert, the certificate that it belongs to")
	case t.Insecure && t.CA != "":
		return nil, errors.New("--insecure accepts any certificate, so --ca has no effect; omit one")
	}
	c := &tls.Config{
		ServerName: hostname(host), InsecureSkipVerify: t.Insecure, NextProtos: []string{ALPN1},
		DynamicRecordSizingDisabled: true, // a long body in small records would cost the generator more
	}
	if !t.NoResume {
		c.ClientSessionCache = NewSessions()
	}
	if t.CA != "" {
		pem, err := read("--ca", t.CA)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca %s: no certificate in PEM form (-----BEGIN CERTIFICATE-----) in it", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := t.pair()
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// pair reads the client's certificate and its private key.
func (t *TLS) pair() (pair tls.Certificate, err error) {
	cert, err := read("--cert", t.Cert)
	if err != nil {
		return pair, err
	}
	key, from := cert, "--cert "+t.Cert
	if t.Key != "" {
		if key, err = read("--key", t.Key); err != nil {
			return pair, err
		}
		from += " with --key " + t.Key
	}
	if pair, err = tls.X509KeyPair(cert, key); err != nil {
		return pair, fmt.Errorf("%s: %s", from, strings.TrimPrefix(err.Error(), "tls: "))
	}
	return pair, nil
}

// hostname returns a host without its port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// NewSessions returns an empty cache for sessions to resume. Each Config has one, and a load
// replaces it by its own, so that it resumes no session from the load before.
func NewSessions() tls.ClientSessionCache { return tls.NewLRUClientSessionCache(1) } // its key is ServerName

// HandshakeError is the error for a connection that could not be encrypted. Its text says why.
type HandshakeError struct{ Err error }

func (e *HandshakeError) Error() string {
	return "TLS handshake: " + Reason(e.Err)
}

// Unwrap returns the error from crypto/tls, or from the system.
func (e *HandshakeError) Unwrap() error { return e.Err }

// Advised adds advice to a handshake error, in the words of the flags.
func Advised(err error) error {
	var refused *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("%w; pass --ca FILE with the certificate of its authority, a URL with the name that it is "+
			"for, or --insecure to accept any certificate", err)
	case errors.As(err, &header) && header.Conn != nil:
		return fmt.Errorf("%w; pass an http:// URL, or the port of HTTPS", err)
	}
	return err
}

// NotHTTP2Error is the error for a server that does not speak HTTP/2; Why is the evidence.
type NotHTTP2Error struct{ Why string }

func (e *NotHTTP2Error) Error() string { return "the server does not speak HTTP/2: " + e.Why }

// NotHTTP2 returns the error for a server that chose another protocol than HTTP/2 by ALPN; chosen
// is "" if it chose none.
func NotHTTP2(chosen string) error {
	if chosen == "" {
		return &NotHTTP2Error{"it chose no protocol (ALPN)"}
	}
	return &NotHTTP2Error{fmt.Sprintf("it chose %q (ALPN)", chosen)}
}

// NoProtocol reports whether a handshake failed because the server supports none of the offered
// protocols (ALPN).
func NoProtocol(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" && op.Err.Error() == "tls: no application protocol"
}

// Reason returns a crypto/tls error's text without prefixes that name a package or a side.
func Reason(err error) string {
	var refused *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "remote error":
		return fmt.Sprintf("the server sent the alert %q", strings.TrimPrefix(op.Err.Error(), "tls: "))
	case errors.As(err, &op) && op.Op == "local error": // our own alert says what was wrong
		return strings.TrimPrefix(op.Err.Error(), "tls: ")
	case errors.As(err, &refused):
		why := strings.TrimPrefix(refused.Err.Error(), "x509: ")
		return fmt.Sprintf("%s: %q", certificate(refused.UnverifiedCertificates), why) // it may hold names, too
	case errors.As(err, &header) && header.Conn != nil: // set for the first record only
		return fmt.Sprintf("the server does not speak TLS: its response begins with %q", header.RecordHeader[:])
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, syscall.ETIMEDOUT):
		return "not complete in time"
	}
	return strings.TrimPrefix(err.Error(), "tls: ")
}

// certificate describes the certificate that a server sent.
func certificate(chain []*x509.Certificate) string {
	if len(chain) == 0 {
		return "the server's certificate was refused"
	}
	c := chain[0]
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	by := strconv.Quote(cmp.Or(c.Issuer.CommonName, c.Issuer.String()))
	if c.Issuer.String() == c.Subject.String() {
		by = "itself"
	}
	return fmt.Sprintf("the server's certificate (%q, issued by %s) was refused",
		cmp.Or(c.Subject.CommonName, strings.Join(names, ", "), c.Subject.String()), by)
}
