// Command gear answers the scenario hello with Gear.
package main

import (
	"context"
	"net/http"

	"github.com/teambition/gear"

	"dyno/harness"
)

func main() {
	r := gear.NewRouter()
	r.Get("/hello", hello)
	r.Otherwise(func(c *gear.Context) error { return c.ErrorStatus(http.StatusNotFound) })
	app := gear.New()
	app.UseHandler(r)

	harness.Serve(app.Listen, func(ctx context.Context) error { return app.Close(ctx) })
}

func hello(c *gear.Context) error {
	harness.Work()
	c.Type(gear.MIMETextPlainCharsetUTF8)
	return c.End(http.StatusOK, []byte("hello world"))
}
