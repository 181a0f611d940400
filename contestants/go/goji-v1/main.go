// Command goji-v1 answers the scenario hello with Goji v1 (zenazn/goji), its package web.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/zenazn/goji/web"

	"routes/hosts"
)

func main() {
	r := web.New()
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, r *http.Request) {
	work()
	io.WriteString(w, "hello world")
}
