// Command iris answers the scenario values with a plain Iris handler.
package main

import (
	"os"
	"time"

	"github.com/kataras/iris/v12"
)

var delay = delayFromEnv()

func main() {
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	app.Get("/api/values/{id:int}", getValue)

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
	time.Sleep(delay) // returns at once when delay is zero
	ctx.WriteString("value")
}
