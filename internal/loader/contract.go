package loader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dyno/internal/conf"
	"dyno/internal/scenario"
)

// scenario returns what is sent and what must come back, and the value of the Host header.
func (r *Request) scenario(ctx context.Context, t *target) (s *scenario.Scenario, host string, err error) {
	headers, host, err := readHeaders(r.Headers, !r.Template)
	if err != nil {
		return nil, "", err
	}
	host = cmp.Or(host, t.host)
	if r.Scenario == "" {
		s, err = r.oneRequest(ctx, t, headers)
	} else {
		s, err = r.readScenario(ctx, t, host, headers)
	}
	if err != nil {
		return nil, "", err
	}
	mix, err := s.Compile(host, scenario.Options{})
	switch {
	case err != nil:
		return nil, "", conf.Usage(err)
	case mix.Closes():
		return s, host, r.closing()
	case r.NoKeepalive && slices.ContainsFunc(headers,
		func(h scenario.HeaderLine) bool { return strings.EqualFold(h.Name, "connection") }):
		return s, host, conf.Usagef("--no-keepalive and -H Connection: without keep-alive it is close; leave one out")
	}
	return s, host, nil
}

// closing sets NoKeepalive, because a header of the requests says so.
func (r *Request) closing() error {
	switch {
	case r.PerConnection > 1:
		return conf.Usagef("Connection: close and --requests-per-connection %d: each request ends its connection; "+
			"leave one out",
			r.PerConnection)
	case r.Pipeline > 1:
		return conf.Usagef("Connection: close and --pipeline: a connection that carries one request has no pipeline; " +
			"leave one out")
	}
	r.NoKeepalive = true
	return nil
}

// readScenario reads a scenario and makes it exact. The headers go with every request, in place of
// its own of the same name.
func (r *Request) readScenario(ctx context.Context, t *target, host string, headers []scenario.HeaderLine) (
	*scenario.Scenario, error) {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"method", r.Method != ""}, {"body", r.Body != nil}, {"body-file", r.BodyFile != ""},
		{"expect-status", !r.ExpectStatus.Empty()}, {"expect-length", r.ExpectLength != nil},
		{"expect-body", r.ExpectBody != nil}, {"expect-sha256", r.ExpectSHA256 != ""},
		{"expect-header", r.ExpectHeaders != nil},
	} {
		if f.given {
			return nil, conf.Usagef("--scenario and --%s: the scenario says what is sent and what must come back; "+
				"leave one out", f.flag)
		}
	}
	if t.path != "/" {
		return nil, conf.Usagef("--scenario: the paths stand in it; give the URL without %s", t.path)
	}
	name := strings.TrimSuffix(filepath.Base(r.Scenario), ".toml")
	s, err := scenario.Read(oneFile(r.Scenario), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, conf.Usagef("--scenario %s: no such file", r.Scenario)
	}
	if err != nil {
		return nil, conf.Usagef("%s", strings.ReplaceAll(err.Error(), path.Join(scenario.Folder, name+".toml"),
			r.Scenario))
	}
	for i := range s.Requests {
		q := &s.Requests[i]
		own := slices.DeleteFunc(q.Headers, func(h scenario.HeaderLine) bool {
			return slices.ContainsFunc(headers, func(o scenario.HeaderLine) bool {
				return strings.EqualFold(o.Name,
					h.Name)
			})
		})
		q.Headers = slices.Concat(headers, own)
	}
	backend, err := s.CompanionAddr()
	if err != nil {
		return nil, err
	}
	if s, err = s.Bind(scenario.Ask(ctx, "tcp", backend)); err != nil {
		return nil, err
	}
	return s.Pin(ctx, t.network, t.addr, host)
}

// oneFile is a project whose folder of scenarios is that of this file.
type oneFile string

// Open opens a file of the project: in the folder of scenarios, or beside it.
func (f oneFile) Open(name string) (fs.File, error) {
	folder, own := filepath.Split(string(f))
	if name == path.Join(scenario.Folder, strings.TrimSuffix(own, ".toml")+".toml") {
		return os.Open(string(f))
	}
	if below, ok := strings.CutPrefix(name, scenario.Folder+"/"); ok {
		return os.Open(filepath.Join(folder, filepath.FromSlash(below)))
	}
	return os.Open(filepath.Join(folder, "..", filepath.FromSlash(name)))
}

// oneRequest returns the scenario of a URL and the flags beside it.
func (r *Request) oneRequest(ctx context.Context, t *target, headers []scenario.HeaderLine) (*scenario.Scenario,
	error) {
	body, err := r.readBody(ctx)
	if err != nil {
		return nil, err
	}
	method := strings.ToUpper(r.Method)
	switch {
	case method == "" && (r.Body != nil || r.BodyFile != ""):
		method = http.MethodPost
	case method == "":
		method = http.MethodGet
	case !slices.Contains(scenario.Methods, method):
		return nil, conf.Usagef("-m %s: no method; want one of %s (-m is the method, as in bombardier, hey and oha; "+
			"for requests in flight at once, as in h2load, say --pipeline)", r.Method, strings.Join(scenario.Methods,
			", "))
	}
	expect, err := r.expect()
	if err != nil {
		return nil, err
	}
	q := scenario.Request{Name: method + " " + t.path, Method: method, Path: t.path, Headers: headers, Body: body,
		Verbatim: !r.Template, Weight: 1, Expect: expect}
	return &scenario.Scenario{Name: "command line", Requests: []scenario.Request{q}}, nil
}

// readBody returns the body that -b or -f names.
func (r *Request) readBody(ctx context.Context) (string, error) {
	switch {
	case r.Body != nil && r.BodyFile != "":
		return "", conf.Usagef("-b and -f: which one is the body? Give one of them")
	case r.BodyFile != "":
		return readFile("-f", r.BodyFile)
	case r.Body == nil:
		return "", nil
	case *r.Body == "@-":
		return readInput(ctx)
	}
	if name, file := strings.CutPrefix(*r.Body, "@"); file {
		return readFile("-b", name)
	}
	return *r.Body, nil
}

// readInput reads standard input until its end, or until ctx is done. What reads it cannot be
// interrupted and goes on.
func readInput(ctx context.Context) (string, error) {
	var b strings.Builder
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(&b, os.Stdin)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return "", fmt.Errorf("-b @-: read standard input: %w", err)
		}
		return b.String(), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readFile reads a file into a single copy.
func readFile(flag, name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", conf.Usagef("%s: %w", flag, err)
	}
	defer f.Close()
	var b strings.Builder
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		b.Grow(int(info.Size()))
	}
	if _, err := io.Copy(&b, f); err != nil {
		return "", conf.Usagef("%s: %w", flag, err)
	}
	return b.String(), nil
}

// written are the headers that the engine writes, and from what.
var written = map[string]string{
	"content-length":    "it is written from the body",
	"transfer-encoding": "the body is sent with its length",
}

// readHeaders reads lines of "Name: value", which are sent in their order; one of them may be Host.
// Verbatim says that they hold no placeholders.
func readHeaders(all []string, verbatim bool) (headers []scenario.HeaderLine, host string, err error) {
	hosts := 0
	for _, line := range all {
		name, value, ok := scenario.ParseHeader(line)
		low := strings.ToLower(name)
		switch {
		case !ok || !strings.Contains(line, ":"):
			return nil, "", conf.Usagef("-H %q: want \"Name: value\"", line)
		case written[low] != "":
			return nil, "", conf.Usagef("-H %q: %s; leave it out", line, written[low])
		case low == "host":
			if hosts++; hosts > 1 {
				return nil, "", conf.Usagef("-H %q: a request has one Host; leave the others out", line)
			}
			host = value
		}
		headers = append(headers, scenario.HeaderLine{Name: name, Value: value, Verbatim: verbatim})
	}
	return headers, host, nil
}

// defaultStatuses count as success if nothing is said.
const defaultStatuses = "200-399"

// expect returns the contract of the flags.
func (r *Request) expect() (e scenario.Expect, err error) {
	if e.Statuses = r.ExpectStatus; e.Statuses.Empty() {
		e.Statuses, _ = scenario.ParseStatuses(defaultStatuses)
	}
	if r.ExpectBody != nil {
		body := *r.ExpectBody
		if name, file := strings.CutPrefix(body, "@"); file {
			if body, err = readFile("--expect-body", name); err != nil {
				return e, err
			}
		}
		e.Body, e.Verbatim = &body, true
	}
	e.Length, e.SHA256, e.Headers = r.ExpectLength, r.ExpectSHA256, map[string]string{}
	for _, line := range r.ExpectHeaders {
		name, value, ok := scenario.ParseHeader(line)
		if !ok {
			return e, conf.Usagef("--expect-header %q: want \"Name\" or \"Name: value\"", line)
		}
		e.Headers[name] = value
	}
	return e, nil
}
