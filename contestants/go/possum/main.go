// Command possum answers the scenario hello with Possum.
package main

import (
	"github.com/mikespook/possum"
	"github.com/mikespook/possum/router"
	"github.com/mikespook/possum/view"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	mux := possum.NewServerMux()
	mux.HandleFunc(router.Simple("/hello"), hello, view.Simple("text/plain", "utf-8"))

	nethttp.Serve(mux)
}

func hello(ctx *possum.Context) error {
	harness.Work()
	ctx.Response.Data = "hello world"
	return nil
}
