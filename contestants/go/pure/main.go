// Command pure answers the scenario hello with go-playground/pure.
package main

import (
	"io"
	"net/http"

	"github.com/go-playground/pure/v5"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := pure.New()
	r.Get("/hello", hello)

	nethttp.Serve(r.Serve())
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
