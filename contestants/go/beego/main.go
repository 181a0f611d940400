// Command beego answers the scenario hello with Beego v2.
package main

import (
	"context"
	"net/http"

	"github.com/beego/beego/v2/server/web"
	beego "github.com/beego/beego/v2/server/web/context"

	"dyno/harness"
	"dyno/harness/nethttp"
)

func main() {
	web.BConfig.RunMode = web.PROD
	web.BConfig.CopyRequestBody = false
	web.Get("/hello", hello)

	harness.Serve(func(addr string) error {
		web.RunWithMiddleWares(addr, func(h http.Handler) http.Handler { return nethttp.WithRoutes(h, router) })
		return nil
	}, func(ctx context.Context) error { return web.BeeApp.Server.Shutdown(ctx) })
}

func hello(ctx *beego.Context) {
	harness.Work()
	ctx.WriteString("hello world")
}
