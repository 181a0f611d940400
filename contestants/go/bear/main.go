// Command bear answers the scenario hello with ursiform/bear.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/ursiform/bear"
)

func main() {
	r := bear.New()
	if err := r.On("GET", "/hello", hello); err != nil {
		log.Fatal(err)
	}

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
