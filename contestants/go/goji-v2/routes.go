package main

import (
	"io"
	"net/http"

	"goji.io"
	"goji.io/pat"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := goji.NewMux()
	for _, route := range set {
		r.HandleFunc(pat.NewWithMethods(route.Path, route.Method), func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			io.WriteString(w, route.Answer(func(name string) string { return pat.Param(r, name) }))
		})
	}
	return r
}
