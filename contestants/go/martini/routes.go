package main

import (
	"net/http"

	"github.com/go-martini/martini"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := martini.NewRouter()
	for _, route := range set {
		r.AddRoute(route.Method, route.Path, func(p martini.Params) string {
			harness.Work()
			return route.Answer(func(name string) string { return p[name] })
		})
	}
	m := martini.New()
	m.Use(martini.Recovery())
	m.MapTo(r, (*martini.Routes)(nil))
	m.Action(r.Handle)
	return m
}
