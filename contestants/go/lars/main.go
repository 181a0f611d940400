// Command lars answers the scenario hello with go-playground/lars.
package main

import (
	"net/http"

	"github.com/go-playground/lars"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := lars.New()
	r.Get("/hello", hello)

	nethttp.Serve(r.Serve())
}

func hello(c lars.Context) {
	harness.Work()
	c.Text(http.StatusOK, "hello world")
}
