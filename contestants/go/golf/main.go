// Command golf answers the scenario hello with Golf.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/dinever/golf"
)

func main() {
	app := golf.New()
	app.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: app}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(ctx *golf.Context) {
	work()
	ctx.Send("hello world")
}
