// Command r2router answers the scenario hello with r2router.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/vanng822/r2router"
)

func main() {
	r := r2router.NewRouter()
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, _ *http.Request, _ r2router.Params) {
	work()
	io.WriteString(w, "hello world")
}
