// Command flamego answers the scenario hello with Flamego.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/flamego/flamego"
)

func main() {
	f := flamego.New() // without flamego.Classic's log line per request
	f.Use(flamego.Recovery())
	f.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: f}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello() string {
	work()
	return "hello world"
}
