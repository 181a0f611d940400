// Command macaron answers the scenario hello with Macaron.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"gopkg.in/macaron.v1"
)

func main() {
	m := macaron.New() // without macaron.Classic's log line per request
	m.Use(macaron.Recovery())
	m.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: m}
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
