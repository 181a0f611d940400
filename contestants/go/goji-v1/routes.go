package main

import (
	"io"
	"net/http"

	"github.com/zenazn/goji/web"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := web.New()
	method := map[string]func(pattern, handler any){"GET": r.Get, "POST": r.Post, "PUT": r.Put, "DELETE": r.Delete}
	for _, route := range set {
		method[route.Method](route.Path, func(c web.C, w http.ResponseWriter, _ *http.Request) {
			harness.Work()
			io.WriteString(w, route.Answer(func(name string) string { return c.URLParams[name] }))
		})
	}
	return r
}
