// Command pure answers the scenario hello with go-playground/pure.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/go-playground/pure/v5"
)

func main() {
	r := pure.New()
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r.Serve()}
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
