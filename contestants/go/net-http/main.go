// Command net-http answers the scenario values with the standard library alone.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

var delay = delayFromEnv()

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/values/{id}", getValue)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: mux}
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
	time.Sleep(delay) // returns at once when delay is zero
	io.WriteString(w, "value")
}
