// Command fasthttp-router answers the scenarios values, hello and index with fasthttp/router.
package main

import (
	"strconv"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"

	"dyno/harness"
)

func main() {
	r := router.New()
	r.GET("/api/values/{id}", getValue)
	r.GET("/hello", hello)
	r.GET("/index", index)

	server := &fasthttp.Server{Handler: routed(r.Handler)}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext, harness.TLS(server.ListenAndServeTLS, nil))
}

func getValue(ctx *fasthttp.RequestCtx) {
	if _, err := strconv.Atoi(ctx.UserValue("id").(string)); err != nil {
		ctx.NotFound()
		return
	}
	harness.Work()
	ctx.WriteString("value")
}

func hello(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world")
}

func index(ctx *fasthttp.RequestCtx) {
	harness.Work()
	ctx.WriteString("hello world !")
}
