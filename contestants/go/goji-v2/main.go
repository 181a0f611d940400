// Command goji-v2 answers the scenario hello with Goji v2 (goji.io).
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"goji.io"
	"goji.io/pat"

	"routes/hosts"
)

func main() {
	r := goji.NewMux()
	r.HandleFunc(pat.Get("/hello"), hello)

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
