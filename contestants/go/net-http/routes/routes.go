// Package routes gives a Go contestant the sets of routes that it is to have, and what they answer.
package routes

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// Route is one of a set.
type Route struct {
	Method string
	Path   string   // with :name for a parameter
	Params []string // their names, in order
	line   string
}

// In is the path in another router's syntax: what stands around a parameter's name in place of the colon.
func (r Route) In(before, after string) string {
	segments := strings.Split(r.Path, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, ":"); ok {
			segments[i] = before + name + after
		}
	}
	return strings.Join(segments, "/")
}

// Answer is what a handler answers: method and path of the route, and after them the values of its parameters, as the router gives them by name.
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

// ByHost are the handlers that router makes of the sets which DYNO_ROUTES names, by the host that they answer to: github for …/github.routes. Nil where it
// names none.
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

// read reads a set: a route a line, GET /repos/:owner/:repo; lines that begin with # are none.
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
