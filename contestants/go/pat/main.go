// Command pat answers the scenario hello with bmizerany/pat.
package main

import (
	"io"
	"net/http"

	"github.com/bmizerany/pat"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := pat.New()
	r.Get("/hello", http.HandlerFunc(hello))

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
