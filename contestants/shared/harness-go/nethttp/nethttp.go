// Package nethttp serves the handlers of Go contestants whose framework leaves the server to
// net/http.
package nethttp

import (
	"net/http"

	"dyno/harness"
	"dyno/harness/routes"
)

// Serve serves h as harness.Serve says, by a server of net/http with default settings, and by two
// more, those of Also. It is the last call of main.
func Serve(h http.Handler) {
	server := &http.Server{Addr: harness.Addr(), Handler: h}
	harness.Serve(func(string) error { return server.ListenAndServe() }, server.Shutdown, Also(h)...)
}

// Also serves h by servers of net/http with default settings, where dyno asks for it: over TLS, where
// net/http speaks HTTP/1.1 and HTTP/2, and by HTTP/2 in the clear alone.
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

// WithRoutes is h, or where DYNO_ROUTES names sets of routes, the handlers that router makes of
// them, each for its host.
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
