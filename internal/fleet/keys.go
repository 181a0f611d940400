package fleet

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dyno/internal/conf"
	"dyno/internal/document"
	"dyno/internal/foreign"
	"dyno/internal/wire"
)

// Keys are the secrets of a fleet's controller: controller.json in the fleet's folder.
type Keys struct {
	Certificate []byte            `json:"certificate"` // the controller's certificate, DER
	Private     []byte            `json:"private"`     // the certificate's key, PKCS #8
	Own         string            `json:"own"`         // the controller's password
	Agents      map[string]string `json:"agents"`      // agents' passwords by name, including former machines
}

// Bundle is everything that an agent needs to know: NAME.agent in the fleet's folder.
type Bundle struct {
	Name        string `json:"name"`
	Controller  string `json:"controller"`  // host:port of NATS
	Fingerprint string `json:"fingerprint"` // SHA-256 of the controller's certificate, in hex
	Secret      string `json:"secret"`      // the agent's password
}

const controllerFile = "controller.json"

// Keys returns f's keys. It makes and writes missing keys, together with each agent's bundle; made reports
// whether any key was missing. A machine that f no longer names keeps its key, which is useless until f names
// it again.
func (f *Fleet) Keys() (k *Keys, made bool, err error) {
	name := filepath.Join(f.Folder(), controllerFile)
	k, err = readKeys(name)
	if errors.Is(err, fs.ErrNotExist) {
		k, err = newKeys(f.Controller)
		made = true
	}
	if err != nil {
		return nil, false, err
	}
	for _, m := range f.Machines() {
		if k.Agents[m.Name] == "" {
			k.Agents[m.Name], made = token(), true
		}
	}
	if made {
		if err := os.MkdirAll(f.Folder(), 0o700); err != nil {
			return nil, false, fmt.Errorf("make the folder of the fleet's keys: %w", err)
		}
		if err := writeSecret(name, k); err != nil {
			return nil, false, err
		}
	}
	return k, made, f.writeBundles(k)
}

// writeBundles writes bundles that are missing or that differ, as after a change of the controller's address.
func (f *Fleet) writeBundles(k *Keys) error {
	for _, name := range names(f.Machines()) {
		b := k.Bundle(f, name)
		if old, err := ReadBundle(f.BundleFile(name)); err == nil && *old == *b {
			continue
		}
		if err := writeSecret(f.BundleFile(name), b); err != nil {
			return err
		}
	}
	return nil
}

// BundleFile returns the path of an agent's bundle.
func (f *Fleet) BundleFile(agent string) string { return filepath.Join(f.Folder(), agent+".agent") }

// Bundle returns the bundle for an agent.
func (k *Keys) Bundle(f *Fleet, agent string) *Bundle {
	return &Bundle{Name: agent, Controller: f.Controller, Fingerprint: digest(k.Certificate), Secret: k.Agents[agent]}
}

// newKeys makes a controller's keys: an ECDSA certificate for ten years, which agents identify by
// fingerprint, and a password.
func newKeys(address string) (*Keys, error) {
	certificate, key, err := wire.SelfSigned("dyno fleet at "+address, 10*365*24*time.Hour)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	return &Keys{Certificate: certificate, Private: key, Own: token(), Agents: map[string]string{}}, nil
}

// server returns the TLS configuration for the controller's server.
func (k *Keys) server() (*tls.Config, error) {
	private, err := x509.ParsePKCS8PrivateKey(k.Private)
	if err != nil {
		return nil, fmt.Errorf("read the fleet's key: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS13,
		Certificates: []tls.Certificate{{Certificate: [][]byte{k.Certificate}, PrivateKey: private}}}, nil
}

// errCertificate reports a server that is not the fleet's controller.
var errCertificate = errors.New("it has another certificate than this agent's controller")

// client returns an agent's TLS configuration: it accepts only its controller's certificate, whatever its
// name and dates.
func (b *Bundle) client() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, ServerName: "dyno",
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || digest(s.PeerCertificates[0].Raw) != b.Fingerprint {
				return errCertificate
			}
			return nil
		}}
}

// ReadBundle reads a file with an agent's bundle.
func ReadBundle(name string) (*Bundle, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, conf.Usagef("read an agent's file: %w; dyno fleet init makes it", err)
	}
	b := &Bundle{}
	switch err := strict(data, b); {
	case err != nil:
		return nil, conf.Usagef("%s: this is not the file of an agent (%w); dyno fleet init makes it", name, err)
	case !nameForm.MatchString(b.Name) || b.Controller == "" || len(b.Fingerprint) != 2*sha256.Size ||
		b.Secret == "":
		return nil, conf.Usagef("%s: the file of an agent is incomplete; remove it, and dyno fleet init makes it anew", name)
	}
	if err := foreign.OwnerOnly(name); err != nil {
		return nil, conf.Usagef("%w", err)
	}
	return b, nil
}

func readKeys(name string) (*Keys, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the fleet's keys: %w", err)
	}
	k := &Keys{}
	if err := strict(data, k); err != nil || k.Own == "" {
		return nil, fmt.Errorf("%s is damaged; remove it, and dyno fleet init makes new keys for all agents", name)
	}
	if k.Agents == nil {
		k.Agents = map[string]string{}
	}
	return k, foreign.OwnerOnly(name)
}

// writeSecret writes v, readable by its owner alone, completely or not at all.
func writeSecret(name string, v any) error {
	if err := foreign.Replace(filepath.Dir(name), filepath.Base(name), 0o600, func(w io.Writer) error {
		return document.JSON(w, v)
	}); err != nil {
		return fmt.Errorf("write a key: %w", err)
	}
	return nil
}
