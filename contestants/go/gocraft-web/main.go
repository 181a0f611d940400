// Command gocraft-web answers the scenario hello with gocraft/web.
package main

import (
	"io"

	"github.com/gocraft/web"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	r := web.New(Context{})
	r.Get("/hello", (*Context).Hello)

	nethttp.Serve(nethttp.WithRoutes(r, router))
}

// Context is the value that gocraft/web creates for each request.
type Context struct{}

func (*Context) Hello(w web.ResponseWriter, _ *web.Request) {
	harness.Work()
	io.WriteString(w, "hello world")
}
