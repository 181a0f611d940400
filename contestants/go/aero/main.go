// Command aero answers the scenario hello with Aero.
package main

import (
	"github.com/aerogo/aero"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	app := aero.New()
	app.Get("/hello", hello)
	app.BindMiddleware()

	nethttp.Serve(app)
}

func hello(ctx aero.Context) error {
	harness.Work()
	return ctx.Text("hello world")
}
