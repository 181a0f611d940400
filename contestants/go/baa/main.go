// Command baa answers the scenario hello with Baa.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"gopkg.in/baa.v1"
)

func main() {
	b := baa.New()
	b.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: b}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *baa.Context) {
	work()
	c.String(http.StatusOK, "hello world")
}
