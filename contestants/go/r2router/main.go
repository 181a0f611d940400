// Command r2router answers the scenario hello with r2router.
package main

import (
	"io"
	"net/http"

	"github.com/vanng822/r2router"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := r2router.NewRouter()
	r.Get("/hello", hello)

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, _ *http.Request, _ r2router.Params) {
	harness.Work()
	io.WriteString(w, "hello world")
}
