// Command go-restful answers the scenario hello with go-restful.
package main

import (
	"io"

	"github.com/emicklei/go-restful/v3"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	ws := new(restful.WebService)
	ws.Route(ws.GET("/hello").To(hello))
	r := restful.NewContainer()
	r.Add(ws)

	nethttp.Serve(r)
}

func hello(_ *restful.Request, w *restful.Response) {
	harness.Work()
	io.WriteString(w, "hello world")
}
