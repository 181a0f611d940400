// Command iris answers the scenarios values, hello and rest-hello with plain Iris handlers.
package main

import (
	"os"

	"github.com/kataras/iris/v12"
)

func main() {
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	app.Get("/api/values/{id:int}", getValue)
	app.Get("/hello", hello)
	app.Get("/rest/hello", hello)

	stopped := stopOnTerm(app.Shutdown)
	err := app.Listen(os.Getenv("DYNO_ADDR"), iris.WithoutInterruptHandler, iris.WithoutStartupLog,
		iris.WithoutServerError(iris.ErrServerClosed))
	if err != nil {
		os.Exit(1) // Iris has logged it
	}
	<-stopped
}

func getValue(ctx iris.Context) {
	if _, err := ctx.Params().GetInt("id"); err != nil {
		ctx.NotFound()
		return
	}
	work()
	ctx.WriteString("value")
}

func hello(ctx iris.Context) {
	work()
	ctx.WriteString("hello world")
}
