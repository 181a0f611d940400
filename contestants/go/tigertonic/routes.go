package main

import (
	"io"
	"net/http"

	"github.com/rcrowley/go-tigertonic"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := tigertonic.NewTrieServeMux()
	for _, route := range set {
		r.HandleFunc(route.Method, route.In("{", "}"), func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			query := r.URL.Query() // Tiger Tonic puts the parameters here
			io.WriteString(w, route.Answer(query.Get))
		})
	}
	return r
}
