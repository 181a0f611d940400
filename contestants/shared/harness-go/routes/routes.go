// Package routes reads the sets of routes that a Go contestant must serve, and makes their answers.
package routes

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// Route is a route in a set.
type Route struct {
	Method string
	Path   string   // with :name for a parameter
	Params []string // their names, in order
	line   string
}

// In returns the path in another router's syntax, with before and after around each parameter's name
// in place of the colon.
func (r Route) In(before, after string) string {
	segments := strings.Split(r.Path, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, ":"); ok {
			segments[i] = before + name + after
		}
	}
	return strings.Join(segments, "/")
}

// Answer returns a handler's answer: the route's method and path, then the parameters' values. value
// returns the value that the router found for a parameter.
func (r Route) Answer(value func(name string) string) string {
	if len(r.Params) == 0 {
		return r.line
	}
	text := append(make([]byte, 0, 128), r.line...)
	for _, name := range r.Params {
		text = append(text, ' ')
		text = append(text, value(name)...)
	}
	return string(text)
}

// ByHost returns the handlers that router makes for the sets in DYNO_ROUTES, a list of files. The key is
// the host: github for …/github.routes. ByHost returns nil if DYNO_ROUTES is not set.
func ByHost[H any](router func(set []Route) H) map[string]H {
	files := filepath.SplitList(os.Getenv("DYNO_ROUTES"))
	if len(files) == 0 {
		return nil
	}
	hosts := map[string]H{}
	for _, file := range files {
		set, err := read(file)
		if err != nil {
			log.Fatalf("read DYNO_ROUTES: %v", err)
		}
		hosts[strings.TrimSuffix(filepath.Base(file), ".routes")] = router(set)
	}
	return hosts
}

// read reads a set of routes, one per line: GET /repos/:owner/:repo. A line that begins with # is a
// comment.
func read(file string) (set []Route, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		r := Route{line: line}
		var ok bool
		if r.Method, r.Path, ok = strings.Cut(line, " "); !ok {
			return nil, fmt.Errorf("%s:%d: want a method and a path", file, i+1)
		}
		for s := range strings.SplitSeq(r.Path, "/") {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				r.Params = append(r.Params, name)
			}
		}
		set = append(set, r)
	}
	return set, nil
}
