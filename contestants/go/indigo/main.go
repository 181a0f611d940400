// Command indigo answers the scenario hello with Indigo, which has an HTTP engine of its own.
package main

import (
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

	stopOnTerm(exit) // Indigo's own Stop is heeded only when a connection comes, or every five seconds
	if err := indigo.New(os.Getenv("DYNO_ADDR")).Serve(r); err != nil {
		log.Fatal(err)
	}
}

// date is a middleware, for Indigo sends no Date.
func date(next inbuilt.Handler, r *http.Request) *http.Response {
	return next(r).Header("Date", time.Now().UTC().Format(nethttp.TimeFormat))
}

func hello(r *http.Request) *http.Response {
	work()
	return http.String(r, "hello world").ContentType("text/plain")
}
