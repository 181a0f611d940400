// Command atreugo answers the scenario hello with Atreugo.
package main

import (
	"log"
	"os"

	"github.com/savsgio/atreugo/v11"
)

func main() {
	server := atreugo.New(atreugo.Config{Addr: os.Getenv("DYNO_ADDR")})
	server.GET("/hello", hello)

	stopped := stopOnTerm(server.ShutdownWithContext)
	if err := server.ListenAndServe(); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

func hello(ctx *atreugo.RequestCtx) error {
	work()
	return ctx.TextResponse("hello world")
}
