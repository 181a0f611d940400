package main

import (
	"io"
	"net/http"

	"github.com/gocraft/web"

	"dyno/harness"
	"dyno/harness/routes"
)

// router returns a router for a set of routes.
func router(set []routes.Route) http.Handler {
	r := web.New(Context{})
	method := map[string]func(string, any) *web.Router{"GET": r.Get, "POST": r.Post, "PUT": r.Put, "DELETE": r.Delete}
	for _, route := range set {
		method[route.Method](route.Path, func(_ *Context, w web.ResponseWriter, r *web.Request) {
			harness.Work()
			io.WriteString(w, route.Answer(func(name string) string { return r.PathParams[name] }))
		})
	}
	return r
}
