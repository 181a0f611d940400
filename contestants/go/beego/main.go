// Command beego answers the scenario hello with Beego v2.
package main

import (
	"context"
	"net/http"
	"os"

	"github.com/beego/beego/v2/server/web"
	beego "github.com/beego/beego/v2/server/web/context"

	"routes/hosts"
)

func main() {
	web.BConfig.RunMode = web.PROD
	web.BConfig.CopyRequestBody = false
	web.Get("/hello", hello)

	stopOnTerm(func(ctx context.Context) error { return web.BeeApp.Server.Shutdown(ctx) })
	web.RunWithMiddleWares(os.Getenv("DYNO_ADDR"), func(h http.Handler) http.Handler { return hosts.Or(h, router) })
}

func hello(ctx *beego.Context) {
	work()
	ctx.WriteString("hello world")
}
