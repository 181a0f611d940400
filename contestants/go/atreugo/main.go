// Command atreugo answers the scenario hello with Atreugo.
package main

import (
	"github.com/savsgio/atreugo/v11"

	"dyno/harness"
)

func main() {
	server := atreugo.New(atreugo.Config{Addr: harness.Addr()})
	server.GET("/hello", hello)

	harness.Serve(func(string) error { return server.ListenAndServe() }, server.ShutdownWithContext)
}

func hello(ctx *atreugo.RequestCtx) error {
	harness.Work()
	return ctx.TextResponse("hello world")
}
