// Command fasthttp-routing answers the scenario hello with qiangxue/fasthttp-routing.
package main

import (
	"github.com/qiangxue/fasthttp-routing"
	"github.com/valyala/fasthttp"

	"dyno/harness"
)

func main() {
	r := routing.New()
	r.Get("/hello", hello)

	server := &fasthttp.Server{Handler: r.HandleRequest}
	harness.Serve(server.ListenAndServe, server.ShutdownWithContext, harness.TLS(server.ListenAndServeTLS, nil))
}

func hello(c *routing.Context) error {
	harness.Work()
	_, err := c.WriteString("hello world")
	return err
}
