// Command gowww-router answers the scenario hello with gowww/router.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/gowww/router"
)

func main() {
	r := router.New()
	r.Get("/hello", http.HandlerFunc(hello))

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
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
