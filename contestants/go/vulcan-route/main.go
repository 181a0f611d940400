// Command vulcan-route answers the scenario hello with mailgun/route, the router of vulcand.
package main

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"

	"github.com/mailgun/route"
)

func main() {
	r := route.NewMux()
	if err := r.HandleFunc(`Method("GET") && Path("/hello")`, hello); err != nil {
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
