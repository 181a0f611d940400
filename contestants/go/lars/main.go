// Command lars answers the scenario hello with go-playground/lars.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/go-playground/lars"
)

func main() {
	r := lars.New()
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r.Serve()}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c lars.Context) {
	work()
	c.Text(http.StatusOK, "hello world")
}
