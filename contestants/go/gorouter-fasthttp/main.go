// Command gorouter-fasthttp answers the scenario hello with vardius/gorouter on fasthttp.
package main

import (
	"log"
	"os"

	"github.com/valyala/fasthttp"
	"github.com/vardius/gorouter/v4"
)

func main() {
	r := gorouter.NewFastHTTPRouter()
	r.GET("/hello", hello)

	server := &fasthttp.Server{Handler: r.HandleFastHTTP}
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
