// Command tango answers the scenario hello with Tango.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/lunny/tango"
)

func main() {
	t := tango.New(tango.Return()) // without tango.Classic's log line per request
	t.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: t}
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
