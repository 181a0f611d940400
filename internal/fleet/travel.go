package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"slices"
	"unicode/utf8"

	"dyno/internal/adhoc"
	lab "dyno/internal/bench"
	"dyno/internal/conf"
	"dyno/internal/contestant"
	"dyno/internal/endpoint"
	"dyno/internal/loader"
	form "dyno/internal/protocol"
	"dyno/internal/result"
	"dyno/internal/scenario"
)

// Contract is a scenario on its way. JSON holds texts in UTF-8 alone, so that bodies of other bytes
// travel beside it.
type Contract struct {
	Scenario scenario.Scenario `json:"scenario"`
	Sent     map[int][]byte    `json:"sent,omitempty"`   // bodies of requests, by index
	Wanted   map[int][]byte    `json:"wanted,omitempty"` // expected bodies
}

// contractOf packs s; nil for nil.
func contractOf(s *scenario.Scenario) *Contract {
	if s == nil {
		return nil
	}
	s = s.Unshaped()
	c := &Contract{*s, map[int][]byte{}, map[int][]byte{}}
	c.Scenario.Requests = append([]scenario.Request(nil), s.Requests...)
	for i := range c.Scenario.Requests {
		r, empty := &c.Scenario.Requests[i], ""
		if !utf8.ValidString(r.Body) {
			c.Sent[i], r.Body = []byte(r.Body), ""
		}
		if b := r.Expect.Body; b != nil && !utf8.ValidString(*b) {
			c.Wanted[i], r.Expect.Body = []byte(*b), &empty
		}
	}
	return c
}

// inOrder packs s for an order of a run. Its error is a mistake if s is too large for one.
func inOrder(s *scenario.Scenario) (*Contract, error) {
	if s == nil {
		return nil, nil
	}
	c := contractOf(s)
	return c, sendable("the scenario "+s.Name, c, func(a *Contract) bool { return reflect.DeepEqual(a.unpack(), s.Unshaped()) })
}

// sendable returns an error, which is a mistake, if v is too large to be sent to other machines, and another one if it
// would not be the same there.
func sendable[T any](what string, v *T, same func(arrived *T) bool) error {
	data, arrived := encoded(v), new(T)
	if len(data) > mostPlan {
		return conf.Usagef("%s takes %d MB, and other machines can be sent %d MB; make its bodies smaller", what,
			len(data)>>20, mostPlan>>20)
	}
	if err := strict(data, arrived); err != nil || !same(arrived) {
		return fmt.Errorf("%s cannot be sent to other machines (%v): this is a bug in dyno", what, err)
	}
	return nil
}

// Sendable returns an error, which is a mistake, if s is too large to be sent to other machines.
func Sendable(s *scenario.Scenario) error {
	_, err := inOrder(s)
	return err
}

// unpack returns the scenario; nil for nil.
func (c *Contract) unpack() *scenario.Scenario {
	if c == nil {
		return nil
	}
	s := c.Scenario
	s.Requests = slices.Clone(s.Requests) // which stay as they came
	for i := range s.Requests {
		if b, ok := c.Sent[i]; ok {
			s.Requests[i].Body = string(b)
		}
		if b, ok := c.Wanted[i]; ok {
			text := string(b)
			s.Requests[i].Expect.Body = &text
		}
	}
	return &s
}

// Plan is a load of several generators, with all that they need for it: what it sends and what must come back
// is in Contract, and the files of TLS in Request.
type Plan struct {
	Request  loader.Request `json:"request"` // of which each generator is sent its Share
	Contract *Contract      `json:"contract"`
	Host     string         `json:"host,omitempty"` // header; "": that of the URL
}

// mostPlan is what a plan, or a scenario of a run, may take as JSON: an order is one message.
const mostPlan = 4 << 20

// Pack packs a load, and the contents of the files that it names. Its errors are mistakes.
func Pack(ctx context.Context, r loader.Request) (*Plan, error) {
	if err := r.Portable(); err != nil {
		return nil, err
	}
	r, err := r.Detach(ctx)
	if err != nil {
		return nil, err
	}
	p := &Plan{Request: r, Host: r.Made.Host, Contract: contractOf(r.Made.Scenario)}
	p.Request.Made = nil
	return p, sendable("this load", p, func(a *Plan) bool {
		return reflect.DeepEqual(a.Request, p.Request) && reflect.DeepEqual(a.Contract.unpack(), r.Made.Scenario.Unshaped())
	})
}

// unpack returns the load, which names no file of this machine.
func (p *Plan) unpack() (loader.Request, error) {
	r := p.Request
	if p.Contract != nil {
		r.Made = &loader.Made{Scenario: p.Contract.unpack(), Host: p.Host}
	}
	if !r.Detached() {
		return r, errors.New("a load without what it sends")
	}
	return r, r.Portable()
}

// Place is where a server is that generators load, and how it is spoken to.
type Place struct {
	Addr string    `json:"addr"` // IP address and port
	HTTP form.HTTP `json:"http"`
	Cert []byte    `json:"cert,omitempty"` // of a server of the fleet, PEM: it is trusted, and no other

	// Of a server that is running already, at a URL: its Host header, and the name that its certificate must have
	// by what the generator's system trusts; "": it is not encrypted.
	Host       string `json:"host,omitempty"`
	ServerName string `json:"server_name,omitempty"`
}

func (p *Place) endpoint() (endpoint.Endpoint, error) {
	if p.Host != "" {
		to := endpoint.Endpoint{Network: "tcp", Addr: p.Addr, Host: p.Host}
		var err error
		if p.ServerName != "" {
			to.TLS, err = new(endpoint.TLS).Config(p.ServerName)
		}
		return to, err
	}
	var trusted endpoint.Identity
	if p.HTTP.TLS() {
		var err error
		if trusted, err = endpoint.Trusting(p.Cert); err != nil {
			return endpoint.Endpoint{}, err
		}
	}
	return endpoint.TCP(p.Addr).Speaking(p.HTTP, trusted), nil
}

// placeOfURL returns where a server is that is running already.
func placeOfURL(t *adhoc.Target) Place {
	p := Place{Addr: t.Addr, Host: t.Host}
	if t.TLS != nil {
		p.ServerName = t.TLS.ServerName
	}
	return p
}

// Running returns the manifests of contestants that are all running already, where generators reach them.
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
			return nil, conf.Usagef("%s: to each generator that is its own machine; pass the address at which they reach the "+
				"server", m.URL.URL)
		}
		running[m.Name] = m
	}
	return running, nil
}

// Starting is a launch on the servers' machine.
type Starting struct {
	Name     string     `json:"name"`
	Launch   lab.Launch `json:"launch"` // whose probe's scenario is in Contract
	Contract *Contract  `json:"contract,omitempty"`
}

// launch unpacks it.
func (s *Starting) launch() lab.Launch {
	l := s.Launch
	l.Probe.Scenario = s.Contract.unpack()
	return l
}

// Trouble is an error of a contestant, as the machine that it is on records it.
type Trouble struct {
	Failure result.Failure `json:"failure"`
}

func (t *Trouble) Error() string { return t.Failure.Reason }

// troubleOf returns the error of a contestant for its record; its log stays where it is.
func troubleOf(host lab.Host, name, stage string, err error) *Trouble {
	f := host.Failure(name, stage, err)
	f.LogFile = ""
	return &Trouble{f}
}
