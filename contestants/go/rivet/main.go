// Command rivet answers the scenario hello with Rivet.
package main

import (
	"net/http"

	"github.com/typepress/rivet"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := rivet.New()
	r.HandleError = func(_ error, w http.ResponseWriter, req *http.Request) { http.NotFound(w, req) }
	r.Get("/hello", hello)

	nethttp.Serve(r)
}

func hello(c *rivet.Context) {
	harness.Work()
	c.WriteString("hello world")
}
