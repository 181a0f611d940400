// Command iris-templates answers the scenario templates with a controller of Iris's mvc package and
// html/template views with a layout.
package main

import (
	"embed"
	"io/fs"
	"log"
	"os"

	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/mvc"

	"dyno/harness"
	"templates"
)

//go:embed views
var views embed.FS

func main() {
	public, err := fs.Sub(templates.Files, "wwwroot")
	if err != nil {
		log.Fatal(err)
	}
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	// Not iris.HTML, whose layouts sometimes render another request's page:
	// contestants/README.md.
	app.RegisterView(iris.Blocks(views, ".html").RootDir("views").Layout("main"))
	app.HandleDir("/public", public)
	mvc.New(app).Handle(new(homeController))

	harness.Serve(func(addr string) error {
		return app.Listen(addr, iris.WithoutInterruptHandler, iris.WithoutStartupLog,
			iris.WithoutServerError(iris.ErrServerClosed))
	}, app.Shutdown)
}
