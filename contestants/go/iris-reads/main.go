// Command iris-reads answers tfb-db, cache-get, file-read and hello with Iris.
package main

import (
	"context"
	"os"
	"strconv"

	"github.com/kataras/iris/v12"

	"dyno/harness"
	"dyno/reads"
)

func main() {
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	app.Get("/hello", hello)
	app.Get("/db", world(reads.Row))
	app.Get("/cache", world(reads.Cached))
	app.Get("/file", readFile)

	harness.Serve(func(addr string) error {
		return app.Listen(addr, iris.WithoutInterruptHandler, iris.WithoutStartupLog,
			iris.WithoutServerError(iris.ErrServerClosed))
	}, app.Shutdown)
}

func hello(ctx iris.Context) {
	harness.Work()
	ctx.WriteString("hello world")
}

func world(read func(context.Context) (reads.World, error)) iris.Handler {
	return func(ctx iris.Context) {
		row, err := read(ctx.Request().Context())
		if err != nil {
			ctx.StopWithError(iris.StatusInternalServerError, err)
			return
		}
		ctx.JSON(row)
	}
}

func readFile(ctx iris.Context) {
	text, err := reads.File()
	if err != nil {
		ctx.StopWithError(iris.StatusInternalServerError, err)
		return
	}
	ctx.ContentType("text/plain")
	ctx.Header("Content-Length", strconv.Itoa(len(text))) // otherwise net/http sends chunks above 2 KB
	ctx.Write(text)
}
