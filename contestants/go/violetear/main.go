// Command violetear answers the scenario hello with violetear.
package main

import (
	"io"
	"net/http"

	"github.com/nbari/violetear"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := violetear.New()
	r.HandleFunc("/hello", hello, "GET")

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
