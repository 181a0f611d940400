// Command fasthttprouter answers the scenario hello with buaazp/fasthttprouter.
package main

import (
	"log"
	"os"

	"github.com/buaazp/fasthttprouter"
	"github.com/valyala/fasthttp"
)

func main() {
	r := fasthttprouter.New()
	r.GET("/hello", hello)

	server := &fasthttp.Server{Handler: r.Handler}
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
