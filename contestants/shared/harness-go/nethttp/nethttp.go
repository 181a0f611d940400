// Package nethttp serves the handlers of Go contestants whose framework leaves the server to
// net/http.
package nethttp

import (
	"net/http"

	"dyno/harness"
	"dyno/harness/routes"
)

// Serve serves h like harness.Serve, with a default net/http server and with the listeners that Also
// returns. It is the last call in main.
func Serve(h http.Handler) {
	server := &http.Server{Addr: harness.Addr(), Handler: h}
	harness.Serve(func(string) error { return server.ListenAndServe() }, server.Shutdown, Also(h)...)
}

// Also returns listeners that serve h with default net/http servers if dyno sets their addresses: one
// over TLS, for HTTP/1.1 and HTTP/2, and one for HTTP/2 without TLS.
func Also(h http.Handler) []harness.Listener {
	secure, clear := &http.Server{Handler: h}, &http.Server{Handler: h, Protocols: new(http.Protocols)}
	clear.Protocols.SetUnencryptedHTTP2(true)
	return []harness.Listener{
		harness.TLS(func(addr, cert, key string) error {
			secure.Addr = addr
			return secure.ListenAndServeTLS(cert, key)
		}, secure.Shutdown),
		harness.H2C(func(addr string) error {
			clear.Addr = addr
			return clear.ListenAndServe()
		}, clear.Shutdown),
	}
}

// WithRoutes returns h, or if DYNO_ROUTES is set, a handler that selects a set of routes by host and
// calls the handler that router made for it.
func WithRoutes(h http.Handler, router func(set []routes.Route) http.Handler) http.Handler {
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
