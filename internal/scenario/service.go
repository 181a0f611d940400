package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/wire"
)

// Service is a program that contestants call, and that is not compared. A field is for the kinds in
// its tag, or for all.
type Service struct {
	Name  string            `toml:"name"`                           // alone: KnownServices, or a folder in services/
	Start string            `toml:"start" for:"command data"`       // command that starts it, or image:NAME
	URL   string            `toml:"url"`                            // of one that already runs
	Port  int               `toml:"port" for:"command data known"`  // offered to it; 0: a free one
	Ready string            `toml:"ready" for:"command data known"` // a path that answers, or a command; "": it listens
	Seed  string            `toml:"seed" for:"data known"`          // a file for a known service, or a command
	Data  string            `toml:"data" for:"data known"`          // "tmpfs", "disk"; "": tmpfs if there is room
	Reset string            `toml:"reset" for:"command data known"` // when it is started anew: "epoch", "run"
	Each  bool              `toml:"each" for:"command data known"`  // one for each contestant
	Env   map[string]string `toml:"env"`                            // variables for contestants
	Dir   string            `toml:"-"`                              // folder of commands; "": the working directory

	Version  string            `toml:"version" for:"known"` // the least, such as ">=15"
	Settings map[string]string `toml:"settings" for:"known"`
}

// DataMark stands for a service's data folder in its commands.
const DataMark = "{data}"

// KnownServices are those that dyno finds and starts by their name alone.
var KnownServices = []string{"postgres", "redis", "valkey"}

// serviceKinds describe the kinds of services.
var serviceKinds = map[string]string{
	"url":     "a service that already runs, at its url",
	"data":    "a start command",
	"command": "a start command without " + DataMark + ", its data folder",
	"known":   strings.Join(KnownServices, " and "),
	"project": "a service of the folder services/",
}

func (d *Service) kind() string {
	switch {
	case d.URL != "":
		return "url"
	case strings.Contains(d.Start, DataMark):
		return "data"
	case d.Start != "":
		return "command"
	case slices.Contains(KnownServices, d.Name):
		return "known"
	}
	return "project"
}

// Known reports whether it is one of KnownServices.
func (d *Service) Known() bool { return d.kind() == "known" }

// HasData reports whether it works in a data folder that dyno makes.
func (d *Service) HasData() bool { return d.Known() || d.kind() == "data" }

// PerRun reports whether it is started once for a run.
func (d *Service) PerRun() bool { return d.Reset == "run" || d.URL != "" }

// Records reports whether it is a program of the project that answers with a number of records.
func (d *Service) Records() bool { return d.kind() == "project" }

// Variables returns Env for a service at addr, host:port.
func (d *Service) Variables(addr string) map[string]string {
	env := map[string]string{}
	for key, value := range d.Env {
		env[key] = At(value, addr)
	}
	return env
}

// At returns a text with an address, host:port, in place of {host} and {port}.
func At(text, addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	return strings.NewReplacer("{host}", host, "{port}", port).Replace(text)
}

// ReadServices checks the services in a file in the folder dir. Errors start with file:line:column.
func ReadServices(f *conf.File, dir string, all []Service) error {
	for i := range all {
		all[i].Dir = dir
	}
	var m *mistake
	if errors.As(checkServices(all), &m) {
		return f.Errorf(m.key, "%v", m.error)
	}
	return nil
}

var (
	serviceName  = conf.Regexp(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)
	leastVersion = conf.Regexp(`^(>=[0-9]+(\.[0-9]+)*)?$`)
)

// checkServices reports a mistake in services.
func checkServices(all []Service) error {
	for i, d := range all {
		at, key := fmt.Sprintf("service[%d].", i), d.misplaced()
		switch {
		case !serviceName().MatchString(d.Name):
			return wrong(at+"name", "a service needs a name of letters, digits and -_. alone, not %q", d.Name)
		case slices.ContainsFunc(all[:i], func(o Service) bool { return o.Name == d.Name }):
			return wrong(at+"name", "the service %q is named twice", d.Name)
		case key != "":
			return wrong(at+key, "%s is not for %s; omit it", key, serviceKinds[d.kind()])
		case !leastVersion().MatchString(d.Version):
			return wrong(at+"version", "%q: want the least version, such as \">=15\"", d.Version)
		case !slices.Contains([]string{"", "epoch", "run"}, d.Reset):
			return wrong(at+"reset", "%q: want epoch or run", d.Reset)
		case !slices.Contains([]string{"", "tmpfs", "disk"}, d.Data):
			return wrong(at+"data", "%q: want tmpfs or disk; for a folder of your own, name it in start", d.Data)
		case d.Port < 0 || d.Port > 65535:
			return wrong(at+"port", "%d: want a number from 1 to 65535", d.Port)
		case d.Port != 0 && d.Each:
			return wrong(at+"each", "each service would listen on port %d; omit port", d.Port)
		}
	}
	return nil
}

// Join returns services and more. What both name must be the same.
func Join(all, more []Service) ([]Service, error) {
	all = slices.Clip(all)
	for _, d := range more {
		i := slices.IndexFunc(all, func(o Service) bool { return o.Name == d.Name })
		if i < 0 {
			all = append(all, d)
			continue
		}
		same := all[i]
		if d.Start+d.Seed+d.Ready+d.Data == "" { // the folder does not matter
			same.Dir = d.Dir
		}
		if !reflect.DeepEqual(same, d) {
			return nil, conf.Usagef("the service %q of %s differs from that of %s; write the same, or give it another name",
				d.Name, d.from(), all[i].from())
		}
	}
	return all, nil
}

// from names the folder of the file with the table.
func (d *Service) from() string { return cmp.Or(d.Dir, "dyno.toml") }

// misplaced returns the key of a field that is set and not for its kind of service.
func (d *Service) misplaced() string {
	v := reflect.ValueOf(*d)
	for i, f := range reflect.VisibleFields(v.Type()) {
		kinds := strings.Fields(f.Tag.Get("for"))
		if len(kinds) > 0 && !v.Field(i).IsZero() && !slices.Contains(kinds, d.kind()) {
			return f.Tag.Get("toml")
		}
	}
	return ""
}

// source returns the name of the service whose answers contestants pass on; "" if there is none.
func (s *Scenario) source() string {
	for _, d := range s.Services {
		if d.Records() {
			return d.Name
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
		said[path] = new(string(body))
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
	_, err := exchangeOnce(ctx, to, fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, to.Authority()), 0)
	return err
}

// exchangeOnce sends a request on a new connection. It returns the response body and requires this status; 0: one
// below 400.
func exchangeOnce(ctx context.Context, to wire.Endpoint, request string, status int) ([]byte, error) {
	v := newVerifier(nil, to, 0)
	defer v.hangUp()
	resp, err := v.exchange(ctx, message(request), false)
	switch {
	case err != nil:
		return nil, err
	case status == 0 && resp.Status >= http.StatusBadRequest:
		return nil, fmt.Errorf("status %d; want one below 400", resp.Status)
	case status > 0 && resp.Status != status:
		return nil, fmt.Errorf("status %d; want %d", resp.Status, status)
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
