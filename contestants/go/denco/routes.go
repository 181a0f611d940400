package main

import (
	"io"
	"log"
	"net/http"

	"github.com/naoina/denco"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	mux := denco.NewMux()
	var handlers []denco.Handler
	for _, route := range set {
		handler := func(w http.ResponseWriter, _ *http.Request, p denco.Params) {
			harness.Work()
			io.WriteString(w, route.Answer(p.Get))
		}
		handlers = append(handlers, mux.Handler(route.Method, route.Path, handler))
	}
	r, err := mux.Build(handlers)
	if err != nil {
		log.Fatal(err)
	}
	return r
}
