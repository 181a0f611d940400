package main

import (
	"io"
	"net/http"

	"github.com/gorilla/mux"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := mux.NewRouter()
	for _, route := range set {
		r.HandleFunc(route.In("{", "}"), func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			vars := mux.Vars(r)
			io.WriteString(w, route.Answer(func(name string) string { return vars[name] }))
		}).Methods(route.Method)
	}
	return r
}
