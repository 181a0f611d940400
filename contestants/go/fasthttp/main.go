// Command fasthttp answers the scenarios values, hello and index with valyala/fasthttp and the router of its README.
package main

import (
	"log"
	"os"
	"strconv"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

func main() {
	r := router.New()
	r.GET("/api/values/{id}", getValue)
	r.GET("/hello", hello)
	r.GET("/index", index)

	server := &fasthttp.Server{Handler: r.Handler}
	stopped := stopOnTerm(server.ShutdownWithContext)
	if err := server.ListenAndServe(os.Getenv("DYNO_ADDR")); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func getValue(ctx *fasthttp.RequestCtx) {
	if _, err := strconv.Atoi(ctx.UserValue("id").(string)); err != nil {
		ctx.NotFound()
		return
	}
	work()
	ctx.WriteString("value")
}

func hello(ctx *fasthttp.RequestCtx) {
	work()
	ctx.WriteString("hello world")
}

func index(ctx *fasthttp.RequestCtx) {
	work()
	ctx.WriteString("hello world !")
}
