// Command chi answers the scenario hello with chi.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/go-chi/chi/v5"

	"routes/hosts"
)

func main() {
	r := chi.NewRouter()
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
