package main

import (
	"io"
	"net/http"

	"github.com/go-zoo/bone"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := bone.New()
	for _, route := range set {
		r.Register(route.Method, route.Path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			io.WriteString(w, route.Answer(func(name string) string { return bone.GetValue(r, name) }))
		}))
	}
	return r
}
