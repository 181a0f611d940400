// Command iris-sessions answers the scenarios sessions and sessions-jar with the sessions of Iris, kept in memory.
package main

import (
	"os"
	"time"

	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/sessions"
)

var delay = delayFromEnv()

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

	stopped := stopOnTerm(app.Shutdown)
	err := app.Listen(os.Getenv("DYNO_ADDR"), iris.WithoutInterruptHandler, iris.WithoutStartupLog,
		iris.WithoutServerError(iris.ErrServerClosed))
	if err != nil {
		os.Exit(1) // Iris has logged it
	}
	<-stopped
}

func setGet(ctx iris.Context) {
	time.Sleep(delay) // returns at once when delay is zero
	session := sessions.Get(ctx)
	session.Set("key", "value")
	ctx.WriteString(session.GetString("key"))
}

func get(ctx iris.Context) {
	time.Sleep(delay)
	ctx.WriteString(sessions.Get(ctx).GetString("key"))
}

func set(ctx iris.Context) {
	time.Sleep(delay)
	sessions.Get(ctx).Set("key", ctx.URLParam("value"))
}

func del(ctx iris.Context) {
	time.Sleep(delay)
	sessions.Get(ctx).Delete("key")
}
