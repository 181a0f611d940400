package main

import (
	"net/http"

	"github.com/kataras/iris/v12"

	"dyno/harness"
)

// listeners are further hosts of app, which its Shutdown ends: one as iris.TLS makes it, with Iris's own
// settings of TLS, and one of HTTP/2 in the clear alone, which net/http offers.
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
