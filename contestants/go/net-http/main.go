// Command net-http answers the scenarios values and hello with the standard library alone.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"

	"routes/hosts"
)

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/values/{id}", getValue)
	mux.HandleFunc("GET /hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(mux, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func getValue(w http.ResponseWriter, r *http.Request) {
	if _, err := strconv.Atoi(r.PathValue("id")); err != nil {
		http.NotFound(w, r)
		return
	}
	work()
	io.WriteString(w, "value")
}

func hello(w http.ResponseWriter, _ *http.Request) {
	work()
	io.WriteString(w, "hello world")
}
