// Command gorouter-fasthttp answers the scenario hello with vardius/gorouter on fasthttp.
package main

import (
	"github.com/valyala/fasthttp"
	"github.com/vardius/gorouter/v4"

	"dyno/harness"
)

func main() {
	r := gorouter.NewFastHTTPRouter()
	r.GET("/hello", hello)

	server := &fasthttp.Server{Handler: r.HandleFastHTTP}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext, harness.TLS(server.ListenAndServeTLS, nil))
}

func hello(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world")
}
