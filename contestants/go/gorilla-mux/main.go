// Command gorilla-mux answers the scenario hello with gorilla/mux.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/gorilla/mux"

	"routes/hosts"
)

func main() {
	r := mux.NewRouter()
	r.HandleFunc("/hello", hello).Methods(http.MethodGet)

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
