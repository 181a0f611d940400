// Command goframe answers the scenario hello with GoFrame.
package main

import (
	"context"

	"github.com/gogf/gf/v2/frame/g"
	"github.com/gogf/gf/v2/net/ghttp"

	"dyno/harness"
)

func main() {
	s := g.Server()
	s.SetDumpRouterMap(false)
	s.BindHandler("GET:/hello", hello)

	harness.Serve(func(addr string) error {
		s.SetAddr(addr)
		s.Run()
		return nil
	}, func(context.Context) error { return s.Shutdown() })
}

func hello(r *ghttp.Request) {
	harness.Work()
	r.Response.Write("hello world")
}
