// Command iris-mvc answers the scenarios values and values-rest with a controller of Iris's mvc package.
package main

import (
	"os"

	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/mvc"
)

func main() {
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	mvc.New(app.Party("/api/values")).Handle(new(valuesController))

	stopped := stopOnTerm(app.Shutdown)
	err := app.Listen(os.Getenv("DYNO_ADDR"), iris.WithoutInterruptHandler, iris.WithoutStartupLog,
		iris.WithoutServerError(iris.ErrServerClosed))
	if err != nil {
		os.Exit(1) // Iris has logged it
	}
	<-stopped
}
