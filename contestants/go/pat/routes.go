package main

import (
	"io"
	"net/http"

	"github.com/bmizerany/pat"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := pat.New()
	for _, route := range set {
		r.Add(route.Method, route.Path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			query := r.URL.Query() // Pat puts the parameters here, with a colon before the name
			io.WriteString(w, route.Answer(func(name string) string { return query.Get(":" + name) }))
		}))
	}
	return r
}
