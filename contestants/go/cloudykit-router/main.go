// Command cloudykit-router answers the scenario hello with CloudyKit/router.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/cloudykit/router"
)

func main() {
	r := router.New()
	r.AddRoute("GET", "/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(w http.ResponseWriter, _ *http.Request, _ router.Parameter) {
	work()
	io.WriteString(w, "hello world")
}
