// Command httptreemux answers the scenario hello with dimfeld/httptreemux.
package main

import (
	"io"
	"net/http"

	"github.com/dimfeld/httptreemux/v5"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := httptreemux.New()
	r.GET("/hello", hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w http.ResponseWriter, _ *http.Request, _ map[string]string) {
	harness.Work()
	io.WriteString(w, "hello world")
}
