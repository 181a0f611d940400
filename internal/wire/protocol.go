package wire

import (
	"fmt"
	"slices"
	"strings"
)

// HTTP is the form in which a client talks to a server. The zero value is HTTP/1.1 in the clear, so
// that records and files that name none mean it.
type HTTP string

// The HTTP forms. H2 is chosen by ALPN; H2C is spoken with prior knowledge (RFC 9113, section 3).
const (
	Clear HTTP = ""
	HTTPS HTTP = "https"
	H2    HTTP = "h2"
	H2C   HTTP = "h2c"
)

// Version names in ALPN (RFC 7301).
const (
	ALPN1 = "http/1.1"
	ALPN2 = "h2"
)

// Protocols are all forms of HTTP, the commonest first.
var Protocols = []HTTP{Clear, HTTPS, H2, H2C}

// properties describe each form, so that no other code branches on it.
var properties = map[HTTP]struct {
	words    string
	tls, two bool
	alpn     string // offered and negotiated; "": none
	listener Listener
}{
	Clear: {words: "HTTP/1.1", listener: AtClear},
	HTTPS: {words: "HTTP/1.1 over TLS", tls: true, alpn: ALPN1, listener: AtTLS},
	H2:    {words: "HTTP/2 over TLS", tls: true, two: true, alpn: ALPN2, listener: AtTLS},
	H2C:   {words: "HTTP/2 in the clear", two: true, listener: AtH2C},
}

// Listener is the environment variable that gives a contestant an address to listen on.
type Listener string

// A contestant's listeners. HTTPS and H2 share one, where ALPN chooses.
const (
	AtClear Listener = "DYNO_ADDR"
	AtTLS   Listener = "DYNO_TLS_ADDR"
	AtH2C   Listener = "DYNO_H2C_ADDR"
)

// The environment variables for the PEM files with AtTLS's certificate, and with its key.
const (
	CertVariable = "DYNO_TLS_CERT"
	KeyVariable  = "DYNO_TLS_KEY"
)

// ParseHTTP reads a form's name, as files and flags have it.
func ParseHTTP(name string) (HTTP, error) {
	for _, h := range Protocols {
		if h.String() == name {
			return h, nil
		}
	}
	return Clear, fmt.Errorf("%q is no protocol; want %s", name, ProtocolNames())
}

// ProtocolNames lists the names of all forms, for messages: "http, https, h2 or h2c".
func ProtocolNames() string {
	var names []string
	for _, h := range Protocols {
		names = append(names, h.String())
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// String returns the form's name: "http", "https", "h2" or "h2c".
func (h HTTP) String() string {
	if h == Clear {
		return "http"
	}
	return string(h)
}

// Valid reports whether h is one of Protocols.
func (h HTTP) Valid() bool { return slices.Contains(Protocols, h) }

// Words describes the form for people: "HTTP/2 over TLS".
func (h HTTP) Words() string { return properties[h].words }

// TLS reports whether connections are encrypted.
func (h HTTP) TLS() bool { return properties[h].tls }

// Two reports whether the version is HTTP/2.
func (h HTTP) Two() bool { return properties[h].two }

// ALPN returns the protocol name that a client offers and the server must choose; "" if no protocol
// is negotiated.
func (h HTTP) ALPN() string { return properties[h].alpn }

// Listener returns the listener where a contestant serves the form.
func (h HTTP) Listener() Listener { return properties[h].listener }

// Listeners returns the listeners that the forms need, each once. AtClear is the first, needed or
// not: each contestant has it.
func Listeners(forms []HTTP) []Listener {
	list := []Listener{AtClear}
	for _, h := range forms {
		if at := h.Listener(); !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	return list
}
