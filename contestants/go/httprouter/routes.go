package main

import (
	"io"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := httprouter.New()
	for _, route := range set {
		r.Handle(route.Method, route.Path, func(w http.ResponseWriter, _ *http.Request, p httprouter.Params) {
			harness.Work()
			io.WriteString(w, route.Answer(p.ByName))
		})
	}
	return r
}
