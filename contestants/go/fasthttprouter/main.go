// Command fasthttprouter answers the scenario hello with buaazp/fasthttprouter.
package main

import (
	"github.com/buaazp/fasthttprouter"
	"github.com/valyala/fasthttp"

	"dyno/harness"
)

func main() {
	r := fasthttprouter.New()
	r.GET("/hello", hello)

	server := &fasthttp.Server{Handler: r.Handler}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext, harness.TLS(server.ListenAndServeTLS, nil))
}

func hello(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world")
}
