// Command iris-mvc answers the scenarios values and values-rest with a controller of Iris's mvc
// package.
package main

import (
	"os"

	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/mvc"

	"dyno/harness"
)

func main() {
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	mvc.New(app.Party("/api/values")).Handle(new(valuesController))

	harness.Serve(func(addr string) error {
		return app.Listen(addr, iris.WithoutInterruptHandler, iris.WithoutStartupLog,
			iris.WithoutServerError(iris.ErrServerClosed))
	}, app.Shutdown, listeners(app)...)
}
