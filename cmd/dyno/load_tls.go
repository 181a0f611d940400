package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"dyno/internal/endpoint"
)

// defineTLS defines the flags for encrypted connections.
func (f *loadFlags) defineTLS() {
	f.names = append(f.names, tlsFlags(f.cmd.Flags(), &f.TLS)...)
	add(f, "alpn", "", &f.TLS.ALPN, "http/1.1", "list", parseALPN, "protocols to offer (ALPN): "+
		"h2 is HTTP/2; of h2,http/1.1 the server chooses before the load")
	f.addBool("no-resume", "", &f.TLS.NoResume, "make every handshake a full one: resume no session")
}

// tlsFlags defines the flags for https:// URLs that commands share, and returns their names.
func tlsFlags(fl *pflag.FlagSet, t *endpoint.TLS) []string {
	fl.StringVar(&t.CA, "ca", "", "PEM file of certificates to trust instead of the system's")
	fl.StringVar(&t.Cert, "cert", "", "PEM file of the client's certificate")
	fl.StringVar(&t.Key, "key", "", "PEM file of its private key (default: the file of --cert)")
	fl.StringVar(&t.ServerName, "servername", "", "name to ask for (SNI) and to verify (default: the URL's host)")
	fl.BoolVar(&t.Insecure, "insecure", false, "accept any certificate")
	fl.Var(flagOf(&t.Min, "1.2", "version", parseTLSVersion), "tls-min", "lowest version: 1.2 or 1.3")
	fl.Var(flagOf(&t.Groups, "", "list", parseGroups), "groups", "groups of the key exchange, such as X25519,P-256 "+
		"(default: those of Go)")
	return []string{"ca", "cert", "key", "servername", "insecure", "tls-min", "groups"}
}

func parseTLSVersion(s string) (uint16, error) {
	switch s {
	case "1.2":
		return tls.VersionTLS12, nil
	case "1.3":
		return tls.VersionTLS13, nil
	}
	return 0, errors.New("want 1.2 or 1.3")
}

// groups are the groups of key exchanges, by their names in other tools.
var groups = map[string]tls.CurveID{"X25519": tls.X25519, "X25519MLKEM768": tls.X25519MLKEM768, "P-256": tls.CurveP256,
	"P-384": tls.CurveP384, "P-521": tls.CurveP521}

func parseGroups(s string) (list []tls.CurveID, err error) {
	for _, name := range strings.Split(s, ",") {
		id := groups[strings.TrimSpace(name)]
		if id == 0 {
			return nil, fmt.Errorf("%q is not a group; want some of %s", name,
				strings.Join(slices.Sorted(maps.Keys(groups)), ", "))
		}
		list = append(list, id)
	}
	return list, nil
}

func parseALPN(s string) (list []string, err error) {
	for _, name := range strings.Split(s, ",") {
		if name = strings.TrimSpace(name); name == "" || len(name) > 255 {
			return nil, errors.New("want names of protocols, such as http/1.1")
		}
		list = append(list, name)
	}
	return list, nil
}
