// Command tigertonic answers the scenario hello with Tiger Tonic's TrieServeMux.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/rcrowley/go-tigertonic"

	"routes/hosts"
)

func main() {
	r := tigertonic.NewTrieServeMux()
	r.HandleFunc("GET", "/hello", hello)

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
