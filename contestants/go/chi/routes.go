package main

import (
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := chi.NewRouter()
	for _, route := range set {
		r.MethodFunc(route.Method, route.In("{", "}"), func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			io.WriteString(w, route.Answer(func(name string) string { return chi.URLParam(r, name) }))
		})
	}
	return r
}
