package scenario

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"dyno/internal/conf"
)

// AdHoc describes requests and their expected responses. Errors name the fields by their flags. A
// zero field means the default.
type AdHoc struct {
	Scenario string   // a file; it can be combined with Headers and Template alone
	Paths    []string // paths with weights, see parsePath; empty: the URL's path
	Method   string
	Headers  []string // lines "Name: value"
	Body     *string  // text, @FILE, or @- for standard input
	Template bool     // Body and Headers may hold placeholders

	ExpectStatus StatusSet
	ExpectBody   *string // text or @FILE
}

// scenarioName is the name of scenarios without a file.
const scenarioName = "command line"

// Make returns r's scenario and Host header, if any. path is the URL's path. In a scenario from a file, r's
// headers are added to every request and replace those with the same name.
func (r *AdHoc) Make(ctx context.Context, path string) (s *Scenario, host string, err error) {
	headers, host, err := readHeaders(r.Headers, !r.Template)
	switch {
	case err != nil:
		return nil, "", err
	case path != "/" && r.Scenario != "":
		return nil, "", conf.Usagef("--scenario defines the paths; pass the URL without %s", path)
	case path != "/" && len(r.Paths) > 0:
		return nil, "", conf.Usagef("--path replaces the URL's path; pass the URL without %s", path)
	case r.Scenario != "":
		s, err = r.readScenario(headers)
	}
	if s == nil && err == nil {
		s, err = r.requests(ctx, path, headers)
	}
	if err != nil {
		return nil, "", err
	}
	if _, err := s.Check("localhost", Options{}); err != nil && r.Scenario == "" {
		return nil, "", conf.Usage(err)
	}
	return s, host, nil
}

// readScenario reads a scenario file.
func (r *AdHoc) readScenario(headers []HeaderLine) (*Scenario, error) {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"path", r.Paths != nil}, {"method", r.Method != ""}, {"body", r.Body != nil},
		{"expect-status", !r.ExpectStatus.Empty()}, {"expect-body", r.ExpectBody != nil},
	} {
		if f.given {
			return nil, conf.Usagef("--scenario already defines requests and responses; omit it or --%s", f.flag)
		}
	}
	name := strings.TrimSuffix(filepath.Base(r.Scenario), ".toml")
	s, err := Read(oneFile(r.Scenario), name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, conf.Usagef("--scenario %s: no such file", r.Scenario)
	}
	if err != nil {
		return nil, conf.Usagef("%s", strings.ReplaceAll(err.Error(), path.Join(Folder, name+".toml"),
			r.Scenario))
	}
	for i := range s.Requests {
		s.Requests[i].Headers = merged(headers, s.Requests[i].Headers)
	}
	return s, nil
}

// merged returns headers, followed by a request's own headers with other names.
func merged(headers, own []HeaderLine) []HeaderLine {
	return append(slices.Clone(headers), slices.DeleteFunc(slices.Clone(own), func(h HeaderLine) bool {
		return hasHeader(headers, strings.ToLower(h.Name))
	})...)
}

// oneFile is a project whose scenario folder is the folder of this file.
type oneFile string

// Open opens a file in the project: in the scenario folder, or next to it.
func (f oneFile) Open(name string) (fs.File, error) {
	folder, own := filepath.Split(string(f))
	if name == path.Join(Folder, strings.TrimSuffix(own, ".toml")+".toml") {
		return os.Open(string(f))
	}
	if below, ok := strings.CutPrefix(name, Folder+"/"); ok {
		return os.Open(filepath.Join(folder, filepath.FromSlash(below)))
	}
	return os.Open(filepath.Join(folder, "..", filepath.FromSlash(name)))
}

// requests returns the scenario for the URL's path, or for Paths, with the other fields.
func (r *AdHoc) requests(ctx context.Context, path string, headers []HeaderLine) (*Scenario,
	error) {
	body, err := r.readBody(ctx)
	if err != nil {
		return nil, err
	}
	method, err := r.method()
	if err != nil {
		return nil, err
	}
	expect, err := r.expect()
	if err != nil {
		return nil, err
	}
	base := Request{Method: method, Headers: headers, Body: body, Verbatim: !r.Template, Weight: 1,
		Expect: expect}
	s := &Scenario{Name: scenarioName}
	add := func(q Request) {
		q.Name = q.Method + " " + q.Path
		if q.holdsJSON() && !hasHeader(q.Headers, "content-type") {
			q.Headers = append(slices.Clip(q.Headers), HeaderLine{Name: "Content-Type", Value: "application/json",
				Verbatim: true})
			s.SentAsJSON = true
		}
		s.Requests = append(s.Requests, q)
	}
	for _, text := range r.Paths {
		if base.Path, base.Weight, err = parsePath(text); err != nil {
			return nil, conf.Usagef("--path %q: %w", text, err)
		}
		add(base)
	}
	if len(s.Requests) == 0 {
		base.Path = path
		add(base)
	}
	return s, spelled(s)
}

// holdsJSON reports whether the body is a JSON object or array, whatever its placeholders become.
func (r *Request) holdsJSON() bool {
	body := strings.TrimSpace(r.Body)
	if body == "" || body[0] != '{' && body[0] != '[' {
		return false
	}
	if !r.Verbatim {
		body = braced.ReplaceAllString(body, "0")
	}
	return json.Valid([]byte(body))
}

// method returns the method in -m. Without -m it is POST for requests with a body, else GET. CONNECT asks for a
// tunnel (RFC 9110, section 9.3.6); a method with other characters than letters and hyphens is more likely a slip.
func (r *AdHoc) method() (string, error) {
	switch method := strings.ToUpper(r.Method); {
	case method == "" && r.Body != nil:
		return http.MethodPost, nil
	case method == "":
		return http.MethodGet, nil
	case method == http.MethodConnect || strings.Trim(method, "-ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "", conf.Usagef("-m %s: want a method that has a response, such as GET or PURGE (-m is the method, as in "+
			"bombardier, hey and oha; for requests in flight at once, as in h2load, use --streams or --pipeline)", r.Method)
	default:
		return method, nil
	}
}

// parsePath parses a path and a weight: "/a=3", or "/a" with weight 1. After a query, whose text may end like
// a weight, a space precedes the weight: "/a?b=1 =3".
func parsePath(text string) (path string, weight int, err error) {
	path, number, blank := strings.Cut(text, " ")
	if blank {
		number, blank = strings.CutPrefix(strings.TrimSpace(number), "=")
	} else if i := strings.LastIndexByte(path, '='); i >= 0 && !strings.Contains(path, "?") {
		path, number, blank = path[:i], path[i+1:], true
	}
	switch weight, err = strconv.Atoi(cmp.Or(number, "1")); {
	case !strings.HasPrefix(path, "/"):
		return "", 0, errors.New("want a path that starts with /, such as /users/{int:1..100}, or, with a weight, /a=3")
	case err != nil || weight < 1 || weight > 1_000_000 || !blank && number != "" || blank && number == "":
		return "", 0, errors.New("want a weight from 1 to 1000000 after the path, such as /a=3, or '/a?b=1 =3'")
	}
	return ascii(path), weight, nil
}

// readBody returns the body that -b defines.
func (r *AdHoc) readBody(ctx context.Context) (string, error) {
	switch {
	case r.Body == nil:
		return "", nil
	case *r.Body == "@-":
		return readInput(ctx, "-b @-")
	case strings.HasPrefix(*r.Body, "@"):
		return readFile("-b", (*r.Body)[1:])
	}
	return *r.Body, nil
}

// readInput reads standard input until its end, or until ctx is done. The reading goroutine cannot be
// interrupted and continues.
func readInput(ctx context.Context, flag string) (string, error) {
	var b strings.Builder
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(&b, os.Stdin)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return "", fmt.Errorf("%s: read standard input: %w", flag, err)
		}
		return b.String(), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readFile returns a file's content.
func readFile(flag, name string) (string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return "", conf.Usagef("%s: %w", flag, err)
	}
	return unsafe.String(unsafe.SliceData(b), len(b)), nil // it may be long, so it is not copied
}

// readHeaders parses lines "Name: value", which are sent in this order; one may be Host. verbatim means that
// values have no placeholders.
func readHeaders(all []string, verbatim bool) (headers []HeaderLine, host string, err error) {
	for _, line := range all {
		name, value, ok := ParseHeader(line)
		if !ok || !strings.Contains(line, ":") {
			return nil, "", conf.Usagef("-H %q: want \"Name: value\"", line)
		}
		if strings.EqualFold(name, "host") {
			host = value
		}
		headers = append(headers, HeaderLine{Name: name, Value: value, Verbatim: verbatim})
	}
	return headers, host, nil
}

// hasHeader reports whether headers has this name, in lower case.
func hasHeader(headers []HeaderLine, name string) bool {
	return slices.ContainsFunc(headers, func(h HeaderLine) bool { return strings.ToLower(h.Name) == name })
}

// defaultStatuses are the status codes that count as success by default.
const defaultStatuses = "200-399"

// expect returns the contract that the flags define.
func (r *AdHoc) expect() (e Expect, err error) {
	if e.Statuses = r.ExpectStatus; e.Statuses.Empty() {
		e.Statuses, _ = ParseStatuses(defaultStatuses)
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
	return e, nil
}
