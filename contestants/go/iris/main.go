// Command iris answers the scenarios values, hello and rest-hello with plain Iris handlers.
package main

import (
	"os"

	"github.com/kataras/iris/v12"

	"dyno/harness"
)

func main() {
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	app.Get("/api/values/{id:int}", getValue)
	app.Get("/hello", hello)
	app.Get("/rest/hello", restHello)
	app.Get("/file", readFile)
	app.Post("/append", appendFile)

	harness.Serve(func(addr string) error {
		return app.Listen(addr, iris.WithoutInterruptHandler, iris.WithoutStartupLog,
			iris.WithoutServerError(iris.ErrServerClosed))
	}, app.Shutdown, listeners(app)...)
}

func getValue(ctx iris.Context) {
	if _, err := ctx.Params().GetInt("id"); err != nil {
		ctx.NotFound()
		return
	}
	harness.Work()
	ctx.WriteString("value")
}

func hello(ctx iris.Context) {
	harness.Work()
	ctx.WriteString("hello world")
}

func restHello(ctx iris.Context) {
	harness.Work()
	ctx.WriteString("Hello world")
}
