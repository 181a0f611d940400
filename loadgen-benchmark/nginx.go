//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"dyno/internal/refserver"
)

// nginx is the server for races over TLS and in HTTP/2: one process, OpenSSL.
var nginx = peer{name: "nginx", install: debian("nginx", "nginx-light", "-v")}

// nginxConfig needs the addresses of the server and of its status, the folder for its files, and the server's
// listen parameters.
const nginxConfig = `daemon off;
master_process off;
worker_rlimit_nofile 65536;
error_log stderr;
pid %[3]s/nginx.pid;
events { worker_connections 20000; }
http {
	access_log off;
	default_type text/plain;
	keepalive_requests 1000000000;
	keepalive_timeout 1h;
	client_body_temp_path %[3]s;
	proxy_temp_path %[3]s;
	fastcgi_temp_path %[3]s;
	uwsgi_temp_path %[3]s;
	scgi_temp_path %[3]s;
	ssl_certificate %[3]s/cert.pem;
	ssl_certificate_key %[3]s/cert.pem;
	ssl_protocols TLSv1.3;
	ssl_ecdh_curve X25519;
	server {
		listen %[1]s %[4]s backlog=16384;
		location / { return 200 value; }
	}
	server {
		listen %[2]s;
		location / { stub_status; }
	}
}
`

// nginxListens are the parameters of nginx's listen directive for each protocol.
var nginxListens = map[protocol]string{https: "ssl", h2c: "http2", h2: "ssl http2"}

// serveNginx starts nginx, with an ECDSA P-256 certificate, and returns when it listens.
func (b *rig) serveNginx(ctx context.Context, p protocol) (*server, error) {
	i := b.install(ctx, nginx)
	if i.err != nil {
		return nil, i.err
	}
	dir := filepath.Join(b.temp, "nginx")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	status, err := freeAddr()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, addr, status, dir, nginxListens[p]), 0o644); err != nil {
		return nil, err
	}
	if err := writeCertificate(filepath.Join(dir, certificate)); err != nil {
		return nil, err
	}
	s, err := b.start(ctx, "nginx", addr, i.program, "-p", dir, "-c", config)
	if err != nil {
		return nil, err
	}
	s.count = func() (refserver.Tally, error) { return nginxTally(status) }
	s.scheme = p.scheme()
	return s, nil
}

// certificate is the name of a file with a certificate and its key.
const certificate = "cert.pem"

// serveTimed starts this program as a timed server and returns its URL for each protocol when it listens.
func (b *rig) serveTimed(
	ctx context.Context, delay string, protocols ...protocol,
) (s *server, urls []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(b.temp, certificate)
	if err := writeCertificate(file); err != nil {
		return nil, nil, err
	}
	argv := []string{self, timedCommand, delay, file}
	var addr string
	for _, p := range protocols {
		if addr, err = freeAddr(); err != nil {
			return nil, nil, err
		}
		argv, urls = append(argv, string(p), addr), append(urls, p.scheme()+"://"+addr+"/")
	}
	s, err = b.start(ctx, "timed", addr, argv...) // the last address that it opens
	return s, urls, err
}

var nginxRequests = regexp.MustCompile(`requests\s+\d+ \d+ (\d+)`)

// nginxTally reads the count from stub_status, which includes its own requests.
func nginxTally(addr string) (t refserver.Tally, err error) {
	r, err := http.Get("http://" + addr + "/")
	if err != nil {
		return t, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return t, err
	}
	m := nginxRequests.FindSubmatch(text)
	if m == nil {
		return t, fmt.Errorf("nginx counts no requests: %q", text)
	}
	t.Requests, err = strconv.ParseInt(string(m[1]), 10, 64)
	return t, err
}

// writeCertificate writes a self-signed certificate for 127.0.0.1 and its key.
func writeCertificate(file string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "loadgen-benchmark"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(30 * 24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	return os.WriteFile(file, text, 0o600)
}
