// Command fasthttp-router answers the scenario hello with fasthttp/router.
package main

import (
	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"dyno/harness"
)

func main() {
	r := router.New()
	r.GET("/hello", hello)

	server := &fasthttp.Server{Handler: routed(r.Handler)}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext)
}

func hello(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world")
}
