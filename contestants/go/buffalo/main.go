// Command buffalo answers the scenario hello with Buffalo.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/gobuffalo/buffalo"
	"github.com/gobuffalo/buffalo/render"
	"github.com/gobuffalo/x/sessions"
)

var r = render.New(render.Options{})

func main() {
	app := buffalo.New(buffalo.Options{Env: "production", SessionStore: sessions.Null{}}) // as "buffalo new --api" writes it
	app.Middleware.Remove(buffalo.RequestLogger)
	app.GET("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: app}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c buffalo.Context) error {
	work()
	return c.Render(http.StatusOK, r.String("hello world"))
}
