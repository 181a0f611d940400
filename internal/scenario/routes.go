package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// routeKeys are what a request with routes takes from each of them.
var routeKeys = []string{"method", "path", "body", "with", "remembers", "expect.body", "expect.body_file", "expect.collapse", "expect.json", "expect.json_file",
	"expect.json_of", "expect.recalls", "expect.length", "expect.sha256"}

// routes are the requests that k stands for: q, at each route of a file. A parameter is an input by its name; the answer is the route, as it stands in its
// line, and after it the values of its parameters, in their order. Or it says which key is wrong, and how.
func (k *requestKeys) routes(fsys fs.FS, q Request, has func(key string) bool) (all []Request, key string, err error) {
	for _, key := range routeKeys {
		if has(key) {
			return nil, key, errors.New("a request with routes takes it from each of them: leave it out")
		}
	}
	in, key, err := k.Values.input()
	if has("values") && err != nil {
		return nil, "values" + key, err
	}
	text, err := read(fsys, k.Routes)
	if err != nil {
		return nil, "routes", err
	}
	if k.Name == "" {
		q.Name = path.Base(k.Routes)
	}
	known := map[string]bool{}
	for i, line := range strings.Split(*text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		r, err := q.at(line, in, has("values"))
		if err == nil && known[line] {
			err = errors.New("this route stands there twice")
		}
		if err != nil {
			return nil, "routes", fmt.Errorf("%s:%d: %w", path.Join(Folder, k.Routes), i+1, err)
		}
		known[line] = true
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, "routes", fmt.Errorf("%s has no route", path.Join(Folder, k.Routes))
	}
	return all, "", nil
}

// at is q at the route of a line, "GET /repos/:owner/:repo".
func (q *Request) at(line string, value Input, drawn bool) (Request, error) {
	r := *q
	r.With = map[string]Input{}
	var ok bool
	if r.Method, r.Path, ok = strings.Cut(line, " "); !ok || !slices.Contains(methods, r.Method) || !strings.HasPrefix(r.Path, "/") || strings.ContainsAny(r.Path, " {}?*") {
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
		case !drawn:
			return r, fmt.Errorf("the value of :%s is not said: want values = { int = [1, 1000] }, or another input", name)
		case name == "" || strings.ContainsFunc(name, notLetter):
			return r, fmt.Errorf("%q is no name of a parameter: want letters, digits and _", s)
		case twice:
			return r, fmt.Errorf("the parameter :%s stands there twice", name)
		}
		r.With[name] = value
		segments[i] = "{" + name + "}"
		body += " {" + name + "}"
	}
	r.Path, r.Expect.Body = strings.Join(segments, "/"), &body
	return r, nil
}

func notLetter(c rune) bool {
	return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}
