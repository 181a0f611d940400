package scenario

import (
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"dyno/internal/conf"
)

// document is a scenario as it stands in its file.
type document struct {
	Name    string `toml:"name"`
	Title   string `toml:"title"`
	Request []struct {
		Name    string            `toml:"name"`
		Method  string            `toml:"method"`
		Path    string            `toml:"path"`
		Weight  *int              `toml:"weight"`
		Headers map[string]string `toml:"headers"`
		Body    string            `toml:"body"`
		With    map[string]struct {
			Int []int64 `toml:"int"`
		} `toml:"with"`
		Expect struct {
			Status  int               `toml:"status"`
			Body    *string           `toml:"body"`
			Headers map[string]string `toml:"headers"`
		} `toml:"expect"`
	} `toml:"request"`
}

// Folder is where scenarios lie within a project.
const Folder = "scenarios"

// Read reads scenarios/<name>.toml. Errors carry file:line:column.
func Read(fsys fs.FS, name string) (*Scenario, error) {
	var doc document
	file, err := conf.Read(fsys, path.Join(Folder, name+".toml"), &doc)
	if err != nil {
		return nil, err
	}
	if doc.Name != name {
		return nil, file.Errorf("name", "the scenario is named %q; its file wants %q", doc.Name, name)
	}
	s := &Scenario{Name: doc.Name, Title: doc.Title}
	for i, r := range doc.Request {
		at := func(key string) string { return fmt.Sprintf("request[%d].%s", i, key) }
		q := Request{Name: r.Name, Method: r.Method, Path: r.Path, Headers: r.Headers, Body: r.Body, Weight: 1,
			With: map[string]Input{}, Expect: Expect{Status: r.Expect.Status, Body: r.Expect.Body, Headers: r.Expect.Headers}}
		if r.Weight != nil {
			q.Weight = *r.Weight
		}
		if q.Name == "" {
			q.Name = q.Method + " " + q.Path
		}
		for name, in := range r.With {
			if len(in.Int) != 2 || in.Int[0] > in.Int[1] {
				return nil, file.Errorf(at("with."+name+".int"), "want two integers, the lower first")
			}
			q.With[name] = Input{Int: [2]int64{in.Int[0], in.Int[1]}}
		}
		if key, err := q.check(); err != nil {
			return nil, file.Errorf(at(key), "%v", err)
		}
		s.Requests = append(s.Requests, q)
	}
	if _, err := s.NewSource(0, "localhost"); err != nil {
		return nil, file.Errorf("request", "%v", err)
	}
	return s, nil
}

// check says which key of a request is wrong, and how.
func (r *Request) check() (key string, err error) {
	switch {
	case !slices.Contains(methods, r.Method):
		return "method", fmt.Errorf("%q is no HTTP method; write it in capitals", r.Method)
	case !strings.HasPrefix(r.Path, "/") || strings.ContainsAny(r.Path, " \r\n"):
		return "path", fmt.Errorf("%q: want a path from /, without spaces", r.Path)
	case r.Weight < 0:
		return "weight", fmt.Errorf("%d: want 0 or more", r.Weight)
	case r.Expect.Status < 100 || r.Expect.Status > 599:
		return "expect", fmt.Errorf("status %d: want one from 100 to 599", r.Expect.Status)
	}
	for name := range r.With {
		if !strings.Contains(string(r.Render("")), "{"+name+"}") {
			return "with." + name, fmt.Errorf("no placeholder {%s} in path, headers or body", name)
		}
	}
	for name, value := range r.Headers {
		if name == "" || strings.ContainsAny(name, " :\r\n") || strings.ContainsAny(value, "\r\n") {
			return "headers", fmt.Errorf("%q is no header", name+": "+value)
		}
	}
	return "", nil
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// Names lists the scenarios of a project, sorted.
func Names(fsys fs.FS) ([]string, error) {
	files, err := fs.Glob(fsys, Folder+"/*.toml")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(path.Base(f), ".toml")
	}
	slices.Sort(names)
	return names, nil
}
