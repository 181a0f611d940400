// Command httptreemux answers the scenario hello with dimfeld/httptreemux.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/dimfeld/httptreemux/v5"

	"routes/hosts"
)

func main() {
	r := httptreemux.New()
	r.GET("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: hosts.Or(r, router)}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, _ *http.Request, _ map[string]string) {
	work()
	io.WriteString(w, "hello world")
}
