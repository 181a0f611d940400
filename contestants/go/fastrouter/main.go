// Command fastrouter answers the scenario hello with razonyang/fastrouter.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/razonyang/fastrouter"
)

func main() {
	r := fastrouter.New()
	r.Get("/hello", hello)
	r.Prepare()

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
