// Command bone answers the scenario hello with go-zoo/bone.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/go-zoo/bone"

	"routes/hosts"
)

func main() {
	r := bone.New()
	r.GetFunc("/hello", hello)

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
