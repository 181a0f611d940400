package main

import (
	"io"
	"net/http"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	mux := http.NewServeMux()
	for _, route := range set {
		path := route.In("{", "}")
		if path == "/" {
			path = "/{$}" // only the root
		}
		mux.HandleFunc(route.Method+" "+path, func(w http.ResponseWriter, r *http.Request) {
			harness.Work()
			io.WriteString(w, route.Answer(r.PathValue))
		})
	}
	return mux
}
