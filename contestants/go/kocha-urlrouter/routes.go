package main

import (
	"io"
	"log"
	"net/http"

	urlrouter "github.com/naoina/kocha-urlrouter"

	"dyno/harness"
	"dyno/harness/routes"
)

// handler answers with the parameters that Lookup found in the path.
type handler func(w http.ResponseWriter, params []urlrouter.Param)

// router returns a router for a set of routes. Kocha's router ignores methods, so each has its own.
func router(set []routes.Route) http.Handler {
	records := map[string][]urlrouter.Record{} // by method
	for _, route := range set {
		h := handler(func(w http.ResponseWriter, p []urlrouter.Param) {
			harness.Work()
			io.WriteString(w, route.Answer(func(name string) string {
				for i := range p {
					if p[i].Name == name {
						return p[i].Value
					}
				}
				return ""
			}))
		})
		records[route.Method] = append(records[route.Method], urlrouter.NewRecord(route.Path, h))
	}
	routers := map[string]urlrouter.URLRouter{}
	for method, list := range records {
		routers[method] = urlrouter.NewURLRouter("doublearray")
		if err := routers[method].Build(list); err != nil {
			log.Fatal(err)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of := routers[r.Method]; of != nil {
			if found, params := of.Lookup(r.URL.Path); found != nil {
				found.(handler)(w, params)
				return
			}
		}
		http.NotFound(w, r)
	})
}
