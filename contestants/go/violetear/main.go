// Command violetear answers the scenario hello with violetear.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/nbari/violetear"
)

func main() {
	r := violetear.New()
	r.HandleFunc("/hello", hello, "GET")

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
