// Command lion answers the scenario hello with Lion.
package main

import (
	"context"
	"io"
	"net/http"

	"gopkg.in/celrenheit/lion.v1"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := lion.New()
	r.GetFunc("/hello", hello)

	nethttp.Serve(r)
}

func hello(_ context.Context, w http.ResponseWriter, _ *http.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
