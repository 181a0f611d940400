// Command goji-v1 answers the scenario hello with Goji v1 (zenazn/goji), its package web.
package main

import (
	"io"
	"net/http"

	"github.com/zenazn/goji/web"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := web.New()
	r.Get("/hello", hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
