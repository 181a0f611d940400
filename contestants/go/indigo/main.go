// Command indigo answers the scenario hello with Indigo, which has an HTTP engine of its own.
package main

import (
	"context"
	"log"
	nethttp "net/http"
	"os"
	"time"

	"github.com/indigo-web/indigo"
	"github.com/indigo-web/indigo/http"
	"github.com/indigo-web/indigo/router/inbuilt"
)

func main() {
	r := inbuilt.New().Use(date)
	r.Get("/hello", hello)
	app := indigo.New(os.Getenv("DYNO_ADDR"))

	stopped := stopOnTerm(func(context.Context) error {
		app.Stop()
		return nil
	})
	if err := app.Serve(r); err != nil {
		log.Fatal(err)
	}
	<-stopped
}

// date is a middleware, for Indigo sends no Date.
func date(next inbuilt.Handler, r *http.Request) *http.Response {
	return next(r).Header("Date", time.Now().UTC().Format(nethttp.TimeFormat))
}

func hello(r *http.Request) *http.Response {
	work()
	return http.String(r, "hello world").ContentType("text/plain")
}
