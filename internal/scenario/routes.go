package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// routeKeys lists the request keys whose values come from the routes.
var routeKeys = []string{"method", "path", "body", "with", "remembers", "expect.body", "expect.body_file",
	"expect.collapse", "expect.json", "expect.json_file", "expect.json_of", "expect.recalls"}

// routes returns r for each route in k's file. A route's parameters become inputs with their names. The
// expected body is the route's line, followed by the parameter values in order.
func (k *requestKeys) routes(fsys fs.FS, r Request) ([]Request, error) {
	for _, key := range routeKeys {
		if k.has(key) {
			return nil, wrong(key, "a request with routes takes this from each route; remove it")
		}
	}
	var value *Input
	if k.has("values") {
		in, err := k.Values.input()
		if err != nil {
			return nil, within("values", err)
		}
		value = &in
	}
	text, err := readText(fsys, k.Routes)
	if err != nil {
		return nil, wrong("routes", "%w", err)
	}
	if k.Name == "" {
		r.Name = path.Base(k.Routes)
	}
	file := path.Join(Folder, k.Routes)
	var all []Request
	for i, line := range strings.Split(*text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		at, err := r.at(line, value)
		if err != nil {
			return nil, wrong("routes", "%s:%d: %w", file, i+1, err)
		}
		all = append(all, at)
	}
	if len(all) == 0 {
		return nil, wrong("routes", "%s has no route", file)
	}
	return all, nil
}

var parameterName = regexp.MustCompile(`^\w+$`)

// at returns r for the route on a line such as "GET /repos/:owner/:repo". Every parameter is drawn from
// value.
func (r Request) at(line string, value *Input) (Request, error) {
	r.With = map[string]Input{}
	var ok bool
	r.Method, r.Path, ok = strings.Cut(line, " ")
	if !ok || !slices.Contains(Methods, r.Method) || r.Path == "" || r.Path[0] != '/' || strings.ContainsAny(r.Path,
		" {}?*") {
		return r, fmt.Errorf("%q: want a method and a path, such as GET /repos/:owner/:repo", line)
	}
	body := line
	segments := strings.Split(r.Path, "/")
	for i, s := range segments {
		name, parameter := strings.CutPrefix(s, ":")
		_, twice := r.With[name]
		switch {
		case !parameter:
			continue
		case value == nil:
			return r, fmt.Errorf("no value for :%s; set, for example, values = { int = [1, 1000] }", name)
		case !parameterName.MatchString(name):
			return r, fmt.Errorf("%q is not a valid parameter: want letters, digits and _", s)
		case twice:
			return r, fmt.Errorf("the parameter :%s is given twice", name)
		}
		r.With[name] = *value
		segments[i] = "{" + name + "}"
		body += " {" + name + "}"
	}
	r.Path, r.Expect.Body = strings.Join(segments, "/"), &body
	return r, nil
}
