// Command atreugo answers the scenario hello with Atreugo.
package main

import (
	"context"
	"log"
	"os"

	"github.com/savsgio/atreugo/v11"
)

func main() {
	server := atreugo.New(atreugo.Config{Addr: os.Getenv("DYNO_ADDR")})
	server.GET("/hello", hello)

	stopOnTerm(exit) // Atreugo stops by itself on SIGTERM, if at all, only when its connections are idle
	if err := server.ListenAndServe(); err != nil {
		log.Fatal(err)
	}
}

func hello(ctx *atreugo.RequestCtx) error {
	work()
	return ctx.TextResponse("hello world")
}
