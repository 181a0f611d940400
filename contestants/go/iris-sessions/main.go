// Command iris-sessions answers the scenarios sessions and sessions-jar with the sessions of Iris,
// kept in memory.
package main

import (
	"os"
	"time"

	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/sessions"

	"dyno/harness"
)

func main() {
	app := iris.New()
	app.Logger().SetOutput(os.Stderr)
	app.Use(sessions.New(sessions.Config{
		Cookie:                      ".cookiesession.id",
		Expires:                     time.Minute,
		DisableSubdomainPersistence: true,
	}).Handler())
	app.Get("/setget", setGet)
	app.Get("/get", get)
	app.Post("/set", set)
	app.Delete("/del", del)

	harness.Serve(func(addr string) error {
		return app.Listen(addr, iris.WithoutInterruptHandler, iris.WithoutStartupLog,
			iris.WithoutServerError(iris.ErrServerClosed))
	}, app.Shutdown)
}

func setGet(ctx iris.Context) {
	harness.Work()
	session := sessions.Get(ctx)
	session.Set("key", "value")
	ctx.WriteString(session.GetString("key"))
}

func get(ctx iris.Context) {
	harness.Work()
	ctx.WriteString(sessions.Get(ctx).GetString("key"))
}

func set(ctx iris.Context) {
	harness.Work()
	sessions.Get(ctx).Set("key", ctx.URLParam("value"))
}

func del(ctx iris.Context) {
	harness.Work()
	sessions.Get(ctx).Delete("key")
}
