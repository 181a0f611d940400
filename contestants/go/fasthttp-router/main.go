// Command fasthttp-router answers the scenario hello with fasthttp/router.
package main

import (
	"log"
	"os"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

func main() {
	r := router.New()
	r.GET("/hello", hello)

	server := &fasthttp.Server{Handler: routed(r.Handler)}
	stopped := stopOnTerm(server.ShutdownWithContext)
	if err := server.ListenAndServe(os.Getenv("DYNO_ADDR")); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(ctx *fasthttp.RequestCtx) {
	work()
	ctx.WriteString("hello world")
}
