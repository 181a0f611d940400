// Package hosts gives a server on net/http a router for each set of routes.
package hosts

import (
	"net/http"

	"routes"
)

// Or is h, or where DYNO_ROUTES names sets of routes, the routers that router makes of them, each for its host.
func Or(h http.Handler, router func(set []routes.Route) http.Handler) http.Handler {
	hosts := routes.ByHost(router)
	if hosts == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := hosts[r.Host]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	})
}
