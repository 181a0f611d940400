// Command fasthttp-published answers the scenario hello with valyala/fasthttp as the published
// program does: without Date and Content-Type, only to GET, and with a handler that yields once.
package main

import (
	"runtime"

	"github.com/valyala/fasthttp"

	"dyno/harness"
)

func main() {
	server := &fasthttp.Server{
		Handler:                       handle,
		GetOnly:                       true,
		NoDefaultDate:                 true,
		NoDefaultContentType:          true,
		DisableHeaderNamesNormalizing: true,
	}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext, harness.TLS(server.ListenAndServeTLS, nil))
}

// The published handler answers every path, this one only the scenario's.
func handle(ctx *fasthttp.RequestCtx) {
	if string(ctx.Path()) != "/hello" {
		ctx.NotFound()
		return
	}
	harness.Work()
	runtime.Gosched() // the published program does so only if it does not wait
	ctx.WriteString("hello world")
}
