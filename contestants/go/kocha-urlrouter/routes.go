package main

import (
	"io"
	"log"
	"net/http"

	urlrouter "github.com/naoina/kocha-urlrouter"

	"dyno/harness"
	"dyno/harness/routes"
)

// handler answers with what Lookup found in the path.
type handler func(w http.ResponseWriter, params []urlrouter.Param)

// router is a router for a set of routes: Kocha's knows no methods, so there is one for each.
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
