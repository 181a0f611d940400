// Command chi answers the scenario hello with chi.
package main

import (
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := chi.NewRouter()
	r.Get("/hello", hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
