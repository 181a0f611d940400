// Command ace answers the scenario hello with Ace.
package main

import (
	"io"

	"github.com/plimble/ace"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := ace.New() // without ace.Default's log line per request
	r.GET("/hello", hello)

	nethttp.Serve(r)
}

func hello(c *ace.C) {
	harness.Work()
	c.Writer.Header().Set("Content-Type", "text/plain; charset=utf-8") // c.String says text/html
	io.WriteString(c.Writer, "hello world")
}
