// Command cloudykit-router answers the scenario hello with CloudyKit/router.
package main

import (
	"io"
	"net/http"

	"github.com/cloudykit/router"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := router.New()
	r.AddRoute("GET", "/hello", hello)

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, _ *http.Request, _ router.Parameter) {
	harness.Work()
	io.WriteString(w, "hello world")
}
