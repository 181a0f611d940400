// Command rivet answers the scenario hello with Rivet.
package main

import (
	"errors"
	"log"
	"net/http"
	"os"

	"github.com/typepress/rivet"
)

func main() {
	r := rivet.New()
	r.HandleError = func(_ error, w http.ResponseWriter, req *http.Request) { http.NotFound(w, req) }
	r.Get("/hello", hello)

	server := &http.Server{Addr: os.Getenv("DYNO_ADDR"), Handler: r}
	stopped := stopOnTerm(server.Shutdown)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

func hello(c *rivet.Context) {
	work()
	c.WriteString("hello world")
}
