package main

import (
	"net/http"

	"github.com/kataras/iris/v12"

	"dyno/harness"
)

// listeners returns app's further hosts, which its Shutdown ends: one as iris.TLS makes it, with Iris's
// own TLS settings, and one for HTTP/2 without TLS, which net/http offers.
func listeners(app *iris.Application) []harness.Listener {
	return []harness.Listener{
		harness.TLS(func(addr, cert, key string) error {
			return app.NewHost(&http.Server{Addr: addr}).Configure(iris.TLSNoRedirect).ListenAndServeTLS(cert, key)
		}, nil),
		harness.H2C(func(addr string) error {
			server := &http.Server{Addr: addr, Protocols: new(http.Protocols)}
			server.Protocols.SetUnencryptedHTTP2(true)
			return app.NewHost(server).ListenAndServe()
		}, nil),
	}
}
