// Command beego answers the scenario hello with Beego v2.
package main

import (
	"context"
	"os"

	"github.com/beego/beego/v2/server/web"
	beego "github.com/beego/beego/v2/server/web/context"
)

func main() {
	web.BConfig.RunMode = web.PROD
	web.BConfig.CopyRequestBody = false
	web.Get("/hello", hello)

	stopOnTerm(func(ctx context.Context) error { return web.BeeApp.Server.Shutdown(ctx) })
	web.Run(os.Getenv("DYNO_ADDR"))
}

func hello(ctx *beego.Context) {
	work()
	ctx.WriteString("hello world")
}
