// Command macaron answers the scenario hello with Macaron.
package main

import (
	"gopkg.in/macaron.v1"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	m := macaron.New() // without macaron.Classic's log line per request
	m.Use(macaron.Recovery())
	m.Get("/hello", hello)

	nethttp.Serve(m)
}

func hello() string {
	harness.Work()
	return "hello world"
}
