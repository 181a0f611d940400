// Command martini answers the scenario hello with Martini.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/go-martini/martini"

	"routes/hosts"
)

func main() {
	r := martini.NewRouter()
	r.Get("/hello", hello)
	m := martini.New() // without martini.Classic's log line per request
	m.Use(martini.Recovery())
	m.MapTo(r, (*martini.Routes)(nil))
	m.Action(r.Handle)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(m, router)}
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
