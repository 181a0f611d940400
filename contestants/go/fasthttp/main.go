// Command fasthttp answers the scenario values with valyala/fasthttp and the router of its README.
package main

import (
	"log"
	"os"
	"strconv"
	"time"

	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

var delay = delayFromEnv()

func main() {
	r := router.New()
	r.GET("/api/values/{id}", getValue)

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
	time.Sleep(delay) // returns at once when delay is zero
	ctx.WriteString("value")
}
