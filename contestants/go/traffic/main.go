// Command traffic answers the scenario hello with Traffic.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/pilu/traffic"

	"routes/hosts"
)

func main() {
	traffic.SetVar("env", "production")
	r := traffic.New()
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w traffic.ResponseWriter, _ *traffic.Request) {
	work()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteText("hello world")
}
