// Command flamego answers the scenario hello with Flamego.
package main

import (
	"github.com/flamego/flamego"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	f := flamego.New() // without flamego.Classic's log line per request
	f.Use(flamego.Recovery())
	f.Get("/hello", hello)

	nethttp.Serve(f)
}

func hello() string {
	harness.Work()
	return "hello world"
}
