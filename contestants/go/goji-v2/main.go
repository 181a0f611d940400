// Command goji-v2 answers the scenario hello with Goji v2 (goji.io).
package main

import (
	"io"
	"net/http"

	"goji.io"
	"goji.io/pat"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := goji.NewMux()
	r.HandleFunc(pat.Get("/hello"), hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
