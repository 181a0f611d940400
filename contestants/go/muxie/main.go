// Command muxie answers the scenario hello with kataras/muxie.
package main

import (
	"io"
	"net/http"

	"github.com/kataras/muxie"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := muxie.NewMux()
	r.HandleFunc("/hello", hello)

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
