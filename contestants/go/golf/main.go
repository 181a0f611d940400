// Command golf answers the scenario hello with Golf.
package main

import (
	"github.com/dinever/golf"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	app := golf.New()
	app.Get("/hello", hello)

	nethttp.Serve(app)
}

func hello(ctx *golf.Context) {
	harness.Work()
	ctx.Send("hello world")
}
