// Command muxie answers the scenario hello with kataras/muxie.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/kataras/muxie"
)

func main() {
	r := muxie.NewMux()
	r.HandleFunc("/hello", hello)

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
