package main

import (
	"github.com/spf13/pflag"

	"dyno/internal/wire"
)

// tlsFlags defines the flags for https:// URLs that commands share, and returns their names.
func tlsFlags(fl *pflag.FlagSet, t *wire.TLS) []string {
	fl.StringVar(&t.CA, "ca", "", "PEM file of certificates to trust instead of the system's")
	fl.StringVar(&t.Cert, "cert", "", "PEM file of the client's certificate")
	fl.StringVar(&t.Key, "key", "", "PEM file of its private key (default: the file of --cert)")
	fl.BoolVar(&t.Insecure, "insecure", false, "accept any certificate")
	return []string{"ca", "cert", "key", "insecure"}
}
