// Command pat answers the scenario hello with bmizerany/pat.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/bmizerany/pat"

	"routes/hosts"
)

func main() {
	r := pat.New()
	r.Get("/hello", http.HandlerFunc(hello))

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
