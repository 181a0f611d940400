package main

import (
	"io"
	"net/http"

	"github.com/dimfeld/httptreemux/v5"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := httptreemux.New()
	for _, route := range set {
		r.Handle(route.Method, route.Path, func(w http.ResponseWriter, _ *http.Request, p map[string]string) {
			harness.Work()
			io.WriteString(w, route.Answer(func(name string) string { return p[name] }))
		})
	}
	return r
}
