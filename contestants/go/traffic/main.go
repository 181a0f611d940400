// Command traffic answers the scenario hello with Traffic.
package main

import (
	"github.com/pilu/traffic"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	traffic.SetVar("env", "production")
	r := traffic.New()
	r.Get("/hello", hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

func hello(w traffic.ResponseWriter, _ *traffic.Request) {
	harness.Work()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteText("hello world")
}
