// Command indigo answers the scenario hello with Indigo, which has an HTTP engine of its own.
package main

import (
	"context"
	"log"
	"os"

	"github.com/indigo-web/indigo"
	"github.com/indigo-web/indigo/http"
	"github.com/indigo-web/indigo/router/inbuilt"
)

func main() {
	r := inbuilt.New()
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

func hello(r *http.Request) *http.Response {
	work()
	return http.String(r, "hello world").ContentType("text/plain")
}
