// Command fasthttp-published answers the scenario hello with valyala/fasthttp as the published
// program does: without Date and Content-Type, by GET alone, and with a handler that yields once.
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

// The published handler answers every path; this one those of the scenario.
func handle(ctx *fasthttp.RequestCtx) {
	if string(ctx.Path()) != "/hello" {
		ctx.NotFound()
		return
	}
	harness.Work()
	runtime.Gosched() // there only where it does not wait
	ctx.WriteString("hello world")
}
