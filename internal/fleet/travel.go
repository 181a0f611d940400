package fleet

import (
	"net"
	"slices"

	"dyno/internal/bench"
	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/scenario"
	"dyno/internal/wire"
)

// Sendable returns a usage error if s is too large to be sent to other machines.
func Sendable(s *scenario.Scenario) error { _, err := orderOf(s); return err }

// Place says where generators reach a server, and how.
type Place struct {
	Addr string    `json:"addr"` // IP address and port
	HTTP wire.HTTP `json:"http"`
	Cert []byte    `json:"cert,omitempty"` // certificate of a server in the fleet, PEM: the only trusted one

	// For a server that is already running at a URL: the Host header, and the name that its certificate must
	// have under the generator system's trust; "": not encrypted.
	Host       string `json:"host,omitempty"`
	ServerName string `json:"server_name,omitempty"`
}

func (p *Place) endpoint() (wire.Endpoint, error) {
	if p.Host != "" {
		to := wire.Endpoint{Network: "tcp", Addr: p.Addr, Host: p.Host}
		var err error
		if p.ServerName != "" {
			to.TLS, err = new(wire.TLS).Config(p.ServerName)
		}
		return to, err
	}
	var trusted wire.Identity
	if p.HTTP.TLS() {
		var err error
		if trusted, err = wire.Trusting(p.Cert); err != nil {
			return wire.Endpoint{}, err
		}
	}
	return wire.TCP(p.Addr).Speaking(p.HTTP, trusted), nil
}

// placeOfURL returns the place of a server that is already running.
func placeOfURL(t *scenario.Target) Place {
	p := Place{Addr: t.Addr, Host: t.Host}
	if t.TLS != nil {
		p.ServerName = t.TLS.ServerName
	}
	return p
}

// Running returns the manifests of contestants that are already running where generators can reach them.
func Running(all []*contestant.Manifest, names []string) (map[string]*contestant.Manifest, error) {
	running := map[string]*contestant.Manifest{}
	for _, m := range all {
		if m.URL == nil || !slices.Contains(names, m.Name) {
			continue
		}
		host, _, err := net.SplitHostPort(m.URL.Addr)
		if ip := net.ParseIP(host); err != nil || m.URL.Network != "tcp" || ip == nil {
			return nil, conf.Usagef("%s: generators on other machines do not reach it as this one does; pass the URL of a "+
				"server at an address of its own", m.URL.URL)
		} else if ip.IsLoopback() || ip.IsUnspecified() {
			return nil, conf.Usagef("%s: each generator would take that for its own machine; pass the address at which "+
				"they reach the server", m.URL.URL)
		}
		running[m.Name] = m
	}
	return running, nil
}

// Starting is a launch on the servers' machine.
type Starting struct {
	Name   string       `json:"name"`
	Launch bench.Launch `json:"launch"`
}

// troubleOf returns a contestant's error with its record; the log stays on the machine.
func troubleOf(host bench.Host, name, stage string, err error) error {
	if err == nil {
		return nil
	}
	f := host.Failure(name, stage, err)
	f.LogFile = ""
	return &Fault{Text: f.Reason, Failure: &f}
}
