// Command aero answers the scenario hello with Aero.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/aerogo/aero"
)

func main() {
	app := aero.New()
	app.Get("/hello", hello)
	app.BindMiddleware()

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: app}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(ctx aero.Context) error {
	work()
	return ctx.Text("hello world")
}
