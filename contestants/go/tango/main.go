// Command tango answers the scenario hello with Tango.
package main

import (
	"github.com/lunny/tango"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	t := tango.New(tango.Return()) // without tango.Classic's log line per request
	t.Get("/hello", hello)

	nethttp.Serve(t)
}

func hello() string {
	harness.Work()
	return "hello world"
}
