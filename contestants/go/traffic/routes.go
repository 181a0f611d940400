package main

import (
	"net/http"

	"github.com/pilu/traffic"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := traffic.New()
	method := map[string]func(string, ...traffic.HttpHandleFunc) *traffic.Route{
		"GET": r.Get, "POST": r.Post, "PUT": r.Put, "DELETE": r.Delete,
	}
	for _, route := range set {
		method[route.Method](route.Path, func(w traffic.ResponseWriter, r *traffic.Request) {
			harness.Work()
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteText(route.Answer(r.Param))
		})
	}
	return r
}
