// Command gowww-router answers the scenario hello with gowww/router.
package main

import (
	"io"
	"net/http"

	"github.com/gowww/router"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := router.New()
	r.Get("/hello", http.HandlerFunc(hello))

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
