package main

import (
	"io"
	"log"
	"net/http"

	"github.com/ant0ine/go-json-rest/rest"

	"routes"
)

// router is a router for a set of routes.
func router(set []routes.Route) http.Handler {
	var all []*rest.Route
	for _, route := range set {
		all = append(all, &rest.Route{HttpMethod: route.Method, PathExp: route.Path, Func: func(w rest.ResponseWriter, r *rest.Request) {
			work()
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			io.WriteString(w.(http.ResponseWriter), route.Answer(r.PathParam))
		}})
	}
	r, err := rest.MakeRouter(all...)
	if err != nil {
		log.Fatal(err)
	}
	api := rest.NewApi()
	api.Use(&rest.RecoverMiddleware{})
	api.SetApp(r)
	return api.MakeHandler()
}
