// Command fastrouter answers the scenario hello with razonyang/fastrouter.
package main

import (
	"io"
	"net/http"

	"github.com/razonyang/fastrouter"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := fastrouter.New()
	r.Get("/hello", hello)
	r.Prepare()

	nethttp.Serve(r)
}

func hello(w http.ResponseWriter, r *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
