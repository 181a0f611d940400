// Command bone answers the scenario hello with go-zoo/bone.
package main

import (
	"io"
	"net/http"

	"github.com/go-zoo/bone"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := bone.New()
	r.GetFunc("/hello", hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
