// Command possum answers the scenario hello with Possum.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/mikespook/possum"
	"github.com/mikespook/possum/router"
	"github.com/mikespook/possum/view"
)

func main() {
	mux := possum.NewServerMux()
	mux.HandleFunc(router.Simple("/hello"), hello, view.Simple("text/plain", "utf-8"))

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: mux}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(ctx *possum.Context) error {
	work()
	ctx.Response.Data = "hello world"
	return nil
}
