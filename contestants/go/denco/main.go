// Command denco answers the scenario hello with naoina/denco.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/naoina/denco"

	"routes/hosts"
)

func main() {
	mux := denco.NewMux()
	r, err := mux.Build([]denco.Handler{mux.GET("/hello", hello)})
	if err != nil {
		log.Fatal(err)
	}

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, _ *http.Request, _ denco.Params) {
	work()
	io.WriteString(w, "hello world")
}
