// Command buffalo answers the scenario hello with Buffalo.
package main

import (
	"net/http"

	"github.com/gobuffalo/buffalo"
	"github.com/gobuffalo/buffalo/render"
	"github.com/gobuffalo/x/sessions"

	"dyno/harness"
	"dyno/harness/nethttp"
)

var r = render.New(render.Options{})

func main() {
	app := buffalo.New(buffalo.Options{Env: "production", SessionStore: sessions.Null{}}) // as "buffalo new --api" writes it
	app.Middleware.Remove(buffalo.RequestLogger)
	app.GET("/hello", hello)

	nethttp.Serve(app)
}

func hello(c buffalo.Context) error {
	harness.Work()
	return c.Render(http.StatusOK, r.String("hello world"))
}
