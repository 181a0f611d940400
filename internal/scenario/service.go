package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	"dyno/internal/conf"
	"dyno/internal/wire"
)

// Service is a program that contestants call, and that is not compared. {host} and {port} in Env,
// and {port} in Start and Ready, stand for its address.
type Service struct {
	Name  string            `toml:"name"`  // without Start and URL a folder in services/
	Start string            `toml:"start"` // command that starts it, or image:NAME
	URL   string            `toml:"url"`   // of one that already runs
	Port  int               `toml:"port"`  // offered to it; 0: a free one
	Ready string            `toml:"ready"` // a path that answers, or a command that exits with 0; "": it listens
	Reset string            `toml:"reset"` // when it is started anew: "epoch", "run"
	Each  bool              `toml:"each"`  // one for each contestant
	Env   map[string]string `toml:"env"`   // variables for contestants
	Dir   string            `toml:"-"`     // folder of commands; "": the working directory
}

// Records reports whether it is a program of the project that answers with a number of records.
func (d *Service) Records() bool { return d.Start == "" && d.URL == "" }

// ReadServices checks the services in a file. Errors start with file:line:column.
func ReadServices(f *conf.File, all []Service) error {
	var m *mistake
	if errors.As(checkServices(all), &m) {
		return f.Errorf(m.key, "%v", m.error)
	}
	return nil
}

var (
	serviceName  = conf.Regexp(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	variableName = conf.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// checkServices reports a mistake in services.
func checkServices(all []Service) error {
	for i, d := range all {
		at := fmt.Sprintf("service[%d]", i)
		switch {
		case d.Name == "":
			return wrong(at, "a service needs a name, such as name = \"db\"")
		case !serviceName().MatchString(d.Name):
			return wrong(at+".name", "%q: want letters, digits and -_. alone", d.Name)
		case d.Start != "" && d.URL != "":
			return wrong(at+".url", "start and url: dyno starts the service, or it already runs; set one")
		case d.URL != "" && d.Each:
			return wrong(at+".each", "a service that already runs is one for all; omit each, or set start")
		case d.URL != "" && d.Reset != "" || d.URL != "" && d.Port != 0:
			return wrong(at+".url", "reset and port are for a service that dyno starts; omit them")
		case d.Records() && (d.Each || d.Port != 0 || d.Ready != ""):
			return wrong(at, "the service %q of the project takes no each, port or ready; set start or url for another program",
				d.Name)
		case d.Reset != "" && d.Reset != "epoch" && d.Reset != "run":
			return wrong(at+".reset", "%q: want epoch or run", d.Reset)
		case d.Port < 0 || d.Port > 65535:
			return wrong(at+".port", "%d: want a number from 1 to 65535", d.Port)
		case d.Port != 0 && d.Each:
			return wrong(at+".each", "each service would listen on port %d; omit port", d.Port)
		case slices.ContainsFunc(all[:i], func(o Service) bool { return o.Name == d.Name }):
			return wrong(at+".name", "the service %q is named twice", d.Name)
		}
		for _, key := range sortedKeys(d.Env) {
			if !variableName().MatchString(key) {
				return wrong(at+".env", "%q is not a name of a variable", key)
			}
		}
	}
	return nil
}

// source returns the name of the service whose answers contestants pass on; "" if there is none.
func (s *Scenario) source() string {
	for i := range s.Services {
		if s.Services[i].Records() {
			return s.Services[i].Name
		}
	}
	return ""
}

// SourceAddr returns the source's address from the environment; "" if s needs none.
func (s *Scenario) SourceAddr() (string, error) {
	addr := os.Getenv("DYNO_RECORDS")
	switch {
	case s.source() == "":
		return "", nil
	case addr == "":
		return "", conf.Usagef("scenario %s: contestants call the service %s; set its address: DYNO_RECORDS=host:port",
			s.Name, s.source())
	}
	return addr, nil
}

// bound returns an error if s still needs Bind.
func (s *Scenario) bound() error {
	for i := range s.Requests {
		if e := &s.Requests[i].Expect; e.JSONOf != "" && e.JSON == nil {
			return fmt.Errorf("scenario %s: the responses of the service %s are unknown; call Bind first",
				s.Name, s.source())
		}
	}
	return nil
}

// Bind returns s with the service's present responses as expected bodies. It calls get once per service path.
func (s *Scenario) Bind(get func(path string) ([]byte, error)) (*Scenario, error) {
	said := map[string]*string{}
	for i := range s.Requests {
		path := s.Requests[i].Expect.JSONOf
		if path == "" || said[path] != nil {
			continue
		}
		body, err := get(path)
		if err == nil {
			_, err = ReadJSON(body)
		}
		if err != nil {
			return nil, fmt.Errorf("request %s from the service %s: %w", path, s.source(), err)
		}
		text := string(body)
		said[path] = &text
	}
	if len(said) == 0 {
		return s, nil
	}
	return s.each(func(_ int, r *Request) {
		if text := said[r.Expect.JSONOf]; text != nil {
			r.Expect.JSON = text
		}
	}), nil
}

// Ask returns a get function for Bind that asks the service.
func Ask(ctx context.Context, service wire.Endpoint) func(path string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, service.Authority())
		return exchangeOnce(ctx, service, request, http.StatusOK)
	}
}

// Tell sets the number of records in the service's responses, and the seed for drawing them.
func Tell(ctx context.Context, service wire.Endpoint, records int, seed uint64) error {
	request := fmt.Sprintf("POST /control?records=%d&seed=%d HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n",
		records, seed, service.Authority())
	_, err := exchangeOnce(ctx, service, request, http.StatusNoContent)
	return err
}

// Answers returns an error unless to answers GET path with a status below 400.
func Answers(ctx context.Context, to wire.Endpoint, path string) error {
	v := newVerifier(nil, to, 0)
	defer v.hangUp()
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, to.Authority())
	resp, _, err := v.exchange(ctx, message{raw: []byte(request)}, false)
	if err == nil && resp.Status >= http.StatusBadRequest {
		err = fmt.Errorf("GET %s: status %d; want one below 400", path, resp.Status)
	}
	return err
}

// exchangeOnce sends a request on a new connection. It returns the response body and requires this status.
func exchangeOnce(ctx context.Context, to wire.Endpoint, request string, status int) ([]byte, error) {
	v := newVerifier(nil, to, 0)
	defer v.hangUp()
	resp, _, err := v.exchange(ctx, message{raw: []byte(request)}, false)
	if err == nil && resp.Status != status {
		err = fmt.Errorf("status %d; want %d", resp.Status, status)
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Direct returns the scenario that measures the service alone: it sends the requests that contestants send to
// the service. Bind must have set the expected bodies.
func (s *Scenario) Direct() *Scenario {
	own := &Scenario{Name: s.Name, Title: s.Title}
	for _, r := range s.Requests {
		if r.Weight == 0 || r.Expect.JSONOf == "" || r.Expect.JSON == nil {
			continue
		}
		e := Expect{Status: http.StatusOK, Body: r.Expect.JSON, Verbatim: true, Headers: r.Expect.Headers}
		own.Requests = append(own.Requests, Request{Name: r.Name, Method: http.MethodGet, Path: r.Expect.JSONOf,
			Weight: r.Weight, Expect: e})
	}
	return own
}
