// Command ozzo-routing answers the scenario hello with ozzo-routing.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/go-ozzo/ozzo-routing/v2"
)

func main() {
	r := routing.New()
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *routing.Context) error {
	work()
	return c.Write("hello world")
}
