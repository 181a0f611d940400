package main

import (
	"io"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"routes"
)

// router is a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := httprouter.New()
	for _, route := range set {
		r.Handle(route.Method, route.Path, func(w http.ResponseWriter, _ *http.Request, p httprouter.Params) {
			work()
			io.WriteString(w, route.Answer(p.ByName))
		})
	}
	return r
}
