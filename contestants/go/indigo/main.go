// Command indigo answers the scenario hello with Indigo, which has an HTTP engine of its own.
package main

import (
	nethttp "net/http"
	"time"

	"github.com/indigo-web/indigo"
	"github.com/indigo-web/indigo/http"
	"github.com/indigo-web/indigo/router/inbuilt"

	"dyno/harness"
)

func main() {
	r := inbuilt.New().Use(date)
	r.Get("/hello", hello)

	// Indigo's own Stop takes effect only at the next connection, or every five seconds.
	harness.Serve(func(addr string) error { return indigo.New(addr).Serve(r) }, nil)
}

// date is a middleware that adds the Date that Indigo does not send.
func date(next inbuilt.Handler, r *http.Request) *http.Response {
	return next(r).Header("Date", time.Now().UTC().Format(nethttp.TimeFormat))
}

func hello(r *http.Request) *http.Response {
	harness.Work()
	return http.String(r, "hello world").ContentType("text/plain")
}
