package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// defineTLS defines the flags for encrypted connections.
func (f *loadFlags) defineTLS() {
	t := &f.TLS
	f.addText("ca", "", &t.CA, "PEM file of certificates to trust instead of the system's")
	f.addText("cert", "", &t.Cert, "PEM file of the client's certificate")
	f.addText("key", "", &t.Key, "PEM file of its private key (default: the file of --cert)")
	f.addText("servername", "", &t.ServerName, "name to ask for (SNI) and to verify (default: the URL's host)")
	f.addBool("insecure", "", &t.Insecure, "accept any certificate")
	add(f, "tls-min", "", &t.Min, "1.2", "version", parseTLSVersion, "lowest version: 1.2 or 1.3")
	add(f, "groups", "", &t.Groups, "", "list", parseGroups, "groups of the key exchange, such as X25519,P-256 "+
		"(default: those of Go)")
	add(f, "alpn", "", &t.ALPN, "http/1.1", "list", parseALPN, "protocols to offer (ALPN)")
	f.addBool("no-resume", "", &t.NoResume, "make every handshake a full one: resume no session")
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
