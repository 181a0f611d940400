// Command gear answers the scenario hello with Gear.
package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/teambition/gear"
)

func main() {
	r := gear.NewRouter()
	r.Get("/hello", hello)
	r.Otherwise(func(c *gear.Context) error { return c.ErrorStatus(http.StatusNotFound) })
	app := gear.New()
	app.UseHandler(r)

	stopped := stopOnTerm(func(ctx context.Context) error { return app.Close(ctx) })
	if err := app.Listen(os.Getenv("DYNO_ADDR")); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *gear.Context) error {
	work()
	c.Type(gear.MIMETextPlainCharsetUTF8)
	return c.End(http.StatusOK, []byte("hello world"))
}
