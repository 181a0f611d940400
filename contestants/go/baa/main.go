// Command baa answers the scenario hello with Baa.
package main

import (
	"net/http"

	"gopkg.in/baa.v1"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	b := baa.New()
	b.Get("/hello", hello)

	nethttp.Serve(b)
}

func hello(c *baa.Context) {
	harness.Work()
	c.String(http.StatusOK, "hello world")
}
