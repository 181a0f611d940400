package main

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

	"dyno/internal/scenario"
)

// scenarioFor says what is sent and what must come back, and the value of Host.
func (f *loadFlags) scenarioFor(ctx context.Context, t *target) (s *scenario.Scenario, host string, err error) {
	headers, host, err := readHeaders(f.headers.all, !f.template)
	if err != nil {
		return nil, "", err
	}
	host = cmp.Or(host, t.host)
	if f.scenario != "" {
		if s, err = f.readScenario(t, headers); err == nil {
			s, err = bind(ctx, s)
		}
		if err == nil {
			s, err = s.Pin(ctx, t.network, t.addr, host)
		}
	} else {
		s, err = f.oneRequest(ctx, t, headers)
	}
	if err != nil {
		return nil, "", err
	}
	mix, err := s.Compile(host, scenario.Options{})
	if err != nil {
		return nil, "", usage(err)
	}
	switch {
	case mix.Closes():
		return s, host, f.closing()
	case f.noKeepalive && slices.ContainsFunc(headers, func(h scenario.HeaderLine) bool { return strings.EqualFold(h.Name, "connection") }):
		return s, host, usagef("--no-keepalive and -H Connection: without keep-alive it is close; leave one out")
	}
	return s, host, nil
}

// closing is --no-keepalive, said by a header.
func (f *loadFlags) closing() error {
	switch {
	case f.perConnection > 1:
		return usagef("Connection: close and --requests-per-connection %d: each request ends its connection; leave one out", f.perConnection)
	case f.pipeline > 1:
		return usagef("Connection: close and --pipeline: a connection that carries one request has no pipeline; leave one out")
	}
	f.noKeepalive = true
	return nil
}

// alone are the flags that a scenario says itself.
var alone = []string{"method", "body", "body-file", "expect-status", "expect-length", "expect-body", "expect-sha256", "expect-header"}

// readScenario reads the mix; headers go with every request of it, in place of its own of the same name.
func (f *loadFlags) readScenario(t *target, headers []scenario.HeaderLine) (*scenario.Scenario, error) {
	for _, name := range alone {
		if f.changed(name) {
			return nil, usagef("--scenario and --%s: the scenario says what is sent and what must come back; leave one out", name)
		}
	}
	if t.path != "/" {
		return nil, usagef("--scenario: the paths stand in it; give the URL without %s", t.path)
	}
	name := strings.TrimSuffix(filepath.Base(f.scenario), ".toml")
	s, err := scenario.Read(oneFile(f.scenario), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("--scenario %s: no such file", f.scenario)
	}
	if err != nil {
		return nil, usagef("%s", strings.ReplaceAll(err.Error(), path.Join(scenario.Folder, name+".toml"), f.scenario))
	}
	for i := range s.Requests {
		r := &s.Requests[i]
		own := slices.DeleteFunc(r.Headers, func(h scenario.HeaderLine) bool {
			return slices.ContainsFunc(headers, func(o scenario.HeaderLine) bool { return strings.EqualFold(o.Name, h.Name) })
		})
		r.Headers = slices.Concat(headers, own)
	}
	return s, nil
}

// oneFile is a project whose scenarios lie in the folder of this file.
type oneFile string

// Open opens a file of the project: in the folder of the scenarios, or beside it.
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

// methods are those that a request may have.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// oneRequest is the scenario of a URL and the flags beside it.
func (f *loadFlags) oneRequest(ctx context.Context, t *target, headers []scenario.HeaderLine) (*scenario.Scenario, error) {
	body, err := f.readBody(ctx)
	if err != nil {
		return nil, err
	}
	method := strings.ToUpper(f.method)
	switch {
	case method == "" && f.changed("body", "body-file"):
		method = http.MethodPost
	case method == "":
		method = http.MethodGet
	case !slices.Contains(methods, method):
		return nil, usagef("-m %s: no method; want one of %s (%s)", f.method, strings.Join(methods, ", "), taken["method"])
	}
	expect, err := f.expect()
	if err != nil {
		return nil, err
	}
	r := scenario.Request{Name: method + " " + t.path, Method: method, Path: t.path, Headers: headers, Body: body, Verbatim: !f.template, Weight: 1,
		Expect: expect}
	return &scenario.Scenario{Name: "command line", Requests: []scenario.Request{r}}, nil
}

// readBody is what -b or -f say.
func (f *loadFlags) readBody(ctx context.Context) (string, error) {
	switch name, file := strings.CutPrefix(f.body, "@"); {
	case f.changed("body") && f.changed("body-file"):
		return "", usagef("-b and -f: which one is the body? Give one of them")
	case f.changed("body-file"):
		return readFile("-f", f.bodyFile)
	case file && name == "-":
		type read struct {
			b   string
			err error
		}
		done := make(chan read, 1)
		go func() { // outlives an interruption, and so does what it waits for
			var b strings.Builder
			_, err := io.Copy(&b, os.Stdin)
			done <- read{b.String(), err}
		}()
		select {
		case r := <-done:
			if r.err != nil {
				return "", fmt.Errorf("-b @-: read standard input: %w", r.err)
			}
			return r.b, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	case file:
		return readFile("-b", name)
	}
	return f.body, nil
}

// readFile reads a file into the one copy of it that there is.
func readFile(flag, name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", usagef("%s: %w", flag, err)
	}
	defer f.Close()
	var b strings.Builder
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		b.Grow(int(info.Size()))
	}
	if _, err := io.Copy(&b, f); err != nil {
		return "", usagef("%s: %w", flag, err)
	}
	return b.String(), nil
}

// own are the headers that the engine writes itself, and what to say instead.
var own = map[string]string{
	"content-length":    "it is written from the body",
	"transfer-encoding": "the body is sent with its length",
}

// readHeaders reads lines of "Name: value", which are sent in their order, one of them perhaps Host. Verbatim says that they hold no
// placeholders.
func readHeaders(all []string, verbatim bool) (headers []scenario.HeaderLine, host string, err error) {
	hosts := 0
	for _, line := range all {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		low := strings.ToLower(name)
		switch {
		case !ok || !isToken(name) || strings.ContainsFunc(value, isControl):
			return nil, "", usagef("-H %q: want \"Name: value\"", line)
		case own[low] != "":
			return nil, "", usagef("-H %q: %s; leave it out", line, own[low])
		case low == "host":
			if hosts++; hosts > 1 {
				return nil, "", usagef("-H %q: a request has one Host; leave the others out", line)
			}
			host = value
		}
		headers = append(headers, scenario.HeaderLine{Name: name, Value: value, Verbatim: verbatim})
	}
	return headers, host, nil
}

// isToken reports whether s may name a header (RFC 9110 §5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// expect is the contract of the flags.
func (f *loadFlags) expect() (e scenario.Expect, err error) {
	if e.Statuses, err = scenario.ParseStatuses(f.expectStatus); err != nil {
		return e, usagef("--expect-status: %w", err)
	}
	if f.changed("expect-body") {
		body := f.expectBody
		if name, file := strings.CutPrefix(body, "@"); file {
			if body, err = readFile("--expect-body", name); err != nil {
				return e, err
			}
		}
		e.Body, e.Verbatim = &body, true
	}
	if f.changed("expect-length") {
		e.Length = &f.expectLength
	}
	if e.SHA256 = f.expectSHA256; e.SHA256 == "" && f.changed("expect-sha256") {
		return e, usagef("--expect-sha256: want 64 hexadecimal digits, as sha256sum prints them")
	}
	e.Headers = map[string]string{}
	for _, line := range f.expectHeaders.all {
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !isToken(name) || strings.ContainsFunc(value, isControl) {
			return e, usagef("--expect-header %q: want \"Name\" or \"Name: value\"", line)
		}
		e.Headers[name] = value
	}
	return e, nil
}
