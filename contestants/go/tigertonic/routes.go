package main

import (
	"io"
	"net/http"

	"github.com/rcrowley/go-tigertonic"

	"dyno/harness"
	"dyno/harness/routes"
)

// router is a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := tigertonic.NewTrieServeMux()
	for _, route := range set {
		r.HandleFunc(route.Method, route.In("{", "}"), func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			query := r.URL.Query() // in which Tiger Tonic puts the parameters
			io.WriteString(w, route.Answer(query.Get))
		})
	}
	return r
}
