// Command martini answers the scenario hello with Martini.
package main

import (
	"github.com/go-martini/martini"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := martini.NewRouter()
	r.Get("/hello", hello)
	m := martini.New() // without martini.Classic's log line per request
	m.Use(martini.Recovery())
	m.MapTo(r, (*martini.Routes)(nil))
	m.Action(r.Handle)

	nethttp.Serve(nethttp.WithRoutes(m, router))
}

func hello() string {
	harness.Work()
	return "hello world"
}
