// Command ozzo-routing answers the scenario hello with ozzo-routing.
package main

import (
	"github.com/go-ozzo/ozzo-routing/v2"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := routing.New()
	r.Get("/hello", hello)

	nethttp.Serve(r)
}

func hello(c *routing.Context) error {
	harness.Work()
	return c.Write("hello world")
}
