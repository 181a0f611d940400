package main

import (
	"io"
	"log"
	"net/http"

	"github.com/ant0ine/go-json-rest/rest"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	var all []*rest.Route
	for _, route := range set {
		handler := func(w rest.ResponseWriter, r *rest.Request) {
			harness.Work()
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			io.WriteString(w.(http.ResponseWriter), route.Answer(r.PathParam))
		}
		all = append(all, &rest.Route{HttpMethod: route.Method, PathExp: route.Path, Func: handler})
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
