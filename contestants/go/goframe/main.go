// Command goframe answers the scenario hello with GoFrame.
package main

import (
	"context"
	"os"

	"github.com/gogf/gf/v2/frame/g"
	"github.com/gogf/gf/v2/net/ghttp"
)

func main() {
	s := g.Server()
	s.SetAddr(os.Getenv("DYNO_ADDR"))
	s.SetDumpRouterMap(false)
	s.BindHandler("GET:/hello", hello)

	stopOnTerm(func(context.Context) error { return s.Shutdown() })
	s.Run()
}

func hello(r *ghttp.Request) {
	work()
	r.Response.Write("hello world")
}
